//! The closing sentences: the geometry in words, what would decide it, and how
//! far to trust it.

use super::answer::Geometry;
use super::sentence::{Hint, Sentence};
use super::ways::{Allowed, Sweep};
use crate::Confidence;
use figures::units::Bytes;
use records::saved::Saved;

/// What the strides say of the ways.
pub(super) fn ways(Sweep { curve, level, size, translated, .. }: &Sweep, allowed: &Allowed) -> String {
    let row = curve.sizes().rev().find(|s| *s >= 2 * size.fits).unwrap_or(size.too_large);
    let cells: Vec<(u64, f64)> = curve.row(row).into_iter().filter(|c| c.0 >= level.line).collect();
    let last = cells.iter().rposition(|(_, misses)| *misses > 0.5 * level.misses);
    let shown = match last.and_then(|last| cells.get(last + 1)) {
        Some((stride, _)) => format!(
            "misses vanish from stride {} on: there its {} lines share few sets and fit",
            Bytes(*stride),
            row / stride
        ),
        None => "the misses vanish at no stride".to_owned(),
    };
    let ways = match bounds(allowed) {
        (1, 1) => "1 way (direct-mapped)".to_owned(),
        (least, most) if least == most => format!("{least} ways"),
        (least, most) => format!("{least} to {most} ways"),
    };
    let mut text =
        format!("Ways: in the array of {} {shown}. Only caches of {ways} give all rows.", Bytes(row));
    if allowed.odd {
        text += " Caches whose number of sets is not a power of two would give them too, but real caches pick the set by \
                 address bits.";
    }
    if *translated {
        text +=
            " At strides of a page or more the TLB may miss too, so misses of many pages exclude nothing.";
    }
    text
}

/// The fewest and the most ways of those allowed.
pub(super) fn bounds(allowed: &Allowed) -> (u64, u64) {
    let ways = || allowed.all.iter().map(|c| c.ways);
    (ways().min().unwrap_or(0), ways().max().unwrap_or(0))
}

/// The cells that would decide more, and `because` of what.
pub(super) fn deciding(decide: &[(u64, u64)], because: &str) -> Option<Sentence> {
    let strides: Vec<String> = decide.iter().map(|cell| cell.1.to_string()).collect();
    decide.first().map(|(array, _)| {
        let text = format!(
            "To decide, measure an array of {array} bytes at stride {}: {because}.",
            strides.join(" and ")
        );
        Sentence::with(text, Hint::Cells)
    })
}

/// Largest odd factor of the number of ways of most caches: 8, 12 and 16 ways are usual. Other programs that use some
/// ways all the time leave another number.
const ROUND_WAYS: u64 = 3;

/// How far to trust the answer, and in words what it rests on.
pub(super) fn confidence(
    saved: &Saved,
    sweep: &Sweep,
    geometry: &Geometry,
    certain: bool,
    why: &mut Vec<Sentence>,
) -> Confidence {
    let (line, measured) = (sweep.level.line, !sweep.modelled);
    let ways = geometry.exact_ways().unwrap_or(1);
    let open = if geometry.size == geometry.most { "ways" } else { "size" };
    let is_open = open == "size" || geometry.exact_ways().is_none() && geometry.ways.is_ok();
    // whether it applies, the highest confidence left, its sentence, and what would help
    let limits = [
        (
            measured && ways >> ways.trailing_zeros() > ROUND_WAYS,
            Confidence::Medium,
            format!(
                "few caches have {ways} ways; other programs that use the others all the time leave such a number."
            ),
            None,
        ),
        (
            measured && line > 64 && geometry.line.is_ok(),
            Confidence::Medium,
            format!(
                "a prefetcher that fetches the next line makes a line look twice as long, so it may have {} bytes.",
                line / 2
            ),
            None,
        ),
        (
            sweep.hangs_on_a_row(),
            Confidence::Medium,
            "the rows of a single array show the line, and a disturbance of two of its cells would look the same."
                .to_owned(),
            Some(Hint::MoreRuns),
        ),
        (is_open, Confidence::Low, format!("the data do not decide the {open} within these bounds."), None),
        (
            sweep.curve.behind && geometry.ways.is_ok(),
            Confidence::Low,
            "a level that does not hold the lines of the level above (exclusive) looks larger by that level's size, so the \
             smaller sizes and ways are possible too."
                .to_owned(),
            Some(Hint::Exclusive),
        ),
        (
            sweep.curve.timed && saved.cells.iter().all(|cell| cell.misses.is_none()),
            Confidence::Medium,
            "the curve shows times, not misses; prefetching and other levels can change them.".to_owned(),
            None,
        ),
    ];
    let mut confidence = if certain { Confidence::High } else { Confidence::Medium };
    for (_, most, sentence, hint) in limits.into_iter().filter(|limit| limit.0) {
        confidence = confidence.min(most);
        why.push(Sentence { text: format!("Confidence: {sentence}"), hint });
    }
    confidence
}
