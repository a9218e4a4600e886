//! What an exploration finds.

use super::argument::Why;
use super::line::Partners;
use super::plateau::{Plateau, Scan};
use super::ways::Denied;
use figures::units::Bytes;
use infer::Confidence;

/// One cache as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelFound {
    /// 1 for the first.
    pub level: usize,
    /// Most probable size.
    pub size: u64,
    /// The size is in this range.
    pub range: (u64, u64),
    /// The largest working set that fits and the smallest that does not, by
    /// cost alone.
    pub knee_range: (u64, u64),
    /// Bytes per line, if partner accesses showed it.
    pub line: Option<u64>,
    /// Lines per set, or why they cannot be found.
    pub ways: Result<u64, String>,
    /// Nanoseconds of an access that hits this level.
    pub latency: f64,
    /// Nanoseconds that a miss costs more.
    pub penalty: f64,
    /// How far to trust size and ways.
    pub confidence: Confidence,
    /// Cost by size of the working set round the end of this level.
    pub knee: Scan,
    /// Share of a miss that a partner access at each distance costs.
    pub partners: Partners,
    /// What must not fit, if the ways are right.
    pub denied: Option<Denied>,
    /// The argument.
    pub why: Vec<Why>,
}

impl LevelFound {
    /// The size, if no other is possible.
    pub fn exact_size(&self) -> Option<u64> {
        (self.range.0 == self.range.1).then_some(self.range.0)
    }

    /// The size as the experiments show it: `48 KiB`, `768 KiB to 1.25 MiB` or `8 MiB or more`.
    pub fn size_text(&self) -> String {
        match self.range {
            (low, high) if low == high => Bytes(low).to_string(),
            (low, u64::MAX) => format!("{} or more", Bytes(low)),
            (low, high) => format!("{} to {}", Bytes(low), Bytes(high)),
        }
    }
}

/// All that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Exploration {
    /// The caches, first level first.
    pub levels: Vec<LevelFound>,
    /// What the largest working sets cost, if no level was found there.
    pub beyond: Option<Plateau>,
    /// The scan in which the levels were seen.
    pub scan: Scan,
}
