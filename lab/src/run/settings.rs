//! How large and how often: the full assignment, or a first look.

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
    /// What `sizes` say, else the guide's ranges, wider where this `machine`'s caches are larger than
    /// those the guide was written for: four times the cache, so that its end
    /// shows.
    pub(crate) fn new(quick: bool, sizes: &Sizes, hasten: u64, machine: &Machine) -> Settings {
        let capacity = |level| match machine.sealed() {
            // the largest that is drawn: the range tells nothing of this one
            true => {
                if level == 1 {
                    Bytes::kib(64).0
                } else {
                    Bytes::mib(1).0
                }
            }
            false => machine.level(level).map_or(0, |cache| cache.size.0),
        };
        let reach = |level, least: Bytes, most: Bytes| {
            Bytes((capacity(level) * 4).next_power_of_two()).clamp(least, most)
        };
        let extent = |given: report::Extent, max: Bytes, full: u64, quick_: u64| Extent {
            max: given.max.unwrap_or(max),
            repeats: (given.repeats.unwrap_or(if quick { quick_ } else { full }) / hasten).max(1),
        };
        let spark = if quick { Bytes::mib(1) } else { Bytes::mib(4) };
        Settings {
            quick,
            spark: extent(sizes.spark, spark, 20, 4),
            l1: extent(sizes.l1, reach(1, Bytes::kib(64), Bytes::mib(1)), 200, 20),
            l2: extent(sizes.l2, reach(2, Bytes::mib(2), Bytes::mib(16)), 20, 2),
            size: sizes.matrix.unwrap_or(if quick { 256 } else { 512 }),
            runs: sizes.runs.unwrap_or(if quick { 1 } else { 3 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_assignment_says_goes_before_the_guides_sizes() {
        let machine = Machine::named("i5-7500").unwrap();
        let guide = Settings::new(false, &Sizes::default(), 1, &machine);
        assert_eq!(
            (guide.size, guide.runs, guide.l1.max, guide.spark.repeats),
            (512, 3, Bytes::kib(128), 20)
        );
        let l1 = report::Extent { max: Some(Bytes::kib(256)), repeats: None };
        let given = Sizes { matrix: Some(64), l1, ..Sizes::default() };
        let own = Settings::new(false, &given, 1, &machine);
        assert_eq!((own.size, own.l1.max, own.l1.repeats, own.runs), (64, Bytes::kib(256), 200, 3));
    }
}
