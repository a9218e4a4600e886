//! Reads a saved sweep the way a student is asked to: line where the misses stop doubling, size where they start, ways
//! where they vanish. The ways are read from the whole sweep, not just from some cells. Where the data cannot decide,
//! the answer is a refusal that says what would be needed.

pub(crate) mod answer;
mod argument;
pub(crate) mod grid;
mod line;
pub(crate) mod sentence;
mod size;
mod timing;
mod ways;

use figures::units::Bytes;
use figures::value::Source;
use records::saved::Saved;

use super::Confidence;
use answer::{Answer, Geometry};
use grid::Curve;
use sentence::{Hint, Sentence};
use ways::{Allowed, Sweep};

/// Reads the cache behind a sweep.
pub fn read(saved: &Saved) -> Answer {
    let mut why: Vec<Sentence> = Vec::new();
    let verdict = argue(saved, &mut why);
    Answer { verdict, why }
}

/// The argument in its order; stops at the first step the data do not carry.
fn argue(saved: &Saved, why: &mut Vec<Sentence>) -> Result<Geometry, Sentence> {
    let (mut curve, times) = match (Curve::of_misses(saved), &saved.event) {
        (Some(_), Some(event)) if !saved.counts_misses() => {
            return Err(Sentence::with(
                format!(
                    "The file has counts of {event}, which are not cache misses. Sweep with an event of misses, or time it."
                ),
                Hint::OtherEvent,
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
                Hint::OtherEvent,
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
    let modelled = saved.source == Some(Source::Model);
    let line = line::read(&curve, modelled, &mut argument)?;
    let level = size::saturation(&curve, line.bytes, &mut argument)?;
    let size = size::read(&curve, level, modelled, &mut argument)?;
    why.append(&mut argument);
    let sweep = Sweep { curve, level, size, modelled, translated: times.is_some(), rows: line.rows };
    let allowed = ways::read(&sweep);
    let certain = allowed.as_ref().is_ok_and(|allowed| !allowed.odd);
    let mut found = geometry(&sweep, allowed, why);
    if found.decide.is_empty() && sweep.hangs_on_a_row() {
        found.decide = line::another_row(&sweep.curve, line.bytes);
        why.extend(argument::deciding(&found.decide, "they show whether another array has the same line"));
    }
    found.times = times;
    found.confidence = argument::confidence(saved, &sweep, &found, certain, why);
    Ok(found)
}

/// The largest first level (Apple's M1). A level behind one that holds none of its lines (exclusive) looks larger by it.
const LARGEST_FIRST: u64 = 128 << 10;

/// All that is allowed, as intervals.
fn geometry(sweep: &Sweep, allowed: Result<Allowed, Sentence>, why: &mut Vec<Sentence>) -> Geometry {
    let Sweep { level, size, .. } = sweep;
    let unknown = Geometry {
        size: Bytes(size.fits),
        most: Bytes(size.full - 1),
        below: Bytes(size.full),
        line: line::open(&sweep.curve, sweep.modelled, level.line).map_or(Ok(Bytes(level.line)), Err),
        ways: Err(String::new()),
        times: None,
        confidence: Confidence::Low,
        decide: Vec::new(),
    };
    let allowed = match allowed {
        Ok(allowed) => allowed,
        Err(reason) => {
            why.push(Sentence { text: format!("Ways: {}", reason.text), hint: reason.hint });
            return Geometry { ways: Err(reason.text), ..unknown };
        }
    };
    why.push(argument::ways(sweep, &allowed).into());
    why.extend(argument::deciding(
        &allowed.decide,
        "it hits in some of these caches and misses in the others",
    ));
    let sizes = || allowed.all.iter().map(|c| c.sets * c.ways * level.line);
    let [mut least, mut most] = [sizes().min(), sizes().max()].map(|size| Bytes(size.unwrap_or_default()));
    let below = Bytes(size.too_large);
    let mut ways = argument::bounds(&allowed);
    if !sweep.modelled && least != most {
        // What disturbed cells exclude may be right: no answer is narrower than the rows.
        (least, most) = (least.min(unknown.size), most.max(Bytes(below.0 - 1)));
        for cache in &allowed.all {
            let way = cache.sets * level.line;
            ways.0 = ways.0.min(unknown.size.0.div_ceil(way)).max(1);
            ways.1 = ways.1.max(((below.0 - 1) / way).min(sweep.most_ways()));
        }
    }
    if sweep.curve.behind {
        let above = LARGEST_FIRST.min(least.0 / 2);
        ways.0 = (ways.0 * (least.0 - above)).div_ceil(least.0);
        least = Bytes(least.0 - above);
    }
    Geometry { size: least, most, below, ways: Ok(ways), decide: allowed.decide, ..unknown }
}

#[cfg(test)]
mod tests;
