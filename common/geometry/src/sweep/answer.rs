//! What a sweep shows of a cache.

use figures::units::Bytes;
use serde_json::json;

use super::sentence::Sentence;
use crate::Confidence;

/// Answer and argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The geometry, or one sentence why it cannot be determined and what would help.
    pub verdict: Result<Geometry, Sentence>,
    /// The argument, sentence by sentence.
    pub why: Vec<Sentence>,
}

impl Answer {
    /// The answer for scripts; what does not apply is null. `size` is the
    /// smallest size possible, `size_most` the largest, `size_below` the smallest
    /// array that does not fit; `ways` is a number only if every other is
    /// excluded.
    pub fn json(&self) -> serde_json::Value {
        let found = self.verdict.as_ref().ok();
        json!({
            "verdict": if found.is_some() { "ok" } else { "refused" },
            "size": found.map(|g| g.size),
            "size_most": found.map(|g| g.most),
            "size_below": found.map(|g| g.below),
            "line": found.and_then(|g| g.line.as_ref().ok()),
            "line_reason": found.and_then(|g| g.line.as_ref().err()),
            "ways": found.and_then(Geometry::exact_ways),
            "ways_reason": found.and_then(ways_reason),
            "hit_ns": found.and_then(|g| g.times).map(|t| t.hit_ns),
            "penalty_ns": found.and_then(|g| g.times).map(|t| t.penalty_ns),
            "confidence": found.map(|g| g.confidence),
            "reason": self.verdict.as_ref().err().map(|reason| &reason.text),
            "why": self.why.iter().map(|sentence| &sentence.text).collect::<Vec<_>>(),
        })
    }
}

/// Why there is no single number of ways.
fn ways_reason(found: &Geometry) -> Option<String> {
    match &found.ways {
        Ok((least, most)) if least == most => None,
        Ok((least, most)) => Some(format!("{least} to {most}: these data do not show which")),
        Err(reason) => Some(reason.clone()),
    }
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
    /// The cache line, or which lines are possible and why.
    pub line: Result<Bytes, String>,
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

impl Geometry {
    /// The size as the data show it: `48 KiB`, or `32 KiB to less than 64 KiB`.
    pub fn size_text(&self) -> String {
        if self.size == self.most {
            return self.size.to_string();
        }
        format!("{} to less than {}", self.size, self.below)
    }

    /// The number of ways, if the data exclude every other.
    pub fn exact_ways(&self) -> Option<u64> {
        self.ways.as_ref().ok().filter(|(least, most)| least == most).map(|ways| ways.0)
    }
}
