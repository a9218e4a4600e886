//! Sizes and repetitions: for the full assignment, or for a quick run.

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
    /// The sweeps go to four times the largest usual cache: the same range for all of these
    /// machines, so that it reveals nothing about one. If this `machine`'s cache
    /// is larger still, four times that.
    pub(crate) fn new(
        quick: bool,
        size: Option<u32>,
        runs: Option<u32>,
        hasten: u64,
        machine: &Machine,
    ) -> Settings {
        let reach = |level, usual: Bytes, largest: Bytes| {
            let reported = machine.visible_levels().iter().find(|cache| cache.level == level);
            let own = reported.map_or(0, |cache| 4 * cache.size.0);
            Bytes(own.next_power_of_two()).clamp(usual, largest)
        };
        // Machines of a class have no larger caches.
        let second = if machine.sealed() { Bytes::mib(4) } else { Bytes::mib(8) };
        let extent = |max: Bytes, repeats: [u64; 2]| Extent {
            max,
            repeats: (repeats[usize::from(quick)] / hasten).max(1),
        };
        Settings {
            quick,
            spark: extent(if quick { Bytes::mib(1) } else { Bytes::mib(4) }, [20, 4]),
            l1: extent(reach(1, Bytes::kib(256), Bytes::mib(1)), [200, 20]),
            l2: extent(reach(2, second, Bytes::mib(16)), [20, 2]),
            size: size.unwrap_or(if quick { 256 } else { 512 }),
            runs: runs.unwrap_or(if quick { 1 } else { 3 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::machine;

    #[test]
    fn a_range_does_not_separate_usual_caches() {
        for entry in machine::catalogue() {
            let machine = Machine::named(entry.name).unwrap();
            let range = Settings::new(false, None, None, 1, &machine);
            for (level, extent, usual) in [(1, range.l1, Bytes::kib(256)), (2, range.l2, Bytes::mib(8))] {
                let size = machine.level(level).map_or(0, |cache| cache.size.0);
                assert!(extent.max == usual || 4 * size > usual.0, "{}, L{level}", entry.name);
            }
        }
    }
}
