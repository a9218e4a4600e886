//! What experiments show of a memory hierarchy, and the argument for it.

use figures::units::Bytes;

use super::Confidence;
use super::rise::Plateau;

/// One cache as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelFound {
    /// 1 for the first.
    pub level: usize,
    /// The smallest and the largest size that the experiments allow, in bytes; `u64::MAX` if they show no end.
    pub range: (u64, u64),
    /// The largest working set that fits, in bytes.
    pub fits: u64,
    /// Bytes per line, if it is known.
    pub line: Option<u64>,
    /// Lines per set, or why they are not known.
    pub ways: Result<u64, String>,
    /// Nanoseconds of an access that hits this level.
    pub latency: f64,
    /// Nanoseconds that a miss costs more.
    pub penalty: f64,
    /// How far to trust size and ways.
    pub confidence: Confidence,
    /// Experiments that found the same size and ways.
    pub agree: usize,
    /// Cost by size of the working set round the end of this level.
    pub end: Vec<(u64, f64)>,
    /// The argument.
    pub why: Argument,
}

/// The argument for each figure of a level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Argument {
    /// Sentences on the size.
    pub size: Vec<String>,
    /// How the line is known, or why not.
    pub line: String,
    /// How the ways are known, or why not.
    pub ways: String,
}

impl LevelFound {
    /// A level with these costs of a hit and of a miss, of which no more is known.
    pub(crate) fn between(level: usize, [hit, miss]: [f64; 2], end: &[(u64, f64)]) -> LevelFound {
        LevelFound {
            level,
            range: (0, u64::MAX),
            fits: 0,
            line: None,
            ways: Err(String::new()),
            latency: hit,
            penalty: miss - hit,
            confidence: Confidence::Low,
            agree: 1,
            end: end.to_vec(),
            why: Argument::default(),
        }
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
    /// Cost by size of the working set, in which the levels were seen.
    pub scan: Vec<(u64, f64)>,
    /// Whether the time was up before a run looked beyond the first level.
    pub first_only: bool,
}
