//! What an exploration finds, and the argument for it.

use std::fmt;

use super::scan::{Plateau, Scan};
use figures::units::Bytes;
use infer::{Confidence, Sets};
use serde::{Serialize, Serializer};

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
    /// Least and greatest of all runs.
    pub latencies: (f64, f64),
    /// Nanoseconds that a miss costs more.
    pub penalty: f64,
    /// How far to trust size and ways.
    pub confidence: Confidence,
    /// Last runs in a row that found the same.
    pub agree: usize,
    /// Cost by size of the working set round the end of this level.
    pub knee: Scan,
    /// The argument.
    pub why: Vec<Why>,
}

impl LevelFound {
    /// Its sets, or why they cannot be found.
    /// Fails if the ways are not known; the reason.
    pub fn sets(&self) -> Result<Sets, &String> {
        self.ways.as_ref().map(|&ways| Sets { ways, way: self.size / ways })
    }

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
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exploration {
    /// The caches, first level first.
    pub levels: Vec<LevelFound>,
    /// What the largest working sets cost, if no level was found there.
    pub beyond: Option<Plateau>,
    /// The scan in which the levels were seen.
    pub scan: Scan,
    /// Runs made.
    pub runs: usize,
    /// Whether the time was up before a run looked beyond the first level.
    pub first_only: bool,
}

/// A step of the argument; `Display` is its sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// How large it is.
    Size(String),
    /// Why it may be larger or smaller than it looks.
    Open(String),
    /// How the line is known, or why not.
    Line(String),
    /// How the ways are known.
    Ways(String),
    /// Why the ways are not: a clause.
    NoWays(String),
    /// Why it is not to be trusted much.
    Confidence(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Size(text) | Why::Open(text) => write!(f, "Size: {text}"),
            Why::Line(text) => write!(f, "Line: {text}"),
            Why::Ways(text) => write!(f, "Ways: {text}"),
            Why::NoWays(reason) => write!(f, "Ways: not identifiable: {reason}."),
            Why::Confidence(text) => write!(f, "Confidence: {text}"),
        }
    }
}

/// As its sentence.
impl Serialize for Why {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
