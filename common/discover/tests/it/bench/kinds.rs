//! Kinds of machine that the realistic ones lack: TLBs of few ways, exclusive
//! levels, large ways, odd lines and sizes, and a host that was recorded.

use figures::random::Random;
use figures::units::Bytes;
use machine::{Machine, Mapping};

use super::machines::Build;

/// Pages of ordinary size.
const PAGE: u64 = 4096;

/// A kind of machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    describe: fn(&mut Random) -> String,
    /// What is not described: where pages lie, and how the second level picks its sets.
    pub(super) build: Build,
}

impl Kind {
    /// The machine of this kind that belongs to `seed`.
    pub(super) fn machine(self, seed: u64) -> Machine {
        let mut random = Random::new(seed);
        let text = format!(
            "name = \"m\"\nclock = \"4 GHz\"\n[memory]\nlatency = \"80 ns\"\n{}",
            (self.describe)(&mut random)
        );
        let mut machine = Machine::from_toml(&text, "bench").unwrap();
        machine.page_size = Bytes(PAGE);
        machine.mapping = Mapping::Identity;
        if self.build.pages.is_some() {
            machine.mapping = Mapping::Random { seed: random.bits() >> 1 };
        }
        machine
    }
}

pub(super) fn kinds(contiguous: Build, scattered: Build, hashed: Build) -> Vec<Kind> {
    let kind = |name, describe| Kind { name, describe, build: contiguous };
    vec![
        kind("TLB below L1's reach", tlb_below),
        kind("TLB above L1's reach", tlb_above),
        kind("exclusive L2", exclusive_second),
        kind("exclusive L3", exclusive_third),
        kind("exclusive L2 of odd sizes", exclusive_odd),
        kind("no L2", no_second),
        kind("L3 larger than the arrays", very_large),
        kind("fully associative L1", fully_associative),
        kind("large ways", large_ways),
        kind("lines of 16 to 256 B", lines),
        kind("sizes no powers of two", odd_sizes),
        Kind { build: scattered, ..kind("scattered pages", odd_sizes) },
        Kind { build: scattered, ..kind("exclusive L2, scattered pages", exclusive_second) },
        Kind { build: hashed, ..kind("hashed index", lines) },
        Kind { build: scattered, ..kind("like the recorded host", recorded_host) },
    ]
}

fn one_of<T: Copy>(random: &mut Random, choice: &[T]) -> T {
    choice[random.below(choice.len())]
}

/// A level of `kib` KiB, with lines of `line` bytes; a hit takes so many nanoseconds.
fn cache(level: u8, kib: u64, line: u64, ways: u64, hit: f64) -> String {
    format!(
        "[[cache]]\nlevel = {level}\nsize = \"{kib}K\"\nline = {line}\nways = {ways}\nlatency = \"{hit} ns\"\n"
    )
}

/// `ways` of 0: fully associative.
fn tlb(level: u8, entries: u64, ways: u64, penalty: f64) -> String {
    let ways = if ways == 0 { "\"full\"".to_owned() } else { ways.to_string() };
    format!("[[tlb]]\nlevel = {level}\nentries = {entries}\nways = {ways}\npenalty = \"{penalty} ns\"\n")
}

fn usual_tlbs() -> String {
    tlb(1, 64, 0, 1.75) + &tlb(2, 1536, 12, 5.0)
}

fn tlb_below(random: &mut Random) -> String {
    let (kib, ways) = one_of(random, &[(32_u64, 8), (48, 12), (64, 8), (64, 2), (128, 8)]);
    let reach = one_of(random, &[4, 2]);
    let entries = (kib / 4 / reach).next_power_of_two();
    let tlb_ways = one_of(random, &[1, 2, 4, 8, 0]);
    let tlb_ways = if tlb_ways > entries { 0 } else { tlb_ways };
    let second = one_of(random, &[(256, 8), (512, 8)]);
    cache(1, kib, 64, ways, 1.0)
        + &cache(2, second.0, 64, second.1, 3.5)
        + &tlb(1, entries, tlb_ways, 1.75)
        + &tlb(2, 512, 4, 5.0)
}

fn tlb_above(random: &mut Random) -> String {
    let (kib, ways) = one_of(random, &[(32, 8), (48, 12), (24, 6), (64, 4), (32, 4)]);
    let entries = one_of(random, &[16, 32, 48, 64, 96, 128]).max(u64::next_power_of_two(kib / 4));
    let tlb_ways = one_of(random, &[1, 2, 3, 4, 6, 8]);
    let entries = entries / (2 * tlb_ways) * (2 * tlb_ways);
    let second = one_of(random, &[(256, 4), (512, 8), (1024, 16)]);
    cache(1, kib, 64, ways, 1.0)
        + &cache(2, second.0, 64, second.1, 3.5)
        + &tlb(1, entries, tlb_ways, 1.75)
        + &tlb(2, 1024, 8, 5.0)
}

fn exclusive_second(random: &mut Random) -> String {
    let (kib, ways) = one_of(random, &[(64, 2), (64, 1), (32, 8), (32, 1), (16, 4)]);
    let second = one_of(random, &[(512, 16), (1024, 16), (256, 8)]);
    cache(1, kib, 64, ways, 1.0)
        + &cache(2, second.0, 64, second.1, 3.5)
        + "inclusion = \"exclusive\"\n"
        + &usual_tlbs()
}

/// Of some of them the lines of both levels make a round number of ways.
fn exclusive_odd(random: &mut Random) -> String {
    let (kib, ways) = one_of(random, &[(32, 8), (32, 4), (48, 12), (64, 2), (24, 6), (16, 2)]);
    let second = one_of(random, &[(224, 7), (448, 14), (448, 7), (768, 12), (640, 10), (960, 15)]);
    cache(1, kib, 64, ways, 1.0)
        + &cache(2, second.0, 64, second.1, 3.5)
        + "inclusion = \"exclusive\"\n"
        + &usual_tlbs()
}

fn no_second(random: &mut Random) -> String {
    let (kib, line, ways) =
        one_of(random, &[(64, 16, 1), (32, 64, 8), (48, 64, 12), (8, 32, 2), (128, 128, 4)]);
    cache(1, kib, line, ways, 1.0) + &one_of(random, &[usual_tlbs as fn() -> String, String::new])()
}

fn very_large(random: &mut Random) -> String {
    let (kib, ways) = one_of(random, &[(32, 8), (48, 12)]);
    let third = one_of(random, &[(65536, 16), (98304, 12), (262_144, 16)]);
    cache(1, kib, 64, ways, 1.0)
        + &cache(2, one_of(random, &[512, 1024]), 64, 16, 3.5)
        + &cache(3, third.0, 64, third.1, one_of(random, &[12.0, 24.7]))
        + &usual_tlbs()
}

fn fully_associative(random: &mut Random) -> String {
    let (kib, line) = one_of(random, &[(32, 32), (16, 64), (32, 64), (8, 16)]);
    let second = one_of(random, &[(256, 8), (512, 16)]);
    cache(1, kib, line, kib * 1024 / line, 1.0) + &cache(2, second.0, line, second.1, 3.5)
}

fn exclusive_third(random: &mut Random) -> String {
    let (kib, ways) = one_of(random, &[(32, 8), (48, 12), (64, 2)]);
    let third = one_of(random, &[(2048, 16), (1536, 12), (4096, 16)]);
    cache(1, kib, 64, ways, 1.0)
        + &cache(2, 512, 64, 8, 3.5)
        + &cache(3, third.0, 64, third.1, 12.0)
        + "inclusion = \"exclusive\"\n"
        + &usual_tlbs()
}

fn large_ways(random: &mut Random) -> String {
    let (kib, ways) = one_of(random, &[(64, 4), (128, 2), (128, 8), (64, 1)]);
    let second = one_of(random, &[(1024, 4), (2048, 8), (2048, 2), (4096, 4), (8192, 8), (8192, 2)]);
    cache(1, kib, 64, ways, 1.0) + &cache(2, second.0, 64, second.1, 3.5) + &usual_tlbs()
}

fn lines(random: &mut Random) -> String {
    let line = one_of(random, &[16, 32, 128, 256]);
    let (kib, ways) = one_of(random, &[(16, 4), (32, 8), (32, 2), (48, 12), (64, 4)]);
    let second = one_of(random, &[(256, 8), (512, 8), (512, 16)]);
    cache(1, kib, line, ways, 1.0) + &cache(2, second.0, line, second.1, 3.5) + &usual_tlbs()
}

fn odd_sizes(random: &mut Random) -> String {
    let (kib, ways) = one_of(random, &[(24, 6), (40, 10), (80, 5), (96, 12), (12, 3), (36, 9)]);
    let second = one_of(random, &[(224, 7), (448, 14), (640, 10), (768, 6), (1280, 20), (704, 11)]);
    cache(1, kib, 64, ways, 1.0) + &cache(2, second.0, 64, second.1, 3.5) + &usual_tlbs()
}

/// A virtual Zen 4 with ordinary pages; its walks are in `infer/src/walks`.
fn recorded_host(_: &mut Random) -> String {
    cache(1, 32, 64, 8, 1.1)
        + &cache(2, 1024, 64, 8, 3.8)
        + &cache(3, 8192, 64, 16, 13.0)
        + &tlb(1, 72, 0, 2.3)
        + &tlb(2, 3072, 12, 10.0)
}
