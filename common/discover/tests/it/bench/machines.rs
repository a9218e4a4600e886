//! Machines like those one meets, and what is described of them.

use figures::random::Random;
use figures::units::Bytes;
use machine::{Index, Machine, Mapping, Replacement};

/// What a condition changes in the machine itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Build {
    /// Bytes of a page that lies anywhere, if they do.
    pub(super) pages: Option<u64>,
    /// Whether the second level picks its sets by a hash of the address.
    pub(super) hashed: bool,
}

pub(super) const PLAIN: Build = Build { pages: None, hashed: false };

/// Address bits into which the hash mixes higher ones: in the second level's
/// index, above the first level's.
const MIXED: u64 = 3 << 14;

impl Build {
    /// The machine that belongs to `seed`, its L2 at most `largest` KiB.
    pub(super) fn machine(self, seed: u64, largest: u64) -> Machine {
        let mut random = Random::new(seed);
        let mut machine = realistic(&mut random, largest);
        machine.page_size = Bytes(self.pages.unwrap_or(2 << 20));
        if self.pages.is_some() {
            machine.mapping = Mapping::Random { seed: random.bits() >> 1 };
        }
        machine.levels[1].index = Index::Physical;
        machine
    }

    /// Where an offset lies for the caches.
    pub(super) fn address(self, offset: u64) -> u64 {
        let mixed = [3, 5, 7].into_iter().fold(offset, |mixed, bits| mixed ^ (offset >> bits & MIXED));
        if self.hashed { mixed } else { offset }
    }
}

/// Levels, latencies and TLBs of real machines.
fn realistic(random: &mut Random, largest: u64) -> Machine {
    let mut one_of = |choice: &[(u64, u64)]| choice[random.below(choice.len())];
    let (first, ways) =
        one_of(&[(32, 8), (48, 12), (32, 4), (64, 4), (64, 8), (24, 6), (16, 4), (128, 8), (32, 2)]);
    let (second, second_ways) =
        one_of(&[(256, 4), (256, 8), (512, 8), (512, 16), (1024, 16), (1280, 10), (2048, 16), (1024, 8)]);
    // as many sets as address bits can pick: a power of two
    let way = (second.clamp(4 * first, largest.max(4 * first)) / second_ways).next_power_of_two();
    let second = way * second_ways;
    let (hit, behind) = one_of(&[(4, 14), (5, 16), (4, 12), (3, 14), (5, 15)]);
    let (line, _) = one_of(&[(64, 0), (64, 0), (64, 0), (128, 0), (32, 0)]);
    let (entries, penalty) = one_of(&[(64, 7), (96, 7), (48, 9), (128, 7)]);
    let policies = [0, 1].map(|_| random.below(8));
    let text = format!(
        "name = \"m\"\nclock = \"4 GHz\"\n[memory]\nlatency = \"80 ns\"\n\
         [[cache]]\nlevel = 1\nsize = \"{first}K\"\nline = {line}\nways = {ways}\nlatency = \"{hit} cycles\"\n\
         [[cache]]\nlevel = 2\nsize = \"{second}K\"\nline = {line}\nways = {second_ways}\nlatency = \"{behind} cycles\"\n\
         [[tlb]]\nlevel = 1\nentries = {entries}\nways = \"full\"\npenalty = \"{penalty} cycles\"\n\
         [[tlb]]\nlevel = 2\nentries = 1536\nways = 12\npenalty = \"20 cycles\"\n"
    );
    let mut machine = Machine::from_toml(&text, "bench").unwrap();
    for (level, policy) in machine.levels.iter_mut().zip(policies) {
        level.replacement = match policy {
            0..3 if level.ways.is_power_of_two() => Replacement::Plru,
            3 => Replacement::Fifo,
            4 => Replacement::Random,
            _ => Replacement::Lru,
        };
    }
    machine
}

/// The machine with a quarter of its ways taken at the levels that `of` names.
pub(super) fn ways_taken(machine: &Machine, of: impl Fn(u8) -> bool) -> Machine {
    let mut less = machine.clone();
    for level in less.levels.iter_mut().filter(|l| of(l.level)) {
        let sets = level.sets() as u64;
        level.ways = (level.ways * 3 / 4).max(1);
        level.size = Bytes(sets * level.ways as u64 * level.line.0);
        if level.replacement == Replacement::Plru {
            level.replacement = Replacement::Lru;
        }
    }
    less
}
