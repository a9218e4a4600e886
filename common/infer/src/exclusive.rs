//! The hypothesis that a level stores none of the lines of the level above (exclusive). The readers of
//! curves and of experiments share it: both see the lines of both levels together.

use figures::stats::greatest_common_divisor;
use figures::units::Bytes;

use super::Geometry;

/// The sets of a level. The level below is not asked for the lines that this one holds, so they cannot show
/// that level's sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sets {
    /// Lines per set.
    pub ways: u64,
    /// Bytes of one way: sets times line.
    pub way: u64,
}

impl Sets {
    /// The level that was read, if nothing of it is open.
    pub fn of(found: &Geometry) -> Option<Sets> {
        let ways = found.exact_ways().filter(|_| found.size == found.most)?;
        Some(Sets { ways, way: found.size.0 / ways })
    }

    /// Its size in bytes.
    pub fn size(self) -> u64 {
        self.ways * self.way
    }

    /// Sets that a walk visits whose lines are `distance` lines from one to the next.
    fn sets_visited(self, distance: u64, line: u64) -> u64 {
        let sets = (self.way / line).max(1);
        sets / greatest_common_divisor(distance, sets)
    }

    /// Whether it can hold all lines of a walk.
    pub(super) fn holds(self, count: u64, distance: u64, line: u64) -> bool {
        count / self.sets_visited(distance, line) <= self.ways
    }

    /// Lines that each of `visited` sets of an exclusive level need not hold, because this level does.
    pub(super) fn relief(self, distance: u64, line: u64, visited: u64) -> u64 {
        self.ways * self.sets_visited(distance, line) / visited
    }

    /// Both readings of lines of one set of which `fit` fit, `way` bytes from one to the next.
    pub fn readings(self, fit: u64, way: u64) -> String {
        let plain = format!("{fit} ways make {}", Bytes(fit * way));
        match fit.checked_sub(self.ways).filter(|own| *own > 0) {
            Some(own) => format!(
                "{plain}; if this level stores none of the lines of the level above (exclusive), it has as few as \
                 {own} ways ({}) and the level above has the others",
                Bytes(own * way)
            ),
            None => plain,
        }
    }
}

/// What a size means that includes the level above, if that is not part of this one.
pub fn less(above: u64) -> String {
    format!("{} less if it stores none of the lines of the level above (exclusive)", Bytes(above))
}
