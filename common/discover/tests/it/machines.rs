use discover::{Confidence, Exploration, LevelFound, OnModel, Probe, explore, settle};
use figures::units::Bytes;
use machine::{CacheLevel, Inclusion, Index, Machine, Mapping, Prefetch, Replacement, Write};

/// A small repeatable generator: tests must not depend on luck.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn of<T: Copy>(&mut self, choice: &[T]) -> T {
        choice[self.below(choice.len() as u64) as usize]
    }
}

fn cache(level: u8, size: u64, line: u64, ways: u64, replacement: Replacement) -> CacheLevel {
    CacheLevel {
        level,
        size: Bytes(size),
        line: Bytes(line),
        ways: ways as usize,
        shared_by: 1,
        replacement,
        write: Write::Back,
        allocate: true,
        inclusion: Inclusion::Neither,
        index: Index::Virtual,
        prefetch: Prefetch::None,
        latency: None,
    }
}

/// A cache of `size` bytes or up to half more: 1, 3 or 5 times a power of two, any number
/// of ways that divides it.
fn random_cache(lcg: &mut Lcg, level: u8, size: u64, line: u64) -> CacheLevel {
    let size = size.next_power_of_two() / 4 * lcg.of(&[4, 4, 5, 6]);
    let replacement = lcg.of(&[Replacement::Lru, Replacement::Plru, Replacement::Fifo]);
    let lines = size / line;
    let possible: Vec<u64> = (1..=24)
        .filter(|w| {
            lines.is_multiple_of(*w) && (replacement != Replacement::Plru || (w.is_power_of_two() && *w > 1))
        })
        .collect();
    cache(level, size, line, lcg.of(&possible), replacement)
}

/// One or two levels; a first level alone has 4 KiB, doubled up to `doublings - 1`
/// times, and up to half more.
fn random_machine(lcg: &mut Lcg, doublings: u64) -> Machine {
    let line = lcg.of(&[16, 32, 64, 64, 128, 256]);
    let two_levels = lcg.below(3) == 0;
    let size = 4096 << lcg.below(if two_levels { 5 } else { doublings });
    let first = random_cache(lcg, 1, size, line);
    let mut machine = Machine::named("zen5").unwrap();
    machine.levels = vec![first];
    if two_levels {
        let size = machine.levels[0].size.0 << (3 + lcg.below(2));
        let mut second = random_cache(lcg, 2, size, line);
        if lcg.below(3) == 0 {
            second.index = Index::Physical;
            machine.mapping = Mapping::Random { seed: lcg.below(1 << 30) };
        }
        machine.levels.push(second);
    }
    if lcg.below(4) == 0 {
        machine.levels[0].prefetch = Prefetch::NextLine;
    }
    machine
}

fn found(machine: &Machine) -> Result<Exploration, String> {
    let arena = OnModel::arena(machine)?;
    explore(&mut OnModel::new(machine, &arena)?, 2)
}

/// What one cache's finding is worth.
fn judge(cache: &CacheLevel, found: &LevelFound) -> Result<bool, String> {
    if found.line.is_some_and(|line| line != cache.line.0) {
        return Err(format!("line {:?}", found.line));
    }
    let (low, high) = found.range;
    match &found.ways {
        Ok(ways) if (*ways, found.size) == (cache.ways as u64, cache.size.0) => Ok(found.line.is_some()),
        Ok(ways) => Err(format!("{} in {ways} ways", Bytes(found.size))),
        Err(_) if found.confidence == Confidence::High => Err("confident without ways".to_owned()),
        Err(_) if (low..=high).contains(&cache.size.0) => Ok(false),
        Err(_) => Err(format!("size from {} to {}", Bytes(low), Bytes(high))),
    }
}

#[test]
fn modelled_machines_are_found_or_refused() {
    are_found_or_refused(80, 5);
}

#[test]
#[ignore = "caches up to 6 MiB take minutes"]
fn large_modelled_machines_are_found_or_refused() {
    are_found_or_refused(330, 11);
}

fn are_found_or_refused(machines: usize, doublings: u64) {
    let mut lcg = Lcg(2026);
    let (mut right, mut plain) = (0, 0);
    let mut wrong = Vec::new();
    for number in 0..machines {
        let machine = random_machine(&mut lcg, doublings);
        let prefetches = machine.levels.iter().any(|l| l.prefetch != Prefetch::None);
        let scattered = machine.mapping != Mapping::Identity;
        let outcomes: Vec<Result<bool, String>> = match found(&machine) {
            Ok(e) if e.levels.is_empty() => vec![Ok(false)],
            Ok(e) => machine.levels.iter().zip(&e.levels).map(|(c, f)| judge(c, f)).collect(),
            Err(_) => vec![Ok(false)],
        };
        for (outcome, cache) in outcomes.iter().zip(&machine.levels) {
            if let Err(what) = outcome {
                wrong.push(format!(
                    "{number}: {what} for L{} {} {} B {}-way {:?} {:?} {:?} {:?}",
                    cache.level,
                    cache.size,
                    cache.line.0,
                    cache.ways,
                    cache.replacement,
                    cache.prefetch,
                    cache.index,
                    machine.mapping
                ));
            }
            // ways behind pages that lie anywhere are not there to be found
            if !(prefetches || scattered && cache.level > 1) {
                plain += 1;
                right += usize::from(outcome == &Ok(true));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    // Ways not larger than those of the level above cannot be found (4), nor those of three times a power of two
    // behind few lines (5); behind direct-mapped first levels of five pages, conflicts of lines are taken for
    // translation (3).
    assert!(right * 100 >= plain * 95, "{right} of {plain} read exactly");
}

/// A machine on which walks cost something else.
struct Changed<'a, F> {
    model: OnModel<'a>,
    reach: u64,
    walk: F,
}

impl<F: Fn(&mut OnModel, &[u64]) -> f64> Probe for Changed<'_, F> {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        (self.walk)(&mut self.model, offsets)
    }

    fn reach(&self) -> u64 {
        self.reach
    }

    fn contiguous(&self) -> u64 {
        self.model.contiguous()
    }

    fn real(&self) -> bool {
        self.model.real()
    }

    fn finest(&self) -> u64 {
        self.model.finest()
    }

    fn noise(&self, level: usize) -> f64 {
        self.model.noise(level)
    }
}

/// This program meets one line of its own at every step, as where the walk has a variable on the stack.
#[test]
fn a_line_of_the_programs_own_hides_no_way() {
    for name in ["golden-cove", "zen3", "i5-7500"] {
        let mut machine = Machine::named(name).unwrap();
        machine.levels.truncate(2);
        let arena = OnModel::arena(&machine).unwrap();
        let model = OnModel::new(&machine, &arena).unwrap();
        // in set 0, behind all that may be used
        let own = (model.reach() - 1) >> 16 << 16;
        let walk = |model: &mut OnModel, offsets: &[u64]| {
            let hit = model.cost(&[own]);
            let both: Vec<u64> = offsets.iter().flat_map(|at| [*at, own]).collect();
            2.0 * model.cost(&both) - hit
        };
        let found = explore(&mut Changed { model, reach: own, walk }, 1).unwrap();
        let first = &found.levels[0];
        assert_eq!(judge(&machine.levels[0], first), Ok(true), "{name}: {:?}", first.why);
    }
}

#[test]
fn a_level_that_the_system_says_is_larger_is_left_open() {
    let mut machine = Machine::named("zen3").unwrap();
    machine.levels.truncate(2);
    let arena = OnModel::arena(&machine).unwrap();
    let settled = settle(&mut OnModel::new(&machine, &arena).unwrap(), 1).unwrap();
    let weighed = |said| {
        let mut settled = settled.clone();
        settled.weigh(|level| Some(said).filter(|_| level == 1), 0.5);
        let found = settled.levels[0].found.clone();
        (found.range, found.ways.is_ok(), found.confidence)
    };
    let exact = settled.levels[0].found.confidence;
    for said in [16 << 10, 32 << 10] {
        assert_eq!(weighed(said), ((32 << 10, 32 << 10), true, exact));
    }
    assert_eq!(weighed(48 << 10), ((32 << 10, 48 << 10), false, Confidence::Low));
}

/// On a quiet host 40 KiB of 10 ways were read of 48 KiB of 12 in each run, while stopped half of the time.
#[test]
fn a_program_that_is_stopped_half_of_the_time_is_not_sure() {
    let mut machine = Machine::named("zen3").unwrap();
    machine.levels.truncate(2);
    let arena = OnModel::arena(&machine).unwrap();
    let settled = settle(&mut OnModel::new(&machine, &arena).unwrap(), 1).unwrap();
    for (said, share, confidence) in [
        (None, 1.0, Confidence::High),
        (Some(32 << 10), 0.5, Confidence::High),
        (None, 0.5, Confidence::Medium),
    ] {
        let mut settled = settled.clone();
        settled.weigh(|_| said, share);
        assert_eq!(settled.levels[0].found.confidence, confidence, "{said:?}, {share}");
        assert_eq!(settled.levels[0].found.size, 32 << 10);
    }
}

/// Lines at one offset of pages fall into the sets of four offsets, as on Zen 4 and Zen 5.
#[test]
fn a_hash_of_the_address_is_named() {
    let levels = [cache(1, 4096, 64, 4, Replacement::Lru), cache(2, 512 << 10, 64, 16, Replacement::Lru)];
    let mut machine = Machine::named("zen5").unwrap();
    machine.levels = levels.to_vec();
    machine.levels[1].index = Index::Physical;
    machine.mapping = Mapping::Random { seed: 3 };
    let reasons = [0, 3].map(|mixed: u64| {
        let arena = OnModel::arena(&machine).unwrap();
        let model = OnModel::new(&machine, &arena).unwrap();
        let walk = |model: &mut OnModel, offsets: &[u64]| {
            let hashed: Vec<u64> = offsets.iter().map(|at| at ^ (at >> 12 & mixed) << 10).collect();
            model.cost(&hashed)
        };
        let found = settle(&mut Changed { reach: model.reach(), model, walk }, 2).unwrap();
        let second = &found.levels[1].found;
        assert!(judge(&machine.levels[1], second).is_ok(), "{mixed}: {:?}", second.why);
        second.why.iter().map(|why| why.to_string()).collect::<Vec<_>>().join(" ")
    });
    assert!(!reasons[0].contains("So a hash of the address picks the set"), "{}", reasons[0]);
    assert!(reasons[1].contains("So a hash of the address picks the set"), "{}", reasons[1]);
}

#[test]
fn sets_behind_pages_that_lie_anywhere_are_found() {
    let mut right = 0;
    for name in ["golden-cove", "zen3", "zen5", "i5-7500"] {
        for seed in 1..3 {
            let mut machine = Machine::named(name).unwrap();
            machine.levels.truncate(2);
            machine.levels[1].index = Index::Physical;
            machine.mapping = Mapping::Random { seed };
            let arena = OnModel::arena(&machine).unwrap();
            let found = settle(&mut OnModel::new(&machine, &arena).unwrap(), 2).unwrap();
            let second = &found.levels[1].found;
            let told = judge(&machine.levels[1], second);
            assert!(told.is_ok(), "{name}, {seed}: {told:?}: {:?}", second.why);
            right += usize::from(second.ways.is_ok());
        }
    }
    // a 4-way cache behind an 8-way one, and little memory, leave it open
    assert!(right >= 4, "{right} of 8");
}
