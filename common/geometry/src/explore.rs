//! One exploration of a memory hierarchy through a [`Probe`].

use super::Confidence;
use super::level::{Argument, Exploration, LevelFound};
use super::one_set::{Search, Sets};
use super::probe::{Probe, usual_sizes};
use super::rise::{FITS, FITS_BEHIND_PAGES, Plateau, SAME, plateaus};
use super::scan::{DISTANCES, Partners, Step, end_of_level, line, scan};
use figures::units::Bytes;

/// A rise from all to most misses within this factor is one cache's own: a slow rise is the work of pages that share
/// sets, or of other programs.
const SHARP: f64 = 1.3;

/// Times in the first level vary by a few percent, and what costs less than this share of a miss more is none.
const NOISE: f64 = 0.2;

/// Bytes of a line that is not known.
pub(super) const ANY_LINE: u64 = 64;

/// Largest odd factor of the sizes walked where a level ends: four sizes in each doubling.
const ODD: u64 = 7;

/// Bytes looked at for the first level alone: a plateau behind the largest there is, 128 KiB.
const NEAR: u64 = 4 << 20;

/// Finds the caches behind `probe`, at most `levels` of them.
/// Fails, with a sentence, if the cost shows no level at all.
pub fn explore(probe: &mut impl Probe, levels: usize) -> Result<Exploration, String> {
    let to = if levels == 1 { probe.reach().min(NEAR) } else { probe.reach() };
    let scan = self::scan(probe, to);
    let mut plateaus = self::plateaus(&scan, SAME);
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
        let level = match found.last() {
            Some(above) => further_level(probe, pair, above),
            None => {
                let mut level = first_level(probe, pair);
                // working sets that fit into known sets are of this level: the TLB makes them slower
                if level.exact_size().is_some_and(|size| pair[1].to <= size) && plateaus.len() > 2 {
                    plateaus.remove(1);
                    level.penalty = plateaus[1].cost - level.latency;
                }
                level
            }
        };
        found.push(level);
    }
    let beyond = plateaus.last().copied().filter(|_| found.len() + 1 == plateaus.len());
    Ok(Exploration { levels: found, beyond, scan, first_only: false })
}

/// The first level, which ends between two plateaus.
fn first_level(probe: &mut impl Probe, pair: [Plateau; 2]) -> LevelFound {
    let [fast, slow] = pair;
    let (arriving, partners) = line(probe, fast.cost, slow);
    let bytes = arriving.unwrap_or(ANY_LINE);
    let end = end_of_level(probe, pair, bytes, fast.to / 8, ODD);
    let rise = Step::between(pair).rise(&end, FITS);
    let (low, high) = (rise.fits.unwrap_or(fast.from), rise.most_misses.unwrap_or(slow.from));
    let is_sharp = high as f64 <= SHARP * low as f64;
    let search = Search { fits_below: Step::between(pair).fits_below(NOISE), line: bytes };
    let mut level = LevelFound {
        range: (low, high),
        fits: low,
        line: arriving,
        confidence: if is_sharp { Confidence::High } else { Confidence::Medium },
        why: Argument { line: partner_sentence(arriving, &partners), ..Argument::default() },
        ..LevelFound::between(1, pair.map(|plateau| plateau.cost), &end)
    };
    match first_sets(probe, &search, &mut level).and_then(|set| conclude(&mut level, set, is_sharp)) {
        Ok(ways) => level.ways = Ok(ways),
        Err(reason) => {
            level.why.ways = format!("not identifiable: {reason}.");
            (level.ways, level.confidence) = (Err(reason), Confidence::Low);
            interval(&mut level, None);
            if level.line.take().is_some() {
                level.why.line +=
                    " But no lines of one set confirm it, so only what arrives together is known.";
            }
        }
    }
    level
}

/// The lines of one set of the first level, and the line by their conflicts.
fn first_sets(probe: &mut impl Probe, search: &Search, level: &mut LevelFound) -> Result<Sets, String> {
    let ((low, high), arriving) = (level.range, level.line);
    let set = search.run(probe, low, high)?;
    // pages may pick the sets of such lines
    if set.way > probe.contiguous() {
        level.confidence = Confidence::Medium;
    }
    level.line = match search.line_of(probe, set, &DISTANCES) {
        // a prefetcher may bring another line into the full set at any distance
        None => arriving,
        conflicting => conflicting.filter(|bytes| arriving.is_none_or(|arriving| *bytes <= arriving)),
    };
    match level.line {
        Some(bytes) if level.line != arriving => {
            level.why.line = format!(
                "an extra line conflicts with {} lines of one set only if it begins less than {bytes} bytes after \
                 one, so that is the line; more bytes may arrive together because of prefetching.",
                set.ways,
            );
        }
        None => level.why.line = "conflicts in one set do not confirm it, so it is not known.".to_owned(),
        _ => {}
    }
    Ok(set)
}

/// Brings the size from the rise and the one from the sets together: what contradicts itself is refused.
fn conclude(level: &mut LevelFound, set: Sets, is_sharp: bool) -> Result<u64, String> {
    let ((low, high), size) = (level.range, set.size());
    if !(low..if is_sharp { high } else { 2 * high }).contains(&size) {
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
    level.why.ways = format!(
        "lines at a distance of {} or a multiple fall into one set: {} fit, {} do not.",
        Bytes(set.way),
        set.ways,
        set.ways + 1
    );
    level.why.size = vec![format!(
        "the ways give it exactly: {} ways of {} are {}.",
        set.ways,
        Bytes(set.way),
        Bytes(size)
    )];
    level.range = (size, size);
    Ok(set.ways)
}

/// A level below `above`, which ends between two plateaus.
fn further_level(probe: &mut impl Probe, pair: [Plateau; 2], above: &LevelFound) -> LevelFound {
    let end = end_of_level(probe, pair, above.line.unwrap_or(ANY_LINE), pair[0].to / 2, ODD);
    let mut level = LevelFound {
        ways: Err(NO_SETS.to_owned()),
        why: Argument { line: NO_LINE.to_owned(), ways: format!("{NO_SETS}."), ..Argument::default() },
        ..LevelFound::between(above.level + 1, pair.map(|plateau| plateau.cost), &end)
    };
    interval(&mut level, Some(above));
    level
}

const NO_LINE: &str = "prefetchers hide it. Most machines have the same line in all levels.";
const NO_SETS: &str =
    "after the first level, physical addresses pick the sets, and no walk shows these addresses";

/// Other programs may hold a quarter of a level all the time: it is so much larger than it looks.
const OTHERS: f64 = 4.0 / 3.0;
/// Hits of one level differ by at most this factor between experiments. Where they take so much longer than misses of the
/// level above, the level between was not seen.
pub(super) const SAME_LEVEL: f64 = 1.5;
/// In a rise of this factor another level may end: Skylake SP's part of L3 has 1.4 times the size of its L2.
const WIDE: u64 = 3;

/// The interval of sizes of a level whose sets are not known, by the rise at its end.
pub(super) fn interval(level: &mut LevelFound, above: Option<&LevelFound>) {
    let miss = level.latency + level.penalty;
    let unseen =
        above.map(|above| above.latency + above.penalty).filter(|miss| level.latency > SAME_LEVEL * miss);
    let hit = unseen.unwrap_or(level.latency);
    let rise = Step { hit, miss }.rise(&level.end, if above.is_some() { FITS_BEHIND_PAGES } else { FITS });
    level.fits = rise.fits.unwrap_or(0);
    // the largest working set that fits in both
    let exclusive = above.map_or(0, |above| above.exact_size().unwrap_or(above.fits));
    let gone = rise.gone.filter(|_| level.level < 3);
    let others = |gone: u64| usual_sizes((gone as f64 * OTHERS) as u64, 2 * gone, ODD).first().copied();
    // What rises where the level above ends is that level's own rise.
    let is_below = above.is_none() || level.fits > exclusive;
    let high = gone.filter(|_| is_below).and_then(others);
    let low = if is_below { level.fits - exclusive } else { exclusive };
    level.range = (low, high.unwrap_or(u64::MAX));
    let end = match rise.gone {
        Some(gone) => format!("from {} on about the {miss:.1} ns of a miss", Bytes(gone)),
        None => format!("and it does not reach the {miss:.1} ns of a miss"),
    };
    level.why.size = vec![format!(
        "up to {} an access costs about {hit:.1} ns, {end}: the level ends on this rise.",
        Bytes(level.fits)
    )];
    let mut say = |sentence: String| level.why.size.push(sentence);
    if !is_below {
        say("The level above ends there, too, so the experiments do not show this one separately.".to_owned());
    } else if exclusive > 0 {
        say(format!(
            "If it stores none of the lines of the level above (exclusive), it is smaller by that level's {}.",
            Bytes(exclusive)
        ));
    }
    match high {
        Some(high) => {
            say(format!("Other programs may use a part of it, so it may have up to {}.", Bytes(high)));
        }
        None => say("It may reach beyond these experiments, so it may be larger.".to_owned()),
    }
    if rise.gone.is_some_and(|gone| gone >= WIDE * level.fits) {
        say("The rise is wide: another level may end in it, and a miss may then cost less.".to_owned());
    }
}

fn partner_sentence(line: Option<u64>, partners: &Partners) -> String {
    // plus 0: there is no share of -0 %
    let percent =
        |(distance, share): &(u64, f64)| format!("{distance} B: {:.0} %", (100.0 * share).round() + 0.0);
    let shares = partners.iter().map(percent).collect::<Vec<_>>().join(", ");
    match line {
        Some(line) => format!(
            "after an access that misses, one nearby hits if it is in the same line. Cost of that partner as a \
             share of a miss, by distance: {shares}. So {line} bytes arrive together."
        ),
        None => format!(
            "the partner's cost by distance ({shares}) has no clear step, so it does not show the line."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sizes on the rise behind the first level may cost the same by chance: they are no second level.
    #[test]
    fn the_rise_of_a_level_is_not_taken_for_the_next_one() {
        let known = (48 << 10, 48 << 10);
        let first = LevelFound { range: known, fits: known.0, ..LevelFound::between(1, [1.0, 5.0], &[]) };
        for (end, range) in [
            (&[(40 << 10, 1.0), (48 << 10, 1.1), (56 << 10, 4.0), (60 << 10, 5.0)][..], (48 << 10, u64::MAX)),
            (&[(64 << 10, 1.0), (1 << 20, 1.1), (2 << 20, 5.0)], ((1 << 20) - (48 << 10), 3 << 20)),
        ] {
            let mut second = LevelFound::between(2, [1.0, 5.0], end);
            interval(&mut second, Some(&first));
            assert_eq!(second.range, range);
        }
    }
}
