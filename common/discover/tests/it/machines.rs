//! What the machine alone does not show: other programs, a hash of the address, what the system says.

use discover::{Confidence, Exploration, OnModel, Probe, explore, explore_repeatedly};
use figures::units::Bytes;
use machine::{Index, Machine, Mapping};

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
}

/// A machine of the catalogue without its third level.
fn two_levels(name: &str) -> Machine {
    let mut machine = Machine::named(name).unwrap();
    machine.levels.truncate(2);
    machine
}

/// This program meets one line of its own at every step, as where the walk has a variable on the stack.
#[test]
fn a_line_of_the_programs_own_hides_no_way() {
    for (name, size, ways) in [("golden-cove", 48 << 10, 12), ("zen3", 32 << 10, 8)] {
        let machine = two_levels(name);
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
        assert_eq!(
            (first.size, &first.ways, first.line),
            (size, &Ok(ways), Some(64)),
            "{name}: {:?}",
            first.why
        );
    }
}

/// On a quiet host 40 KiB of 10 ways were read of 48 KiB of 12 in each run, while stopped half of the time.
#[test]
fn what_the_system_says_and_the_share_of_the_time_are_weighed() {
    let machine = two_levels("zen3");
    let arena = OnModel::arena(&machine).unwrap();
    let settled: Exploration = explore_repeatedly(&mut OnModel::new(&machine, &arena).unwrap(), 1).unwrap();
    for (said, share, high, confidence) in [
        (None, 1.0, 32 << 10, Confidence::High),
        (None, 0.5, 32 << 10, Confidence::Medium),
        (Some(16 << 10), 0.5, 32 << 10, Confidence::High),
        (Some(32 << 10), 0.5, 32 << 10, Confidence::High),
        (Some(48 << 10), 0.5, 48 << 10, Confidence::Low),
    ] {
        let mut settled = settled.clone();
        settled.weigh(|_| said, share);
        let found = &settled.levels[0];
        assert_eq!((found.range, found.confidence), ((32 << 10, high), confidence), "{said:?}, {share}");
        assert_eq!(found.ways.is_ok(), confidence > Confidence::Low, "{said:?}, {share}");
    }
}

/// Lines at one offset of pages fall into the sets of four offsets, as on Zen 4 and Zen 5.
#[test]
fn a_hash_of_the_address_is_named() {
    let mut machine = two_levels("zen5");
    // the hash changes no set of the first level
    (machine.levels[0].size, machine.levels[0].ways) = (Bytes::kib(4), 4);
    machine.levels[1].size = Bytes::kib(512);
    machine.levels[1].index = Index::Physical;
    machine.mapping = Mapping::Random { seed: 3 };
    for mixed in [0, 3] {
        let arena = OnModel::arena(&machine).unwrap();
        let model = OnModel::new(&machine, &arena).unwrap();
        let walk = |model: &mut OnModel, offsets: &[u64]| {
            let hashed: Vec<u64> = offsets.iter().map(|at| at ^ (at >> 12 & mixed) << 10).collect();
            model.cost(&hashed)
        };
        let found = explore_repeatedly(&mut Changed { reach: model.reach(), model, walk }, 2).unwrap();
        let second = &found.levels[1];
        assert!(
            (second.range.0..=second.range.1).contains(&machine.levels[1].size.0),
            "{mixed}: {:?}",
            second.why
        );
        let why: String = second.why.iter().map(|why| why.to_string()).collect();
        assert_eq!(why.contains("So a hash of the address picks the set"), mixed > 0, "{mixed}: {why}");
    }
}
