//! What several explorations show together: the one place that settles it.
//!
//! Other programs only take lines away: they make sizes and ways smaller, or hide them. So the largest result of two
//! runs is the answer, and the least cost of each working set.

use std::collections::{BTreeMap, HashMap};

use super::Confidence;
use super::explore::{SAME_LEVEL, explore, interval};
use super::level::{Exploration, LevelFound};
use super::probe::Probe;
use figures::random::mix;

/// Runs that must agree on a smaller cache than a single run found.
const OVERRULING: usize = 4;
/// Runs that must agree for the highest confidence: so many if the rise of one was sharp, else one more.
const AGREEING: usize = 2;

/// The explorations made so far.
#[derive(Debug, Default)]
pub struct Runs {
    runs: Vec<Exploration>,
    /// Explorations that failed.
    failed: usize,
}

impl Runs {
    /// Adds an exploration.
    pub fn add(&mut self, run: Exploration) {
        self.runs.push(run);
    }

    /// Counts an exploration that showed nothing.
    pub fn add_failed(&mut self) {
        self.failed += 1;
    }

    /// How many explorations showed something.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// How many explorations looked for this level, those that showed nothing too: 1 for the first.
    pub fn count_of(&self, level: usize) -> usize {
        let failed = if level == 1 { self.failed } else { 0 };
        self.runs.iter().filter(|run| run.levels.len() >= level).count() + failed
    }

    /// Whether the first level needs no more explorations.
    pub fn is_settled(&self) -> bool {
        self.level(0, None).is_some_and(|level| level.line.is_some() && level.confidence == Confidence::High)
    }

    /// What all show together; nothing without a run.
    pub fn together(&self) -> Exploration {
        let deepest = self.runs.iter().max_by_key(|run| run.levels.len());
        let mut together = deepest.cloned().unwrap_or_default();
        together.levels.clear();
        while let Some(level) = self.level(together.levels.len(), together.levels.last()) {
            together.levels.push(level);
        }
        together
    }

    /// What the runs show together of the level at `index`, below `above`.
    fn level(&self, index: usize, above: Option<&LevelFound>) -> Option<LevelFound> {
        let all = || self.runs.iter().filter_map(|run| run.levels.get(index));
        // a run that took a lower level for this one has larger costs
        let least = all().map(|level| level.latency).fold(f64::INFINITY, f64::min);
        let all: Vec<&LevelFound> = all().filter(|level| level.latency <= SAME_LEVEL * least).collect();
        largest(&all).or_else(|| without_sets(&all, above))
    }
}

/// The largest level that two runs found, ways and all; one that a single run found stays open until [`OVERRULING`]
/// others agree on less. None if no run found ways.
fn largest(all: &[&LevelFound]) -> Option<LevelFound> {
    let seen: Vec<&LevelFound> = all.iter().copied().filter(|level| level.ways.is_ok()).collect();
    let same = |a: &LevelFound, b: &LevelFound| (a.range, &a.ways) == (b.range, &b.ways);
    let votes = |level: &LevelFound| seen.iter().filter(|other| same(other, level)).count();
    let largest = seen.iter().max_by_key(|level| (level.range.0, level.line.is_some()))?;
    let confirmed = seen.iter().filter(|level| votes(level) >= 2).max_by_key(|level| level.range.0);
    let best =
        confirmed.filter(|level| same(level, largest) || votes(level) >= OVERRULING).unwrap_or(largest);
    let agreeing: Vec<&LevelFound> = seen.iter().copied().filter(|level| same(best, level)).collect();
    let line = line_of(&agreeing);
    let mut found = agreeing.iter().find(|level| level.line == line).copied()?.clone();
    let certain = agreeing.iter().any(|level| level.confidence == Confidence::High);
    // a larger working set that fitted is proof of a larger cache
    let fitted = all.iter().map(|level| level.fits).max().unwrap_or(0);
    found.agree = agreeing.len();
    found.confidence = match agreeing.len() {
        _ if fitted > found.range.0 => Confidence::Low,
        1 if all.len() > 1 => Confidence::Low,
        1 => found.confidence.min(Confidence::Medium),
        AGREEING if !certain => Confidence::Medium,
        _ => Confidence::High,
    };
    Some(found)
}

/// The line on which most of these agree; of two, the larger: a disturbed access looks like
/// one to another line.
fn line_of(agreeing: &[&LevelFound]) -> Option<u64> {
    let lines: Vec<u64> = agreeing.iter().filter_map(|level| level.line).collect();
    let votes = |line: u64| lines.iter().filter(|other| **other == line).count();
    lines.iter().copied().max_by_key(|line| (votes(*line), *line))
}

/// A level of which no run found ways: the interval by the least cost of each working set.
fn without_sets(all: &[&LevelFound], above: Option<&LevelFound>) -> Option<LevelFound> {
    let mut found = (*all.iter().max_by_key(|level| level.fits)?).clone();
    let mut end = BTreeMap::new();
    for &(size, nanos) in all.iter().flat_map(|level| &level.end) {
        end.entry(size).and_modify(|least: &mut f64| *least = least.min(nanos)).or_insert(nanos);
    }
    found.end = end.into_iter().collect();
    let least = |of: fn(&LevelFound) -> f64| all.iter().map(|level| of(level)).fold(f64::INFINITY, f64::min);
    found.latency = least(|level| level.latency);
    found.penalty = least(|level| level.latency + level.penalty) - found.latency;
    (found.confidence, found.agree) = (Confidence::Low, 0);
    interval(&mut found, above);
    Some(found)
}

/// A probe that remembers. Disturbances only add to a cost, so the least of
/// measurements at different times is the nearest to the truth; repeated runs
/// of the same experiments make them.
#[derive(Debug)]
struct Steady<'a, P> {
    probe: &'a mut P,
    /// By a number that stands for the pattern.
    least: HashMap<u64, f64>,
}

impl<P: Probe> Probe for Steady<'_, P> {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let pattern = offsets.iter().fold(offsets.len() as u64, |number, offset| mix(number ^ offset));
        let known = self.least.entry(pattern).or_insert(f64::NAN);
        if self.probe.spent() < 1.0 {
            *known = known.min(self.probe.cost(offsets));
        }
        *known
    }

    fn reach(&self) -> u64 {
        self.probe.reach()
    }

    fn contiguous(&self) -> u64 {
        self.probe.contiguous()
    }

    fn spent(&self) -> f64 {
        self.probe.spent()
    }
}

/// Share of the time after which the first level must do with the runs it had.
const FIRST: f64 = 0.4;
/// Share of the time after which no run is begun. Until then runs are repeated although they agree: another program that
/// runs most of the time pauses now and then.
const REPEATED: f64 = 0.6;

/// Explores again and again, each pattern at its least cost so far, until `probe` has spent its time: the first level
/// alone until enough runs agree, then all of them.
/// Fails, with a sentence, if the cost shows no level at all.
pub fn explore_repeatedly(probe: &mut impl Probe, levels: usize) -> Result<Exploration, String> {
    let mut steady = Steady { probe, least: HashMap::new() };
    let (mut runs, mut reason) = (Runs::default(), None);
    let mut collect = |steady: &mut Steady<_>, depth, runs: &mut Runs| match explore(steady, depth) {
        Ok(run) if steady.spent() < 1.0 => runs.add(run),
        Ok(_) => {}
        Err(said) => reason = Some(said),
    };
    // a first level that is sure is worth more than a glance at all of them
    while !runs.is_settled() && (steady.spent() < FIRST || steady.spent() < 1.0 && runs.count() < AGREEING) {
        collect(&mut steady, 1, &mut runs);
    }
    let alone = runs.count();
    while steady.spent() < REPEATED {
        collect(&mut steady, levels, &mut runs);
    }
    if runs.count() == 0 {
        let too_slow =
            "the time for experiments ended before the cost of any cache rose; use an idle machine";
        return Err(reason.unwrap_or_else(|| too_slow.to_owned()));
    }
    Ok(Exploration { first_only: levels > 1 && runs.count() == alone, ..runs.together() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Argument;

    /// A first level of 4 KiB a way; without `ways` none were seen. Working sets of 1 KiB, 2 KiB ... below `end` KiB cost
    /// 2 ns, larger ones 6 ns.
    fn run(line: Option<u64>, ways: Option<u64>, end: u64) -> Exploration {
        let (size, fits) = (ways.map_or(end << 10, |ways| ways << 12), end - 1);
        let end: Vec<_> = (1..=128).map(|kib| (kib << 10, if kib < end { 2.0 } else { 6.0 })).collect();
        let level = LevelFound {
            range: (size, size),
            fits: size.min(fits << 10),
            line,
            ways: ways.ok_or_else(|| "noise".to_owned()),
            confidence: Confidence::High,
            why: Argument { line: format!("{line:?}"), ..Argument::default() },
            ..LevelFound::between(1, [2.0, 6.0], &end)
        };
        Exploration { levels: vec![level], ..Exploration::default() }
    }

    fn first(runs: Vec<Exploration>) -> LevelFound {
        Runs { runs, failed: 0 }.together().levels.remove(0)
    }

    /// (ways of each experiment; 0: none seen) to ways, agreeing, confidence
    #[test]
    fn the_largest_that_two_experiments_found_is_the_answer() {
        use Confidence::{High, Low, Medium};
        let cases: [(&[u64], u64, usize, Confidence); 10] = [
            (&[12], 12, 1, Medium),
            (&[12, 12], 12, 2, High),
            (&[12, 0], 12, 1, Low),
            (&[12, 11], 12, 1, Low),
            (&[12, 11, 11], 12, 1, Low),
            (&[12, 11, 11, 12], 12, 2, High),
            (&[0, 12, 11, 0, 12, 11], 12, 2, High),
            (&[11, 11, 12], 12, 1, Low),
            (&[13, 12, 12, 12], 13, 1, Low),
            (&[13, 12, 12, 12, 12], 12, 4, Low), // 52 KiB fitted once: not sure
        ];
        for (ways, expected, agreeing, confidence) in cases {
            let runs = ways.iter().map(|&ways| {
                let mut run = run(Some(64), Some(ways).filter(|ways| *ways > 0), 128);
                let level = &mut run.levels[0];
                level.fits = if level.ways.is_ok() { level.range.0 } else { 5 << 10 };
                run
            });
            let level = first(runs.collect());
            let found = (level.ways.clone().unwrap(), level.agree, level.confidence);
            assert_eq!(found, (expected, agreeing, confidence), "{ways:?}");
            assert_eq!(level.exact_size(), Some(expected << 12), "{ways:?}");
        }
    }

    #[test]
    fn the_line_and_its_sentence_are_those_of_most_experiments() {
        let of = |lines: &[Option<u64>]| first(lines.iter().map(|line| run(*line, Some(12), 48)).collect());
        for (lines, line) in [
            (&[Some(64), None][..], Some(64)),
            (&[Some(32), Some(64)], Some(64)),
            (&[Some(32), Some(32), Some(64)], Some(32)),
            (&[None, None], None),
        ] {
            let found = of(lines);
            assert_eq!((found.line, found.why.line), (line, format!("{line:?}")), "{lines:?}");
        }
    }

    /// The least cost of each working set counts, so a disturbed experiment takes nothing away; others may hold a quarter.
    #[test]
    fn an_interval_is_that_of_the_least_disturbed_experiment() {
        let range = |ends: &[u64]| {
            let (low, high) = first(ends.iter().map(|end| run(None, None, *end)).collect()).range;
            (low >> 10, high >> 10)
        };
        assert_eq!(range(&[48]), (47, 64));
        assert_eq!(range(&[48, 5]), (47, 64));
        assert_eq!(range(&[5, 26, 48]), (47, 64));
    }
}
