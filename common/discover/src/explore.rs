//! The whole exploration of a memory hierarchy through a [`Probe`].

use super::found::{Exploration, LevelFound, Why};
use super::probe::Probe;
use super::scan::{
    DISTANCES, Knee, LINE_DISTANCE, Partners, Plateau, fine_knee, knee, line, plateaus, scan, size_of,
};
use super::ways::{Search, lines_of_one_set};
use figures::units::Bytes;
use infer::{Confidence, Sets};

/// Where pages are smaller than a way, lines that seem to be of one set are so if
/// this share of the size fits in one piece: pages that lie anywhere would
/// overfill some sets.
const KNEE: f64 = 0.9;

/// Bytes of a line that is not known.
const ANY_LINE: u64 = 64;

/// The largest working sets that are walked in fine steps, of real memory and of a model.
const FINEST: u64 = 4 << 20;
const FINEST_MODELLED: u64 = 16 << 20;

/// Finds the caches behind `probe`, at most `levels` of them.
/// Fails, with a sentence, if the cost shows no level at all.
pub fn explore(probe: &mut impl Probe, levels: usize) -> Result<Exploration, String> {
    let mut scan = self::scan(probe, LINE_DISTANCE);
    let mut plateaus = self::plateaus(&scan, probe.contiguous());
    if plateaus.len() < 2 {
        return Err(format!(
            "accesses to working sets up to {} all cost the same ({:.2} ns): no cache is seen",
            Bytes(probe.reach()),
            plateaus.first().map_or(f64::NAN, |p| p.cost)
        ));
    }
    let mut found: Vec<LevelFound> = Vec::new();
    while found.len() < levels && found.len() + 1 < plateaus.len() {
        let pair = [plateaus[found.len()], plateaus[found.len() + 1]];
        let mut level = cache(probe, &scan, found.len() + 1, pair, found.last());
        // working sets that fit into known sets are of this level: the TLB makes them slower
        if level.ways.is_ok() && pair[1].to <= level.size && found.len() + 2 < plateaus.len() {
            plateaus.remove(found.len() + 1);
            level.penalty = plateaus[found.len() + 1].cost - level.latency;
        }
        found.push(level);
        // few lines, far apart, fill one set as any others do, and hide the next levels
        if let [LevelFound { line: Some(line), ways: Ok(ways), size, .. }] = found[..]
            && ways * line == size
        {
            let together = self::scan(probe, line);
            let rises = self::plateaus(&together, probe.contiguous());
            if rises.len() > 1 {
                (scan, plateaus) = (together, rises);
            }
        }
    }
    let beyond = plateaus.last().copied().filter(|_| found.len() + 1 == plateaus.len());
    Ok(Exploration { levels: found, beyond, scan, runs: 1, first_only: false })
}

/// One cache, between the plateau it serves and the next; `above` is the
/// cache before it.
fn cache(
    probe: &mut impl Probe,
    scan: &[(u64, f64)],
    level: usize,
    step: [Plateau; 2],
    above: Option<&LevelFound>,
) -> LevelFound {
    let (mut why, [fast, slow]) = (Vec::new(), step);
    let line = match above {
        // prefetchers fetch adjacent lines of the levels below
        Some(above) if probe.real() => {
            why.push(Why::Line("taken as that of the level above: prefetchers hide it.".to_owned()));
            above.line
        }
        _ => {
            let (line, partners) = line(probe, above.map_or(fast.cost, |a| a.latency), slow);
            why.push(line_sentence(line, &partners));
            line
        }
    };
    let bytes = line.unwrap_or(ANY_LINE);
    // behind scattered pages the cost rises slowly, and walks of such pages show more
    let scattered = level > 1 && probe.contiguous() < fast.to;
    let finest = if probe.real() { FINEST } else { FINEST_MODELLED };
    let knee = if fast.to <= finest && !scattered {
        fine_knee(probe, step, bytes)
    } else {
        let sizes = scan.iter().map(|(size, _)| *size).filter(|size| (fast.from..=slow.to).contains(size));
        knee(probe, sizes, bytes, step)
    };
    let Knee { size, low, high, sharp } = size_of(&knee, step);
    why.push(Why::Size(format!(
        "up to {} an access costs {:.2} ns; from {} on it costs more than half way to {:.2} ns.",
        Bytes(low),
        fast.cost,
        Bytes(high),
        slow.cost
    )));
    let mut found = LevelFound {
        level,
        size,
        range: (low, high),
        knee_range: (low, high),
        line,
        ways: Err(String::new()),
        latency: fast.cost,
        latencies: (fast.cost, fast.cost),
        agree: 1,
        penalty: slow.cost - fast.cost,
        confidence: if sharp { Confidence::Medium } else { Confidence::Low },
        knee,
        why,
    };
    if level > 1 && probe.contiguous() < size {
        found.range.1 = high.max(8 * size);
        found.why.push(Why::Open(format!(
            "pages that share sets make it look smaller, so it may have up to {}.",
            Bytes(found.range.1)
        )));
    }
    if level > 2 && probe.real() {
        found.range.1 = u64::MAX;
        found.why.push(Why::Size(
            "others use it too, and it may reach beyond these experiments, so it may be larger.".to_owned(),
        ));
    }
    let fits_below = fast.cost + noise(probe.real(), level) * found.penalty.min(fast.cost);
    let set = match above {
        Some(above) => lines_of_one_set(probe, fits_below, bytes, (low, high), above),
        None => first(probe, fits_below, &mut found).map(|set| (set, 0)),
    };
    conclude(&mut found, set, sharp);
    if level == 1 && probe.real() && found.ways.is_err() && found.line.take().is_some() {
        found.why.push(Why::Line(
            "no lines of one set confirm it, so only what arrives together is known.".to_owned(),
        ));
    }
    if level > 1 && probe.real() && found.ways.is_err() {
        found.range.1 = found.range.1.max(2 * high);
    }
    if let Some(above) = above
        && found.ways.is_err()
    {
        found.range.0 = found.range.0.saturating_sub(above.size);
        found.why.push(Why::Open(format!("{}.", infer::exclusive::less(above.size))));
    }
    if level == 1 && found.sets().is_ok_and(|sets| sets.way > probe.contiguous()) {
        found.confidence = found.confidence.min(Confidence::Medium);
    }
    found
}

/// How far, as a share of the step to the next level, a cost may be off: what is less is no miss.
/// In the first level times vary by a few percent; beyond it way prediction and TLB add up to a
/// quarter of the step.
fn noise(real: bool, level: usize) -> f64 {
    match (real, level) {
        (false, _) => 0.01,
        (true, 1) => 0.2,
        (true, _) => 0.35,
    }
}

/// The lines of one set of the first level, and the line by their conflicts.
fn first(probe: &mut impl Probe, fits_below: f64, found: &mut LevelFound) -> Result<Sets, String> {
    let ((low, high), arriving) = (found.knee_range, found.line);
    let search = Search::plain(fits_below, arriving.unwrap_or(ANY_LINE));
    let set = match search.run(probe, low, high) {
        Err(reason) => return search.only_set(probe, low).filter(|_| arriving.is_some()).ok_or(reason),
        Ok(set) => set,
    };
    if set.way > probe.contiguous() && !(KNEE..=1.0).contains(&(low as f64 / set.size() as f64)) {
        return Err(format!(
            "lines at a distance of {} are in pages of {}, which are scattered in physical memory, so whether they share \
             a set is not known",
            Bytes(set.way),
            Bytes(probe.contiguous())
        ));
    }
    found.line = match search.line_of(probe, set, &DISTANCES) {
        // real prefetchers may bring another line into the full set at any distance
        None if probe.real() => arriving,
        conflicting => conflicting.filter(|bytes| arriving.is_none_or(|arriving| *bytes <= arriving)),
    };
    match found.line {
        Some(bytes) if found.line != arriving => found.why.push(Why::Line(format!(
            "an extra line conflicts with {} lines of one set only if it begins less than {bytes} bytes after \
             one, so that is the line; more bytes may arrive together because of prefetching.",
            set.ways,
        ))),
        None => found
            .why
            .push(Why::Line("conflicts in one set do not confirm it, so it is not known.".to_owned())),
        _ => {}
    }
    Ok(set)
}

/// Brings the size from the knee and the one from the sets together: what
/// contradicts itself is refused.
fn conclude(found: &mut LevelFound, sets: Result<(Sets, u64), String>, sharp: bool) {
    let (low, high) = found.knee_range;
    found.ways = sets.and_then(|(set, above)| {
        let size = set.size();
        let allowed = low..if sharp { high } else { 2 * high };
        if !allowed.contains(&(size + above)) {
            found.range = (found.range.0.min(size), found.range.1.max(2 * size));
            return Err(format!(
                "{} lines of one set at a distance of {} would make {}, but the cost rises between {} and {}: the sets \
                 are not picked by the address bits alone, or pages or other programs hide them",
                set.ways,
                Bytes(set.way),
                Bytes(size),
                Bytes(low),
                Bytes(high)
            ));
        }
        found.size = size;
        found.range = (size, size);
        found.confidence = if sharp { Confidence::High } else { Confidence::Medium };
        let where_from = if Some(set.way) == found.line {
            "lines at any distance fall into one set (fully associative)".to_owned()
        } else {
            format!("lines at a distance of {} or a multiple fall into one set", Bytes(set.way))
        };
        let exclusive = if above > 0 {
            found.confidence = Confidence::Medium;
            " More fit while the level above holds some, as many as it has ways: this level stores none of its lines \
             (exclusive)."
        } else {
            ""
        };
        found.why.push(Why::Ways(format!(
            "{where_from}: {} fit, {} do not. So {} ways of {} make {}.{exclusive}",
            set.ways,
            set.ways + 1,
            set.ways,
            Bytes(set.way),
            Bytes(size)
        )));
        Ok(set.ways)
    });
    if let Err(reason) = &found.ways {
        found.why.push(Why::NoWays(reason.to_string()));
        found.confidence = Confidence::Low;
    }
}

fn line_sentence(line: Option<u64>, partners: &Partners) -> Why {
    // plus 0: there is no share of -0 %
    let percent =
        |(distance, share): &(u64, f64)| format!("{distance} B: {:.0} %", (100.0 * share).round() + 0.0);
    let shares = partners.iter().map(percent).collect::<Vec<_>>().join(", ");
    Why::Line(match line {
        Some(line) => format!(
            "after an access that misses, one nearby hits if it is in the same line. Cost of that partner as a \
             share of a miss, by distance: {shares}. So {line} bytes arrive together."
        ),
        None => format!(
            "the partner's cost by distance ({shares}) has no clear step, so it does not show the line."
        ),
    })
}
