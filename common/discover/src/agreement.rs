//! Runs of all experiments until they agree.

use super::congruent::{UNKNOWN_ABOVE, congruent};
use super::explore::explore;
use super::found::{Exploration, LevelFound, Why};
use super::probe::{Probe, Steady};
use super::scattered::{Walks, walks};
use figures::units::Bytes;
use infer::{Confidence, Sets};

/// Runs of real experiments, at most: more do not help where a dozen did not.
const MOST_RUNS: usize = 12;
/// Runs in a row that must agree on a level for confidence.
const AGREEING: usize = 2;
/// Runs in a row that must agree on a level for the highest confidence.
const SURE: usize = 3;
/// Bytes looked at for the first level: 8 times the largest there is, and what
/// lies behind it.
const NEAR: u64 = 8 << 20;
/// Share of the time after which the first level must do with the runs it had.
const FIRST: f64 = 0.4;
/// Share of the time in which runs are repeated although they agree: another program that runs
/// most of the time pauses now and then.
const CHALLENGED: f64 = 0.6;
/// Share of the time after which no run of all levels is begun.
const REPEATED: f64 = 0.75;
/// Share of the time on the processor from which on others had too little of it to be there in every run.
const ALONE: f64 = 0.9;

const TOO_SLOW: &str = "the time for experiments ended before the cost of any cache rose; give more \
                        (--seconds), or use an idle machine";

/// Explores again and again, each pattern at its least cost so far, until
/// enough runs agree or `probe` has spent its time: the first level alone, then
/// all of them. A model, whose costs do not change, is explored once.
/// Fails, with a sentence, if the cost shows no level at all.
pub fn explore_repeatedly(probe: &mut impl Probe, levels: usize) -> Result<Exploration, String> {
    if !probe.real() {
        let mut run = explore(probe, levels)?;
        let curve = walks(probe, &run);
        let sets = behind_pages(probe, &run.levels, curve.as_ref(), 1);
        run.take_in(curve, sets, levels, false);
        return Ok(run);
    }
    let mut steady = Steady::new(probe);
    let reach = steady.reach;
    steady.reach = reach.min(NEAR);
    let (mut runs, mut reason) = (Vec::new(), None);
    let mut collect =
        |steady: &mut Steady<_>, depth, runs: &mut Vec<Exploration>| match explore(steady, depth) {
            Ok(run) if steady.spent() < 1.0 => runs.push(run),
            Ok(_) => {}
            Err(said) => reason = Some(said),
        };
    // a first level that is sure is worth more than a glance at all of them
    while steady.spent() < FIRST && !known(&runs, AGREEING)
        || steady.spent() < 1.0 && agreeing(&runs, 0) < AGREEING && runs.len() < MOST_RUNS
    {
        collect(&mut steady, 1, &mut runs);
    }
    let alone = runs.len();
    // what decides the second level takes less time than the third
    let mut depth = 2.min(levels);
    let (mut sets, mut curve) = (None, None);
    while levels > 1 && steady.spent() < REPEATED && runs.len() < MOST_RUNS {
        collect(&mut steady, depth, &mut runs);
        (steady.reach, depth) = (reach, levels);
        let Some(run) = runs[alone..].last() else { continue };
        curve = curve.or_else(|| walks(&mut steady, run));
        if !matches!(sets, Some(Ok(_))) {
            sets = behind_pages(&mut steady, &run.levels, curve.as_ref(), runs.len() as u64);
        }
        let second = matches!(sets, Some(Ok(_))) || agreeing(&runs, 1) >= SURE;
        if second && known(&runs, SURE) && steady.spent() >= CHALLENGED {
            break;
        }
    }
    let Some(last) = runs.last() else { return Err(reason.unwrap_or_else(|| TOO_SLOW.to_owned())) };
    let mut settled = Exploration {
        levels: (0..last.levels.len()).map(|level| together(&runs, level)).collect(),
        runs: runs.len(),
        first_only: levels > 1 && runs.len() == alone,
        ..last.clone()
    };
    settled.take_in(curve, sets, levels, true);
    Ok(settled)
}

/// Whether the last `enough` runs found the same first level, ways and all.
fn known(runs: &[Exploration], enough: usize) -> bool {
    agreeing(runs, 0) >= enough
        && runs.last().and_then(|run| run.levels.first()).is_some_and(|first| first.ways.is_ok())
}

/// Looks for the sets of the second level, of which a `curve` is known, where its pages lie anywhere.
fn behind_pages(
    probe: &mut impl Probe,
    levels: &[LevelFound],
    curve: Option<&Walks>,
    seed: u64,
) -> Option<Result<(Sets, String), String>> {
    let [first, second, ..] = levels else { return None };
    let anywhere = second.ways.is_err() && probe.contiguous() < second.knee_range.1;
    let mut second = second.clone();
    curve.into_iter().for_each(|curve| curve.take_in(&mut second, first.size));
    anywhere.then(|| congruent(probe, first, &second, seed))
}

/// Last runs in a row that found the same at this level.
fn agreeing(runs: &[Exploration], level: usize) -> usize {
    let what = |run: &Exploration| run.levels.get(level).map(|l| (l.size, l.ways.clone().ok(), l.line));
    let last = runs.last().and_then(what);
    runs.iter().rev().take_while(|run| what(run) == last).count()
}

/// What all runs together show of a level.
fn together(runs: &[Exploration], level: usize) -> LevelFound {
    let all: Vec<&LevelFound> = runs.iter().filter_map(|run| run.levels.get(level)).collect();
    let mut found = all[all.len() - 1].clone();
    found.agree = agreeing(runs, level);
    found.latencies.0 = all.iter().map(|l| l.latency).fold(f64::INFINITY, f64::min);
    found.latencies.1 = all.iter().map(|l| l.latency).fold(0.0, f64::max);
    let larger = all.iter().any(|l| l.ways.is_ok() && l.size > found.size);
    if found.ways.is_ok() && (found.agree < AGREEING || larger) {
        // others on the cache make it look smaller: what was larger once may be right
        let size = found.size;
        let reason = if all.len() > 1 {
            "repeated runs found different numbers of lines of one set that fit: pages, or other programs, hide \
             them"
        } else {
            "there was time for one run only; give more (--seconds), or use an idle machine"
        };
        found.ways = Err(reason.to_owned());
        found.why.retain(|why| !matches!(why, Why::Ways(_) | Why::NoWays(_))); // one run's, which the others take back
        found.why.push(Why::NoWays(reason.to_owned()));
        found.range = (found.knee_range.0.min(size), 2 * found.knee_range.1.max(size));
    }
    if found.ways.is_err() {
        found.range.0 = all.iter().map(|l| l.range.0).fold(found.range.0, u64::min);
        found.range.1 = all.iter().map(|l| l.range.1).fold(found.range.1, u64::max);
        found.confidence = Confidence::Low;
    }
    if found.agree < SURE {
        found.confidence = found.confidence.min(Confidence::Medium);
    }
    found
}

impl Exploration {
    /// Adds what walks and eviction sets show of a second level behind pages that lie anywhere, and of a third that no
    /// plateau shows, if so many `levels` are looked for.
    fn take_in(
        &mut self,
        curve: Option<Walks>,
        sets: Option<Result<(Sets, String), String>>,
        levels: usize,
        real: bool,
    ) {
        if let ([_, second, third], Some(curve), Some(beyond)) = (&mut self.levels[..], &curve, self.beyond)
            && curve.refute(third)
        {
            second.penalty = beyond.cost - second.latency;
            self.levels.pop();
        }
        let hidden = self.levels.len() == 2 && levels > 2;
        let [first, found, ..] = &mut self.levels[..] else { return };
        // what looks like a level behind one without known sets may be that one, and what was found behind
        // a first level that later runs refused is refused with it
        let known = first.ways.is_ok();
        curve.iter().filter(|_| known).for_each(|curve| curve.take_in(found, first.size));
        let within = |(set, argument): (Sets, String)| match set.size() {
            _ if !known => Err(UNKNOWN_ABOVE.to_owned()),
            size if (found.range.0..=found.range.1).contains(&size) => Ok((set.ways, size, argument)),
            size => Err(format!(
                "{} lines of one set and ways of {} would make {}, not {}",
                set.ways,
                Bytes(set.way),
                Bytes(size),
                found.size_text()
            )),
        };
        match sets.map(|sets| sets.and_then(within)) {
            Some(Ok((ways, size, argument))) => {
                // What the sets decide was left open before.
                found.why.retain(|why| !matches!(why, Why::NoWays(_) | Why::Open(_)));
                found.why.push(Why::Ways(argument));
                (found.size, found.range, found.ways) = (size, (size, size), Ok(ways));
                found.confidence = Confidence::Medium;
            }
            Some(Err(reason)) => found.why.push(Why::Ways(format!("among scattered pages: {reason}."))),
            None => {}
        }
        let beyond = self.beyond.map(|beyond| beyond.cost).filter(|_| known && hidden);
        let next = curve.zip(beyond).and_then(|(curve, beyond)| curve.next_level(found, beyond, real));
        self.levels.extend(next);
    }

    /// Leaves a level open up to the size that the system `says` it has, where that is larger
    /// than the one found: what others hold of a cache is missing in every run, if they never leave it.
    /// Where it says nothing, and this program was on the processor for less than its time (`share`
    /// of it), nothing is sure.
    pub fn weigh(&mut self, says: impl Fn(usize) -> Option<u64>, share: f64) {
        for level in &mut self.levels {
            match (says(level.level), &level.ways) {
                (Some(said), Ok(ways)) if said > level.size => {
                    let reason = format!(
                        "{ways} lines of one set fit in the runs made, but the system reports {}, not {}: other programs \
                         on this processor may use the rest all the time, or the system is wrong",
                        Bytes(said),
                        Bytes(level.size)
                    );
                    level.why.push(Why::NoWays(reason.clone()));
                    (level.range.1, level.ways, level.confidence) = (said, Err(reason), Confidence::Low);
                }
                (None, _) if share < ALONE && level.confidence == Confidence::High => {
                    level.confidence = Confidence::Medium;
                    level.why.push(Why::Confidence(format!(
                        "this program was on the processor for {:.0} % of its time; other programs may have \
                         used lines of each set in every run, and the system reports no size to compare with.",
                        100.0 * share
                    )));
                }
                _ => {}
            }
        }
    }
}
