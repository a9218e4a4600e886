//! How large and how often: the full assignment, or a first look.

use common::machine::Machine;
use common::units::Bytes;

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
    /// The guide's ranges, wider where this `machine`'s caches are larger than
    /// those the guide was written for: four times the cache, so that its end
    /// shows.
    pub(crate) fn new(
        quick: bool,
        size: Option<u32>,
        runs: Option<u32>,
        hasten: u64,
        machine: &Machine,
    ) -> Settings {
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
        let repeats = |full: u64, quick_: u64| ((if quick { quick_ } else { full }) / hasten).max(1);
        Settings {
            quick,
            spark: Extent { max: if quick { Bytes::mib(1) } else { Bytes::mib(4) }, repeats: repeats(20, 4) },
            l1: Extent { max: reach(1, Bytes::kib(64), Bytes::mib(1)), repeats: repeats(200, 20) },
            l2: Extent { max: reach(2, Bytes::mib(2), Bytes::mib(16)), repeats: repeats(20, 2) },
            size: size.unwrap_or(if quick { 256 } else { 512 }),
            runs: runs.unwrap_or(if quick { 1 } else { 3 }),
        }
    }
}
