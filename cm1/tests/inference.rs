//! What is read from cm1's sweep of a modelled cache, held against the cache.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use common::infer::{self, Geometry};
use common::saved::Saved;

/// A small repeatable generator: tests must not depend on luck.
struct Lcg(u64);

impl Lcg {
    fn of<T: Copy>(&mut self, choice: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        choice[(self.0 >> 33) as usize % choice.len()]
    }
}

#[derive(Debug, Clone, Copy)]
struct Cache {
    size: u64,
    line: u64,
    ways: u64,
    replacement: &'static str,
}

impl Cache {
    /// 1, 3 or 5 times a power of two bytes, and any number of ways to 24 that
    /// divides the lines.
    fn random(lcg: &mut Lcg) -> Cache {
        let line: u64 = lcg.of(&[16, 32, 64, 64, 128, 256]);
        let size: u64 = (1024 << lcg.of(&[2, 3, 4, 5, 6])) * lcg.of(&[1, 1, 3, 5]);
        let replacement = lcg.of(&["lru", "plru", "fifo"]);
        let ways: Vec<u64> = (1..=24u64)
            .filter(|w| (size / line).is_multiple_of(*w))
            .filter(|w| replacement != "plru" || w.is_power_of_two() && *w > 1)
            .collect();
        Cache { size, line, ways: lcg.of(&ways), replacement }
    }

    fn describe(&self, file: &Path) {
        let Cache { size, line, ways, replacement } = self;
        let text = format!(
            "name = \"random\"\ndescription = \"A random cache\"\nclock = \"1 GHz\"\n[memory]\nlatency = \"100 ns\"\n\
             [pages]\nsize = \"4K\"\nmapping = \"identity\"\n[[cache]]\nlevel = 1\nsize = {size}\nline = {line}\n\
             ways = {ways}\nreplacement = \"{replacement}\"\nlatency = \"2 ns\"\n"
        );
        std::fs::write(file, text).unwrap();
    }

    /// Sizes of a quarter to four times the cache, four per doubling.
    fn sizes(&self) -> String {
        let mut sizes: Vec<u64> = [1, 3, 5, 7].iter().flat_map(|m| (8..22).map(move |k| m << k)).collect();
        sizes.retain(|size| (self.size / 4..=4 * self.size).contains(size));
        sizes.sort_unstable();
        sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
    }
}

fn sweep(machine: &Path, args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_cm1"))
        .args(["--counters", "model", "--repeats", "2", "--machine", machine.to_str().unwrap()])
        .args(args)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn read(sweep: &str) -> Result<Geometry, String> {
    infer::read(&Saved::parse(sweep).unwrap()).verdict
}

/// Whether all of the geometry was read. What was read must be true.
fn exact(cache: &Cache, found: &Result<Geometry, String>) -> bool {
    let Ok(found) = found else { return false };
    assert_eq!((found.size.0, found.line.0), (cache.size, cache.line), "{cache:?}");
    let Ok(ways) = found.ways else { return false };
    assert_eq!(ways, cache.ways, "{cache:?}");
    true
}

#[test]
fn random_caches_are_read_or_left_open() {
    let folder = tempfile::tempdir().unwrap();
    let machine = folder.path().join("random.toml");
    let mut lcg = Lcg(11);
    let caches: Vec<Cache> = (0..60).map(|_| Cache::random(&mut lcg)).collect();
    let read = caches.iter().filter(|cache| {
        cache.describe(&machine);
        exact(cache, &read(&sweep(&machine, &["--sizes", &cache.sizes()])))
    });
    let count = read.count();
    assert!(count >= 57, "{count} of {} read", caches.len());
}

#[test]
fn the_cell_that_is_asked_for_tells_two_numbers_of_ways_apart() {
    let folder = tempfile::tempdir().unwrap();
    let machine = folder.path().join("two.toml");
    for ways in [24, 8] {
        let cache = Cache { size: 12 << 10, line: 16, ways, replacement: "lru" };
        cache.describe(&machine);
        let mut text = sweep(&machine, &["--sizes", &cache.sizes()]);
        let reason = read(&text).unwrap().ways.unwrap_err();
        assert!(reason.contains("24 ways of 32 sets, 8 ways of 96 sets"), "{reason}");
        assert!(reason.contains("12800 bytes at stride 512"), "{reason}");
        text += &sweep(&machine, &["--sizes", "12800", "--strides", "512"]);
        assert!(exact(&cache, &read(&text)), "{:?}", read(&text));
    }
}
