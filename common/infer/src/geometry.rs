//! What a sweep shows of a cache.

use figures::units::Bytes;
use serde::Serialize;

/// How far to trust an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Several readings of the data are possible: an interval, no point.
    Low,
    /// Right if nothing interfered that the data do not show.
    Medium,
    /// The data exclude everything else.
    High,
}

/// What was read from a sweep: all that the data allow.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    /// The smallest size that the data allow.
    pub size: Bytes,
    /// The largest size that the data allow; equal to `size` if it is known.
    pub most: Bytes,
    /// The smallest array known not to fit.
    pub below: Bytes,
    /// The cache line.
    pub line: Bytes,
    /// The fewest and the most lines per set that the data allow, or why they
    /// cannot be determined.
    pub ways: Result<(u64, u64), String>,
    /// Time of a hit and what a miss costs beyond it, in nanoseconds, where
    /// the sweep was timed.
    pub times: Option<Times>,
    /// How far to trust it.
    pub confidence: Confidence,
    /// Cells (array and stride, in bytes) that would narrow the answer; none if nothing
    /// is open, or nothing of it can be determined by such cells.
    pub decide: Vec<(u64, u64)>,
}

/// What a timed sweep shows in addition to the geometry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// Nanoseconds per access that hits.
    pub hit_ns: f64,
    /// Nanoseconds that a miss costs more.
    pub penalty_ns: f64,
}
