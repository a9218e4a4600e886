//! From curves to geometry, with the argument. Given a saved sweep, reads the
//! line, the size and the ways of the cache behind it the way a student is
//! asked to: line where the misses stop doubling, size where they start, ways
//! where they vanish. Where the data cannot decide, the answer is a refusal that
//! says what would be needed.
//!
//! The thresholds were chosen on recorded curves of real machines; each is
//! with its reason where it is used. The ways are read from
//! the whole sweep, not just from some cells.

mod curve;
pub mod exclusive;
mod geometry;
pub mod likelihood;
mod line;
mod sentence;
mod size;
mod timing;
mod ways;
mod words;

use serde_json::json;

use figures::units::Bytes;
use figures::value::Source;
use records::saved::Saved;

use curve::Curve;
use ways::{Allowed, Place, Sweep};

pub use curve::spikes;
pub use exclusive::Sets;
pub use geometry::{Confidence, Geometry, Times};
pub use sentence::{Hint, Sentence};

/// Answer and argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The geometry, or one sentence why it cannot be determined and what would help.
    pub verdict: Result<Geometry, Sentence>,
    /// The argument, sentence by sentence.
    pub why: Vec<Sentence>,
}

impl Answer {
    /// All sentences: the refusal, if it is one, and the argument.
    fn sentences(&self) -> impl Iterator<Item = &Sentence> {
        self.verdict.as_ref().err().into_iter().chain(&self.why)
    }

    /// The answer for scripts; what does not apply is null. `size` is the
    /// smallest size possible, `size_most` the largest, `size_below` the smallest
    /// array that does not fit; `ways` is a number only if every other is
    /// excluded, else `ways_least` and `ways_most` bound it.
    pub fn json(&self) -> serde_json::Value {
        let found = self.verdict.as_ref().ok();
        let ways = found.and_then(|g| g.ways.as_ref().ok());
        json!({
            "verdict": if found.is_some() { "ok" } else { "refused" },
            "size": found.map(|g| g.size),
            "size_most": found.map(|g| g.most),
            "size_below": found.map(|g| g.below),
            "line": found.map(|g| g.line),
            "ways": found.and_then(Geometry::exact_ways),
            "ways_least": ways.map(|w| w.0),
            "ways_most": ways.map(|w| w.1),
            "ways_reason": found.and_then(ways_reason),
            "hit_ns": found.and_then(|g| g.times).map(|t| t.hit_ns),
            "penalty_ns": found.and_then(|g| g.times).map(|t| t.penalty_ns),
            "confidence": found.map(|g| g.confidence),
            "decide": found.map(|g| g.decide.iter().map(|(size, stride)| json!({"size": size, "stride": stride})).collect::<Vec<_>>()),
            "reason": self.verdict.as_ref().err().map(|reason| &reason.text),
            "why": self.why.iter().map(|sentence| &sentence.text).collect::<Vec<_>>(),
            "hints": self.sentences().filter_map(|sentence| sentence.hint.as_ref()).collect::<Vec<_>>(),
        })
    }
}

/// Why there is no single number of ways.
fn ways_reason(found: &Geometry) -> Option<String> {
    match found.ways_text() {
        Ok(_) if found.exact_ways().is_some() => None,
        Ok(ways) => Some(format!("{ways}: these data do not show which")),
        Err(reason) => Some(reason.to_owned()),
    }
}

/// Reads the cache behind a sweep.
pub fn read(saved: &Saved) -> Answer {
    read_behind(saved, None)
}

/// Reads the cache behind a sweep; `above` is the first level, if that is known
/// and the sweep is one of the second.
pub fn read_behind(saved: &Saved, above: Option<Sets>) -> Answer {
    let mut why: Vec<Sentence> = Vec::new();
    let verdict = argue(saved, above, &mut why);
    Answer { verdict, why }
}

/// The argument in its order; stops at the first step the data do not carry.
fn argue(saved: &Saved, above: Option<Sets>, why: &mut Vec<Sentence>) -> Result<Geometry, Sentence> {
    let (mut curve, times) = match (Curve::of_misses(saved), &saved.event) {
        (Some(_), Some(event)) if !saved.counts_misses() => {
            return Err(Sentence::with(
                format!(
                    "The file has counts of {event}, which are not cache misses. Sweep with an event of misses, or time it."
                ),
                Hint::CountMisses,
            ));
        }
        (Some(curve), _) => (curve, None),
        // the times are those of all levels
        (None, Some(event)) => {
            return Err(Sentence::with(
                format!(
                    "Nothing counted {event}, and the times in the file are those of all levels together. Sweep with an \
                 event that this machine counts, or measure the misses by time."
                ),
                Hint::TimeMisses,
            ));
        }
        (None, None) => timing::curve(saved, why).map(|(curve, times)| (curve, Some(times)))?,
    };
    // the event shows the level; below the first, that one is in the way
    curve.behind = saved.event.as_deref().is_some_and(|event| event.contains("L2") || event.contains("L3"));
    curve.drop_spikes(why);
    curve.is_enough()?;
    // given only if the whole sweep agrees with it: what is read from another level's
    // misses is no argument
    let mut argument = Vec::new();
    let line =
        line::read(&curve, &mut argument).map_err(|reason| rounded(saved).map_or(reason, Sentence::from))?;
    let level = size::saturation(&curve, line.bytes, &mut argument)?;
    let modelled = saved.source == Some(Source::Model);
    let size = size::read(&curve, level, modelled, &mut argument)?;
    why.append(&mut argument);
    let place = if curve.behind { Place::Behind(above) } else { Place::First };
    let sweep = Sweep { curve, level, size, modelled, place, translated: times.is_some(), rows: line.rows };
    let allowed = ways::read(&sweep);
    let certain = size.at_size <= size::QUIET && allowed.as_ref().is_ok_and(|allowed| !allowed.odd);
    let mut found = geometry(&sweep, allowed, why);
    if found.decide.is_empty() && sweep.hangs_on_a_row() {
        found.decide = line::another_row(&sweep.curve, line.bytes);
        why.extend(words::deciding(&found.decide, "they show whether another array has the same line"));
    }
    found.times = times;
    found.confidence = words::confidence(saved, &sweep, &found, certain, why);
    if let Some(Times { hit_ns, penalty_ns }) = times {
        why.push(words::penalty(hit_ns, penalty_ns).into());
    }
    Ok(found)
}

/// Decimals from which on the smallest misses of a sweep are not rounded away.
const ENOUGH_DECIMALS: usize = 3;

/// The refusal of a file whose misses have too few digits for a ramp.
fn rounded(saved: &Saved) -> Option<String> {
    let decimals = saved.decimals.filter(|decimals| *decimals < ENOUGH_DECIMALS)?;
    saved.cells.iter().any(|cell| cell.misses.is_some_and(|misses| misses > 0.0)).then(|| {
        format!(
            "The misses have no more than {decimals} decimals, so those of small strides are rounded (1 miss in 64 \
             accesses is 0.015625) and do not double with the stride any more. Give the file as cm1 wrote it, with \
             all its decimals."
        )
    })
}

/// All that is allowed, as intervals.
fn geometry(sweep: &Sweep, allowed: Result<Allowed, Sentence>, why: &mut Vec<Sentence>) -> Geometry {
    let Sweep { level, size, .. } = sweep;
    let unknown = Geometry {
        size: Bytes(size.fits),
        most: Bytes(size.full - 1),
        below: Bytes(size.full),
        line: Bytes(level.line),
        ways: Err(String::new()),
        times: None,
        confidence: Confidence::Low,
        decide: Vec::new(),
    };
    let allowed = match allowed {
        Ok(allowed) => allowed,
        Err(reason) => {
            why.push(Sentence { text: format!("Ways: {reason}"), hint: reason.hint.clone() });
            return Geometry { ways: Err(reason.text), ..unknown };
        }
    };
    why.push(words::ways(sweep, &allowed).into());
    why.extend(words::deciding(&allowed.decide, "it hits in some of these caches and misses in the others"));
    let sizes = || allowed.all.iter().map(|c| c.sets * c.ways * level.line);
    let [mut least, mut most] = [sizes().min(), sizes().max()].map(|size| Bytes(size.unwrap_or_default()));
    let below = Bytes(size.too_large);
    let mut ways = words::bounds(&allowed);
    if !sweep.modelled && least != most {
        // What disturbed cells exclude may be right: no answer is narrower than the rows.
        (least, most) = (least.min(unknown.size), most.max(Bytes(below.0 - 1)));
        for cache in &allowed.all {
            let way = cache.sets * level.line;
            ways.0 = ways.0.min(unknown.size.0.div_ceil(way)).max(1);
            ways.1 = ways.1.max(((below.0 - 1) / way).min(ways::MOST_WAYS));
        }
    }
    Geometry { size: least, most, below, ways: Ok(ways), decide: allowed.decide, ..unknown }
}

#[cfg(test)]
mod tests;
