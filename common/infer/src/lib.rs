//! From curves to geometry, with the argument. Given a saved sweep, reads the
//! line, the size and the ways of the cache behind it the way a student is
//! asked to: line where the misses stop doubling, size where they start, ways
//! where they vanish. Where the data cannot tell, the answer is a refusal that
//! says what would be needed.
//!
//! The thresholds were chosen on recorded curves of real machines; each stands
//! with its reason where it is used. A reading is believed only if the whole
//! sweep agrees with it, not just the cells it was read from (`check`).

mod check;
mod curve;
mod line;
pub mod probe;
mod size;
mod timing;
mod ways;
mod words;

use serde::Serialize;
use serde_json::json;

use figures::units::Bytes;
use figures::value::Source;
use records::saved::Saved;

use curve::Curve;

/// How far to trust an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Several readings of the data are possible; this is the likeliest.
    Low,
    /// Right if the size is a power of two and no prefetcher interfered, which
    /// the data do not show.
    Medium,
    /// The data exclude everything else.
    High,
}

/// What was read from a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    /// The cache's size.
    pub size: Bytes,
    /// The smallest array known not to fit, if sizes between were not tried.
    pub below: Bytes,
    /// The cache line.
    pub line: Bytes,
    /// Lines per set, or why they cannot be told.
    pub ways: Result<u64, String>,
    /// Time of a hit and what a miss costs beyond it, in nanoseconds, where
    /// the sweep was timed.
    pub times: Option<Times>,
    /// How far to trust it.
    pub confidence: Confidence,
}

/// What a timed sweep shows beside the geometry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// Nanoseconds per access that hits.
    pub hit_ns: f64,
    /// Nanoseconds that a miss costs more.
    pub penalty_ns: f64,
}

/// Answer and argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The geometry, or one sentence why it cannot be told and what would help.
    pub verdict: Result<Geometry, String>,
    /// The argument, sentence by sentence.
    pub why: Vec<String>,
}

impl Answer {
    /// The answer for scripts: `verdict`, `size`, `line`, `ways`,
    /// `ways_reason`, `reason`, `why`; what does not apply is null.
    pub fn json(&self) -> serde_json::Value {
        match &self.verdict {
            Ok(g) => json!({
                "verdict": "ok",
                "size": g.size,
                "size_below": g.below,
                "line": g.line,
                "ways": g.ways.as_ref().ok(),
                "ways_reason": g.ways.as_ref().err(),
                "hit_ns": g.times.map(|t| t.hit_ns),
                "penalty_ns": g.times.map(|t| t.penalty_ns),
                "confidence": g.confidence,
                "reason": null,
                "why": self.why,
            }),
            Err(reason) => json!({
                "verdict": "refused",
                "size": null,
                "size_below": null,
                "line": null,
                "ways": null,
                "ways_reason": null,
                "hit_ns": null,
                "penalty_ns": null,
                "confidence": null,
                "reason": reason,
                "why": self.why,
            }),
        }
    }
}

/// Reads the cache behind a sweep.
pub fn read(saved: &Saved) -> Answer {
    let mut why: Vec<String> = Vec::new();
    let verdict = argue(saved, &mut why);
    Answer { verdict, why }
}

/// The argument in its order; stops at the first step the data do not carry.
fn argue(saved: &Saved, why: &mut Vec<String>) -> Result<Geometry, String> {
    let (mut curve, times) = match Curve::of_misses(saved) {
        Some(curve) => (curve, None),
        None => timing::curve(saved, why).map(|(curve, times)| (curve, Some(times)))?,
    };
    curve.drop_spikes(why);
    curve.is_enough()?;
    let line = line::read(&curve, why)?;
    let level = size::saturation(&curve, line, why)?;
    let size = size::read(&curve, &level, saved, why)?;
    let modelled = saved.source == Some(Source::Model);
    let ways = ways::read(&curve, &level, &size, modelled, why);
    check::agrees(&curve, &level, &size, &ways)?;
    let confidence = words::confidence(saved, &curve, &level, &size, why);
    if let Some(Times { hit_ns, penalty_ns }) = times {
        why.push(words::penalty(hit_ns, penalty_ns));
    }
    Ok(Geometry {
        size: Bytes(size.fits),
        below: Bytes(size.too_large),
        line: Bytes(line),
        ways,
        times,
        confidence,
    })
}

#[cfg(test)]
mod tests;
