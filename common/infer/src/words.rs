//! The closing sentences: the geometry in words, what would decide it, and how
//! far to trust it.

use super::sentence::{Hint, Sentence};
use super::ways::{Allowed, Candidate, Place, Sweep};
use super::{Confidence, Geometry};
use figures::units::Bytes;
use records::saved::Saved;

/// Candidates named one by one, at most.
const NAMED: usize = 4;

impl Geometry {
    /// The size as the data show it: `48 KiB`, or `32 KiB to less than 64 KiB`.
    pub fn size_text(&self) -> String {
        if self.size == self.most {
            return self.size.to_string();
        }
        format!("{} to less than {}", self.size, self.below)
    }

    /// The ways as the data show them: `12`, or `8 to 15`; or why there are none.
    pub fn ways_text(&self) -> Result<String, &str> {
        match &self.ways {
            Ok((least, most)) if least == most => Ok(least.to_string()),
            Ok((least, most)) => Ok(format!("{least} to {most}")),
            Err(reason) => Err(reason),
        }
    }

    /// The number of ways, if the data exclude every other.
    pub fn exact_ways(&self) -> Option<u64> {
        self.ways.as_ref().ok().filter(|(least, most)| least == most).map(|ways| ways.0)
    }
}

/// What the strides say of the ways.
pub(super) fn ways(Sweep { curve, level, size, .. }: &Sweep, allowed: &Allowed) -> String {
    let (least, most) = bounds(allowed);
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
    let named = |cache: &Candidate| {
        let exclusive = if cache.above.is_some() { ", exclusive" } else { "" };
        let size = Bytes(cache.ways * cache.sets * cache.line);
        format!("{size} of {} x {} sets{exclusive}", cache.ways, cache.sets)
    };
    let each: Vec<String> = allowed.all.iter().take(NAMED).map(named).collect();
    let others = match allowed.all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let ways = match (least, most) {
        (1, 1) => "1 way, direct-mapped".to_owned(),
        _ if least == most => format!("{least} ways"),
        _ => format!("{least} to {most} ways"),
    };
    let odd = if allowed.odd {
        " Caches whose number of sets is not a power of two would give them too, but real caches pick the set by \
         address bits."
    } else {
        ""
    };
    let translation = if allowed.translation {
        " Some cells at strides of a page or more cost as much as a miss with fewer lines of a set than that: the TLB may \
         miss there, and times do not distinguish its misses from those of a set."
    } else {
        ""
    };
    format!(
        "Ways: in the array of {} {shown}. Of all caches only {}{others} give such rows: {ways}.{odd}{translation}",
        Bytes(row),
        each.join(", ")
    )
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
        Sentence::with(text, Hint::Cells(decide.to_vec()))
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
    let (line, measured) = (geometry.line.0, !sweep.modelled);
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
            measured && line > 64,
            Confidence::Medium,
            format!(
                "a prefetcher that fetches the next line makes a line look twice as long; experiments can test whether \
                 {line} bytes are one line."
            ),
            Some(Hint::Experiments),
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
            !is_open && sweep.place == Place::Behind(None),
            Confidence::Low,
            "if this level does not hold the lines of the level above (exclusive), size and ways are those of both \
             together. Give a sweep of the level above too."
                .to_owned(),
            Some(Hint::LevelAbove),
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

/// Hit time and miss penalty.
pub(super) fn penalty(hit_ns: f64, penalty_ns: f64) -> String {
    format!(
        "Times: an access that hits takes {hit_ns:.4} ns, one that misses {:.4} ns; the miss penalty is \
         {penalty_ns:.4} ns.",
        hit_ns + penalty_ns
    )
}
