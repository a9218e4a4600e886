//! What cm1's sweep of a modelled cache shows, compared with the cache.

use std::path::Path;
use std::process::Command;

use common::machine::{Machine, catalogue};
use common::random::Random;
use common::saved::Saved;
use common::units::Bytes;
use geometry::Geometry;

#[derive(Debug, Clone, Copy)]
struct Cache {
    size: u64,
    line: u64,
    ways: u64,
    replacement: &'static str,
}

impl Cache {
    /// 1, 3 or 5 times a power of two bytes, and any number of ways up to 24 that divides
    /// the number of lines.
    fn random(random: &mut Random) -> Cache {
        let mut of = |choice: &[u64]| choice[random.below(choice.len())];
        let line = of(&[16, 32, 64, 64, 128, 256]);
        let size = (1024 << of(&[2, 3, 4, 5, 6])) * of(&[1, 1, 3, 5]);
        let replacement = ["lru", "plru", "fifo", "random"][of(&[0, 1, 2, 3]) as usize];
        let ways: Vec<u64> = (1..=24u64)
            .filter(|w| (size / line).is_multiple_of(*w))
            .filter(|w| replacement != "plru" || w.is_power_of_two() && *w > 1)
            .collect();
        Cache { size, line, ways: of(&ways), replacement }
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
}

fn sweep(machine: &str, args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_cm1"))
        .args(["--counters", "model", "--machine", machine])
        .args(args)
        .output()
        .unwrap();
    assert!(out.status.success(), "{machine} {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn read(sweep: &str) -> Result<Geometry, String> {
    geometry::read(&Saved::parse(sweep).unwrap()).verdict.map_err(|why| why.text)
}

/// Whether the whole geometry was read. What was read must be true.
fn exact(what: &str, (size, line, ways): (u64, u64, u64), found: &Result<Geometry, String>) -> bool {
    let Ok(found) = found else {
        return false;
    };
    assert_eq!(found.line, Ok(Bytes(line)), "{what}");
    assert!((found.size.0..=found.most.0).contains(&size), "{what}: {}", found.size_text());
    if let Ok((least, most)) = found.ways {
        assert!((least..=most).contains(&ways), "{what}: {least} to {most} ways");
    }
    found.size == found.most && found.exact_ways().is_some()
}

/// Of twenty random caches most are read completely, and none wrongly.
#[test]
fn random_caches_are_read_or_left_open() {
    let folder = tempfile::tempdir().unwrap();
    let machine = folder.path().join("random.toml");
    let mut random = Random::new(11);
    let is_read = |cache: &Cache| {
        cache.describe(&machine);
        let [min, max] =
            [cache.size / 8, 8 * cache.size].map(|s| s.next_power_of_two().max(1024).to_string());
        let args = ["--repeats", "2", "--min", &min, "--max", &max, "--until-decided"];
        let found = read(&sweep(machine.to_str().unwrap(), &args));
        exact(&format!("{cache:?}"), (cache.size, cache.line, cache.ways), &found)
    };
    let count = (0..20).map(|_| Cache::random(&mut random)).filter(is_read).count();
    assert!(count >= 17, "{count} of 20 read");
}

/// Random replacement is modelled for a bounded number of accesses, and the record says so.
#[test]
fn random_replacement_ends_soon() {
    let folder = tempfile::tempdir().unwrap();
    let machine = folder.path().join("random.toml");
    let misses = |replacement| {
        Cache { size: 16 << 10, line: 64, ways: 4, replacement }.describe(&machine);
        let args = ["--min", "64K", "--max", "64K", "--repeats", "1000000", "--format", "json"];
        let text = sweep(machine.to_str().unwrap(), &args);
        let cells = Saved::parse(&text).unwrap().cells;
        let at_line = cells.iter().find(|cell| cell.stride == 64).unwrap();
        (text.contains("each cell models 1048576 accesses"), at_line.misses.unwrap())
    };
    let ((bounded, random), (all, lru)) = (misses("random"), misses("lru"));
    assert!(bounded && !all);
    // 64 KiB in 16 KiB: LRU has none of the next lines; of 16 lines of a set random keeps some.
    assert!((0.80..0.99).contains(&random) && lru > 0.999, "{random:?} {lru:?}");
}

#[test]
fn a_doubling_sweep_says_no_more_than_it_shows() {
    let args = ["--repeats", "2"];
    let found = read(&sweep("golden-cove", &args)).unwrap();
    assert_eq!((found.size_text().as_str(), found.ways), ("32 KiB to less than 64 KiB", Ok((8, 15))));
    assert!(!found.decide.is_empty() && found.confidence == geometry::Confidence::Low);
    let found = read(&sweep("golden-cove", &[&args[..], &["--until-decided"]].concat())).unwrap();
    assert_eq!((found.size_text().as_str(), found.ways), ("48 KiB", Ok((12, 12))));
    assert_eq!(found.confidence, geometry::Confidence::High);
}

/// L1 and L2 of the catalogue's machines with the documented commands: L1 as it is, or open, and L2 inside its interval.
#[test]
fn the_catalogue_is_read_or_left_open() {
    let mut exactly = 0;
    for listed in catalogue() {
        let machine = Machine::named(listed.name).unwrap();
        let truth = |level: u8| machine.level(level).map(|c| (c.size.0, c.line.0, c.ways as u64));
        let l1 = sweep(listed.name, &["--repeats", "2", "--max", "512K", "--until-decided"]);
        exactly += usize::from(exact(&format!("L1 of {}", listed.name), truth(1).unwrap(), &read(&l1)));
        let Some(second) = truth(2) else { continue };
        let args =
            ["--repeats", "2", "--event", "PAPI_L2_DCM", "--min", "32K", "--max", "8M", "--until-decided"];
        let l2 = read(&sweep(listed.name, &args));
        assert!(!exact(&format!("L2 of {}", listed.name), second, &l2), "an interval: it may be exclusive");
        assert!(l2.is_err() || l2.is_ok_and(|l2| l2.most.0 < 4 * l2.size.0), "L2 of {}", listed.name);
    }
    assert!(exactly >= 9, "{exactly} L1 exactly");
}

/// A C kit's file of a sweep does not say where its counts come from. A physically indexed
/// second level with scattered pages misses in arrays that would fit.
#[test]
fn a_second_level_behind_scattered_pages_is_never_read_too_small_or_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.toml");
    let mut read = 0;
    for (kib, ways) in [(192, 6), (224, 7), (256, 8), (448, 14)] {
        for seed in [2, 19] {
            let text = format!(
                "name = \"m\"\nclock = \"4 GHz\"\n[memory]\nlatency = \"80 ns\"\n[pages]\nsize = \"4K\"\n\
                 mapping = \"random\"\nseed = {seed}\n[[cache]]\nlevel = 1\nsize = \"32K\"\nline = 64\nways = 8\n\
                 [[cache]]\nlevel = 2\nsize = \"{kib}K\"\nline = 64\nways = {ways}\nindex = \"physical\"\n"
            );
            std::fs::write(&file, text).unwrap();
            let args = ["--event", "PAPI_L2_DCM", "--min", "16K", "--max", "2M"];
            let text = sweep(file.to_str().unwrap(), &args).replace("source=model", "");
            if let Ok(found) = geometry::read(&Saved::parse(&text).unwrap()).verdict {
                let size = found.size.0 >> 10..=found.most.0 >> 10;
                assert!(size.contains(&kib), "{kib} KiB of {ways} ways, seed {seed}: {}", found.size_text());
                assert!(size.end() < &(8 * size.start()), "{kib} KiB of {ways} ways, seed {seed}: {size:?}");
                read += 1;
            }
        }
    }
    assert!(read >= 4, "{read} of 8 read");
}
