//! Sizes and repetitions: for the full assignment, or for a quick run.

use std::num::NonZeroU64;

use common::machine::Machine;
use common::units::Bytes;
use report::Sizes;

/// A sweep's largest array and its repetitions per stride.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) max: Bytes,
    pub(crate) repeats: u64,
}

/// The sizes and repetitions of all experiments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) quick: bool,
    pub(crate) spark: Extent,
    pub(crate) l1: Extent,
    pub(crate) l2: Extent,
    /// Rows and columns of the matrices.
    pub(crate) size: u32,
    /// Repetitions of each product.
    pub(crate) runs: u32,
}

impl Settings {
    /// The size in `sizes`, else four times the largest usual cache: the same range for all
    /// of these machines, so that it reveals nothing about one. If this `machine`'s cache
    /// is larger still, four times that.
    pub(crate) fn new(quick: bool, sizes: &Sizes, hasten: u64, machine: &Machine) -> Settings {
        let reach = |level, usual: Bytes, largest: Bytes| {
            let reported = machine.visible_levels().iter().find(|cache| cache.level == level);
            let own = reported.map_or(0, |cache| 4 * cache.size.0);
            Bytes(own.next_power_of_two()).clamp(usual, largest)
        };
        // Machines of a class have no larger caches.
        let second = if machine.sealed() { Bytes::mib(4) } else { Bytes::mib(8) };
        let extent = |given: report::Extent, max: Bytes, full: u64, quick_: u64| Extent {
            max: given.max.unwrap_or(max),
            repeats: (given.repeats.map_or(if quick { quick_ } else { full }, NonZeroU64::get) / hasten)
                .max(1),
        };
        let spark = if quick { Bytes::mib(1) } else { Bytes::mib(4) };
        Settings {
            quick,
            spark: extent(sizes.spark, spark, 20, 4),
            l1: extent(sizes.l1, reach(1, Bytes::kib(256), Bytes::mib(1)), 200, 20),
            l2: extent(sizes.l2, reach(2, second, Bytes::mib(16)), 20, 2),
            size: sizes.matrix.unwrap_or(if quick { 256 } else { 512 }),
            runs: sizes.runs.unwrap_or(if quick { 1 } else { 3 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::machine;

    #[test]
    fn what_an_assignment_says_goes_before_the_guides_sizes() {
        let machine = Machine::named("i5-7500").unwrap();
        let guide = Settings::new(false, &Sizes::default(), 1, &machine);
        assert_eq!(
            (guide.size, guide.runs, guide.l1.max, guide.spark.repeats),
            (512, 3, Bytes::kib(256), 20)
        );
        let l1 = report::Extent { max: Some(Bytes::kib(512)), repeats: None };
        let given = Sizes { matrix: Some(64), l1, ..Sizes::default() };
        let own = Settings::new(false, &given, 1, &machine);
        assert_eq!((own.size, own.l1.max, own.l1.repeats, own.runs), (64, Bytes::kib(512), 200, 3));
    }

    #[test]
    fn a_range_does_not_separate_usual_caches() {
        for entry in machine::catalogue() {
            let machine = Machine::named(entry.name).unwrap();
            let range = Settings::new(false, &Sizes::default(), 1, &machine);
            for (level, extent, usual) in [(1, range.l1, Bytes::kib(256)), (2, range.l2, Bytes::mib(8))] {
                let size = machine.level(level).map_or(0, |cache| cache.size.0);
                assert!(
                    extent.max == usual || 4 * size > usual.0,
                    "{}, L{level}: {}",
                    entry.name,
                    extent.max
                );
            }
        }
    }
}
