//! The whole exploration of a memory hierarchy through a [`Probe`].

use super::line::{Partners, line};
use super::plateau::{Plateau, Scan, plateaus, scan, without_translation};
use super::ways::{AGREE, OneSet, Search, Threshold};
use super::{Probe, shuffled, usual_sizes};
use crate::Confidence;
use figures::units::Bytes;

/// Share of the step to the next level from which a working set misses.
const MISSES: f64 = 0.5;
/// Share below which all of it fits.
const FITS: f64 = 0.1;
/// Nor does it all fit if it costs this factor more.
const SLOWER: f64 = 1.15;
/// Share from which nothing of it is left in the cache.
const NONE_FITS: f64 = 0.9;

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
    pub rise: (u64, u64),
    /// Bytes per line, if partner accesses showed it.
    pub line: Option<u64>,
    /// Lines per set, or why they cannot be told.
    pub ways: Result<u64, String>,
    /// Nanoseconds of an access that hits here.
    pub latency: f64,
    /// Nanoseconds that a miss costs more.
    pub penalty: f64,
    /// How far to trust size and ways.
    pub confidence: Confidence,
    /// Cost by size of the working set round the end of this level.
    pub knee: Scan,
    /// Share of a miss that a partner access at each distance costs.
    pub partners: Partners,
    /// The argument.
    pub why: Vec<String>,
}

/// All that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Exploration {
    /// The caches, first level first.
    pub levels: Vec<LevelFound>,
    /// Nanoseconds of an access to memory (or to what lies behind the last
    /// level found).
    pub beyond: Option<f64>,
    /// The scan in which the levels were seen.
    pub scan: Scan,
}

/// Finds the caches behind `probe`, at most `levels` of them.
///
/// # Errors
///
/// A sentence, if the cost shows no level at all.
pub fn explore(probe: &mut impl Probe, levels: usize) -> Result<Exploration, String> {
    let scan = scan(probe);
    let plateaus = without_translation(probe, plateaus(&scan));
    if plateaus.len() < 2 {
        return Err(format!(
            "accesses to working sets up to {} all cost the same ({:.2} ns): no cache is seen",
            Bytes(probe.reach()),
            plateaus.first().map_or(f64::NAN, |p| p.cost)
        ));
    }
    let mut found: Vec<LevelFound> = Vec::new();
    for (level, pair) in (1..).zip(plateaus.windows(2)).take(levels) {
        let cache = cache(probe, &scan, level, [pair[0], pair[1]], found.last());
        found.push(cache);
    }
    let beyond = plateaus.get(found.len()).map(|p| p.cost);
    Ok(Exploration { levels: found, beyond, scan })
}

/// One cache, between the plateau it serves and the next; `above` is the
/// cache before it.
fn cache(
    probe: &mut impl Probe,
    scan: &[(u64, f64)],
    level: usize,
    [fast, slow]: [Plateau; 2],
    above: Option<&LevelFound>,
) -> LevelFound {
    let mut why = Vec::new();
    let (mut line, partners) = line(probe, above.map_or(fast.cost, |a| a.latency), slow);
    why.push(line_sentence(line, &partners));
    if let Some(known) = above.and_then(|a| a.line)
        && (line.is_none() || line > Some(known) && probe.real())
    {
        line = Some(known);
        why.push(format!(
            "Line: taken as {known} bytes, as in the level above: a prefetcher that fetches neighbouring lines hides \
             it."
        ));
    }
    let bytes = line.unwrap_or(64);
    let knee = if fast.to <= probe.finest() {
        fine_knee(probe, fast, slow, bytes)
    } else {
        let sizes = scan.iter().map(|(size, _)| *size).filter(|size| (fast.from..=slow.to).contains(size));
        knee(probe, sizes, bytes, fast, slow)
    };
    let (size, mut range) = size_and_range(&knee, fast, slow);
    why.push(format!(
        "Size: working sets up to {} cost {:.2} ns per access, from {} on more than half the step to {:.2} ns.",
        Bytes(range.0),
        fast.cost,
        Bytes(range.1),
        slow.cost
    ));
    if level > 1 && probe.contiguous() < size {
        let others = if probe.real() && level > 2 { ", and others on a shared level," } else { "" };
        range.1 = range.1.max(8 * size);
        why.push(format!(
            "Size: pages that share sets{others} make it look smaller, so it may have up to {}.",
            Bytes(range.1)
        ));
    }
    let share = probe.noise(level);
    let step = (slow.cost - fast.cost).min(fast.cost);
    let threshold = Threshold { fits_below: fast.cost + share * step };
    let set = lines_of_one_set(probe, threshold, bytes, range, above);
    let mut found = LevelFound {
        level,
        size,
        range,
        rise: range,
        line,
        ways: Err(String::new()),
        latency: fast.cost,
        penalty: slow.cost - fast.cost,
        confidence: Confidence::Medium,
        knee,
        partners,
        why,
    };
    conclude(&mut found, set, bytes, level == 1 && probe.real());
    found
}

/// Looks for the lines of one set in a cache of `low` to `high` bytes.
fn lines_of_one_set(
    probe: &mut impl Probe,
    threshold: Threshold,
    line: u64,
    (low, high): (u64, u64),
    above: Option<&LevelFound>,
) -> Result<OneSet, String> {
    let plain = Search::first(threshold, line);
    let Some(above) = above else { return plain.run(probe, low, high) };
    let page = probe.contiguous();
    if page < high {
        return Err(format!(
            "pages of {} lie anywhere in physical memory, so which lines share a set is not known; huge pages, the \
             hypervisor's too if there is one, would tell",
            Bytes(page)
        ));
    }
    let Ok(held) = above.ways.clone() else {
        return Err("lines of one set can be chosen only behind a level whose own sets are known".to_owned());
    };
    // with more ways than the level above holds of one set, nothing need be
    // driven out of it; else that takes as many other lines, or twice as many
    // where the oldest is not always the one to go
    let way = above.size / held;
    let searches =
        [Search::behind(threshold, line, 2 * held, way), Search::behind(threshold, line, held, way), plain];
    let mut reason = String::new();
    for (search, least) in searches.into_iter().zip([0, 0, held]) {
        match search.run(probe, low, high) {
            Ok(set) if set.ways > least && set.agrees(low, high as f64 * (1.0 + AGREE)) => return Ok(set),
            Ok(set) => reason = disagreement(set, low, high),
            Err(other) => reason = other,
        }
    }
    Err(reason)
}

fn disagreement(set: OneSet, low: u64, high: u64) -> String {
    format!(
        "{} lines of one set at a distance of {} would make {}, but the cost rises between {} and {}: the sets are \
         not picked by the address bits alone, or pages hide them",
        set.ways,
        Bytes(set.way),
        Bytes(set.ways * set.way),
        Bytes(low),
        Bytes(high)
    )
}

/// Brings the size from the knee and the one from the sets together.
fn conclude(found: &mut LevelFound, set: Result<OneSet, String>, line: u64, shared: bool) {
    let (low, high) = found.range;
    found.ways = set.and_then(|set| {
        let size = set.ways * set.way;
        // others on the same cache make it look smaller, never larger
        let most = if shared { 2.0 * high as f64 } else { high as f64 * (1.0 + AGREE) };
        if !set.agrees(low, most) {
            return Err(disagreement(set, low, high));
        }
        found.size = size;
        found.range = (size, size);
        found.confidence = Confidence::High;
        found.why.push(format!(
            "Ways: lines at a distance of {} or a multiple fall into one set: {} fit, {} do not. So {} ways of {} \
             ({} sets of {line} bytes) make {}.",
            Bytes(set.way),
            set.ways,
            set.ways + 1,
            set.ways,
            Bytes(set.way),
            set.way / line,
            Bytes(size)
        ));
        Ok(set.ways)
    });
    if let Err(reason) = &found.ways {
        found.why.push(format!("Ways: not identifiable: {reason}."));
        if high as f64 > 1.3 * low as f64 {
            found.confidence = Confidence::Low;
        }
    }
}

fn line_sentence(line: Option<u64>, partners: &Partners) -> String {
    let shares: Vec<String> = partners.iter().map(|(d, s)| format!("{d} B: {:.0} %", 100.0 * s)).collect();
    let shares = shares.join(", ");
    match line {
        Some(line) => format!(
            "Line: after an access that misses, one nearby hits if it is in the same line. Cost of that partner as a \
             share of a miss, by distance: {shares}. So {line} bytes arrive together."
        ),
        None => format!(
            "Line: the partner's cost by distance ({shares}) has no clear step, so the line cannot be told."
        ),
    }
}

/// Walks up in fine steps from where everything fits to where nothing does. If
/// neighbouring lines are fetched along, every second line is left out: the
/// sets of the others fill at the same size.
fn fine_knee(probe: &mut impl Probe, fast: Plateau, slow: Plateau, line: u64) -> Scan {
    let mut missing = |apart: u64| probe.cost(&shuffled(slow.to / apart, |i| i * apart)) - fast.cost;
    let apart = if missing(line) < 0.8 * missing(2 * line) { 2 * line } else { line };
    let most = (2 * slow.from.max(fast.to)).min(probe.reach());
    knee(probe, usual_sizes((fast.to / 8).max(8 * apart), most, 15).into_iter(), apart, fast, slow)
}

/// Costs of working sets of these sizes, up to the first that nothing of fits.
/// Levels that pick sets by a hash are filled only by all their lines.
fn knee(
    probe: &mut impl Probe,
    sizes: impl Iterator<Item = u64>,
    apart: u64,
    fast: Plateau,
    slow: Plateau,
) -> Scan {
    let mut knee = Scan::new();
    for size in sizes {
        let cost = probe.cost(&shuffled(size / apart, |i| i * apart));
        knee.push((size, cost));
        if share(cost, fast, slow) > NONE_FITS {
            break;
        }
    }
    knee
}

/// How far a cost is from the fast plateau to the slow one.
fn share(cost: f64, fast: Plateau, slow: Plateau) -> f64 {
    (cost - fast.top) / (slow.cost - fast.top)
}

/// The size, and the range it is certainly in: from where all fits to where
/// most misses.
fn size_and_range(knee: &[(u64, f64)], fast: Plateau, slow: Plateau) -> (u64, (u64, u64)) {
    let above = |level: f64| knee.iter().position(|(_, cost)| share(*cost, fast, slow) > level);
    let last = knee.len().saturating_sub(1);
    let half = above(MISSES).unwrap_or(last);
    // a small step may be one of two that lie close together
    let slower = knee.iter().position(|(_, cost)| *cost > SLOWER * fast.top);
    let fits = above(FITS).into_iter().chain(slower).min().unwrap_or(half).min(half).saturating_sub(1);
    let Some(between) = knee.get(fits..half.max(fits + 1)) else { return (fast.to, (fast.to, slow.from)) };
    // a sharp step: the roundest size that is not yet too large. A slow one is
    // the work of pages that share sets (half of the accesses miss when array
    // and cache are equal) or of others on the cache, who make it look smaller
    let sharp = knee[half].0 as f64 <= 1.3 * knee[fits].0 as f64;
    let roundest = |part: &[(u64, f64)]| {
        part.iter().map(|k| k.0).min_by_key(|size| (size >> size.trailing_zeros(), u64::MAX - size))
    };
    if sharp {
        return (roundest(between).unwrap_or(fast.to), (knee[fits].0, knee[half].0));
    }
    let full = above(NONE_FITS).unwrap_or(last);
    let near = knee.get(half.saturating_sub(2)..(half + 3).min(knee.len())).and_then(roundest);
    (near.unwrap_or(knee[half].0), (knee[fits].0, knee[full].0.max(slow.from)))
}
