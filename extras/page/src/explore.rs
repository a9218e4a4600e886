//! The caches of this computer, from repeated experiments.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use discover::{Confidence, Exploration, LevelFound, Why, explore};
use figures::units::Bytes;
use serde_json::{Value, json};

use crate::tab::Tab;

/// Number of runs that must agree on a smaller cache than a single run found.
const OVERRULING: usize = 4;
/// Shares of a step in the cost at which it has visibly begun, and visibly ended.
const STEP: (f64, f64) = (0.15, 0.85);
/// Hits of one level take at most this factor longer in a disturbed experiment.
const SAME_COST: f64 = 1.5;
/// A level's hits take at most this factor longer than the misses of the level above.
const SAME_LEVEL: f64 = 1.5;

/// The experiments made so far.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    runs: Vec<Exploration>,
    /// Further experiments, of whose times too few agreed.
    unsteady: usize,
}

impl Runs {
    /// Repeats the experiments, `levels` levels deep; returns what all of them show together.
    pub(crate) fn again(&mut self, tab: &mut Tab, levels: usize) -> Result<Value, String> {
        loop {
            let run = explore(tab, levels).and_then(|run| tab.was_steady().map(|()| run));
            self.unsteady += usize::from(run.is_err());
            self.runs.push(run?);
            // Without sets, a single experiment may show a disturbance as the end of the first level.
            if self.runs.len() > 1 || self.runs[0].levels.first().is_some_and(|first| first.ways.is_ok()) {
                break;
            }
        }
        let depth = self.runs.iter().map(|run| run.levels.len()).max().unwrap_or(0);
        let levels: Vec<Value> =
            (0..depth).filter_map(|level| Some(self.shown(&self.level(level)?))).collect();
        let beyond = self.runs.iter().max_by_key(|run| run.levels.len()).and_then(|run| run.beyond);
        let beyond = beyond.filter(|beyond| beyond.is_memory(None)).map(|beyond| beyond.cost);
        let runs = self.runs.len() + self.unsteady;
        Ok(json!({ "runs": runs, "settled": self.settled(), "levels": levels, "beyond_ns": beyond }))
    }

    /// What the runs show together of a level, and how many agree on it. Other programs only
    /// take lines away: they make sizes and ways smaller, or hide them. So the largest result
    /// of two runs is the answer; a larger one of a single run stays open until
    /// [`OVERRULING`] others agree on less. Without any, the range is the step of the fastest
    /// curve.
    fn level(&self, index: usize) -> Option<(LevelFound, usize)> {
        let all = || self.runs.iter().filter_map(|run| run.levels.get(index));
        // a run that took a lower level for this one has larger costs
        let least = all().map(|level| level.latency).fold(f64::INFINITY, f64::min);
        let all: Vec<&LevelFound> = all().filter(|level| level.latency <= SAME_COST * least).collect();
        let seen: Vec<&LevelFound> = all.iter().copied().filter(|level| level.ways.is_ok()).collect();
        let same = |a: &LevelFound, b: &LevelFound| (a.size, &a.ways) == (b.size, &b.ways);
        let votes = |level: &LevelFound| seen.iter().filter(|other| same(other, level)).count();
        let largest = seen.iter().max_by_key(|level| (level.size, level.line.is_some()));
        let Some(largest) = largest else {
            let best = all.iter().max_by_key(|level| (level.knee_range.0, Reverse(level.range.1)))?;
            let mut found = (**best).clone();
            found.confidence = Confidence::Low;
            let above = index.checked_sub(1).and_then(|index| self.level(index));
            let above = above.map(|(above, _)| above.latency + above.penalty);
            step_by_eye(&self.fastest(), above, &mut found);
            return Some((found, 0));
        };
        let confirmed = seen.iter().filter(|level| votes(level) >= 2).max_by_key(|level| level.size);
        let best =
            confirmed.filter(|level| same(level, largest) || votes(level) >= OVERRULING).unwrap_or(largest);
        let agreeing: Vec<&&LevelFound> = seen.iter().filter(|level| same(best, level)).collect();
        let mut found = (**best).clone();
        found.line = line_of(&agreeing);
        found.why.extend(
            agreeing
                .iter()
                .find(|level| level.line == found.line)
                .into_iter()
                .flat_map(|level| level.why.iter().filter(|why| matches!(why, Why::Line(_))).cloned()),
        );
        let certain = agreeing.iter().any(|level| level.confidence == Confidence::High);
        // a larger working set that fitted is proof of a larger cache
        let fitted = all.iter().map(|level| level.knee_range.0).max().unwrap_or(0);
        found.confidence = match agreeing.len() {
            _ if fitted > found.size + found.size / 32 => Confidence::Low,
            1 if all.len() > 1 => Confidence::Low,
            1 => Confidence::Medium,
            2 if !certain => Confidence::Medium,
            _ => Confidence::High,
        };
        Some((found, agreeing.len()))
    }

    /// The curve of all runs: other programs only add to a cost, so the lowest of each size
    /// counts.
    fn fastest(&self) -> Vec<(u64, f64)> {
        let mut curve = BTreeMap::new();
        for &(size, nanos) in self.runs.iter().flat_map(|run| &run.scan) {
            curve.entry(size).and_modify(|least: &mut f64| *least = least.min(nanos)).or_insert(nanos);
        }
        curve.into_iter().collect()
    }

    /// Whether the first level needs no more experiments.
    fn settled(&self) -> bool {
        self.level(0).is_some_and(|(level, _)| level.line.is_some() && level.confidence == Confidence::High)
    }

    /// How many experiments looked for this level.
    fn of(&self, level: usize) -> usize {
        let unsteady = if level == 1 { self.unsteady } else { 0 };
        self.runs.iter().filter(|run| run.levels.len() >= level).count() + unsteady
    }

    fn shown(&self, (level, agree): &(LevelFound, usize)) -> Value {
        json!({
            "level": level.level,
            "size": level.exact_size(),
            "size_text": if level.ways.is_ok() { Bytes(level.size).to_string() } else { level.size_text() },
            "size_low": level.range.0,
            "size_high": level.range.1,
            "line": level.line,
            "ways": level.ways.as_ref().ok(),
            "ways_reason": level.ways.as_ref().err(),
            "latency_ns": level.latency,
            "penalty_ns": level.penalty,
            "confidence": level.confidence,
            "agree": agree,
            "of": self.of(level.level),
            "why": argument(level),
        })
    }
}

/// The line on which most of these agree; of two, the larger: a disturbed access looks like
/// one to another line.
fn line_of(agreeing: &[&&LevelFound]) -> Option<u64> {
    let lines: Vec<u64> = agreeing.iter().filter_map(|level| level.line).collect();
    let votes = |line: u64| lines.iter().filter(|other| **other == line).count();
    lines.iter().copied().max_by_key(|line| (votes(*line), *line))
}

/// Takes the step that the curve shows for the range of a level: a cache does not end before
/// its step begins, nor after the step has ended. A level that takes much longer than a miss
/// of the level above, `above` nanoseconds, may be a lower one: the range then begins where
/// those end.
fn step_by_eye(curve: &[(u64, f64)], above: Option<f64>, level: &mut LevelFound) {
    let hit = above.filter(|above| level.latency > SAME_LEVEL * above).unwrap_or(level.latency);
    let cost = |share: f64| hit + share * (level.latency + level.penalty - hit);
    let Some(last) = curve.iter().rposition(|(_, nanos)| *nanos < cost(STEP.1)) else { return };
    let Some(&(high, slow)) = curve.get(last + 1) else { return };
    let fits = |(_, nanos): &&(u64, f64)| *nanos <= hit + STEP.0 * level.penalty.min(hit);
    let Some(&(low, fast)) = curve[..=last].iter().rev().find(fits) else { return };
    level.range = (low, high);
    level.why.retain(|why| !matches!(why, Why::Size(_) | Why::Open(_)));
    let pages = if level.level > 1 { ", because a browser hides which pages share a set" } else { "" };
    let blurred = if 2 * high > 3 * low { format!(" The step is not sharp{pages}.") } else { String::new() };
    level.why.push(Why::Size(format!(
        "up to {} an access costs {fast:.1} ns, from {} on {slow:.1} ns: the level ends on this step.{blurred}",
        Bytes(low),
        Bytes(high)
    )));
}

/// The argument for the size, the line and the ways: the last sentence on line and ways
/// counts, and if the ways are known the size is exact.
fn argument(level: &LevelFound) -> Value {
    let mut argument = json!({});
    let mut sizes = Vec::new();
    for why in &level.why {
        match why {
            Why::Open(_) if level.exact_size().is_some() => {}
            Why::Size(text) | Why::Open(text) => sizes.push(text.clone()),
            Why::Line(text) => argument["line"] = json!(text),
            Why::Ways(text) => argument["ways"] = json!(text),
            Why::NoWays(reason) => argument["ways"] = json!(format!("{reason}.")),
            Why::Confidence(_) => {}
        }
    }
    if let (Some(size), Ok(ways)) = (level.exact_size(), &level.ways) {
        let way = Bytes(size / (*ways).max(1));
        let exact = format!("the ways give it exactly: {ways} ways of {way} are {}.", Bytes(size));
        sizes = vec![exact];
    }
    argument["size"] = json!(sizes);
    argument
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that found 48 KiB and 12 ways, with this line size.
    fn run(line: Option<u64>, ways: Result<u64, String>) -> Exploration {
        let level = LevelFound {
            level: 1,
            size: 48 << 10,
            range: (48 << 10, 48 << 10),
            knee_range: (48 << 10, 52 << 10),
            line,
            ways,
            latency: 2.0,
            latencies: (2.0, 2.0),
            penalty: 4.0,
            confidence: Confidence::High,
            agree: 1,
            knee: Vec::new(),
            why: Vec::new(),
        };
        Exploration { levels: vec![level], ..Exploration::default() }
    }

    fn of(runs: Vec<Exploration>) -> Runs {
        Runs { runs, unsteady: 0 }
    }

    fn of_ways(ways: u64) -> Exploration {
        let mut run = run(Some(64), Ok(ways));
        let size = ways << 12;
        let level = &mut run.levels[0];
        (level.size, level.range, level.knee_range) = (size, (size, size), (size, size + 4096));
        run
    }

    #[test]
    fn an_exact_size_has_the_ways_for_its_argument() {
        let mut level = of_ways(12).levels.remove(0);
        level.why = vec![Why::Size("up to 14 KiB an access costs 1 ns.".into())];
        let said = |level: &LevelFound| argument(level)["size"].to_string();
        assert_eq!(said(&level), "[\"the ways give it exactly: 12 ways of 4 KiB are 48 KiB.\"]");
        level.ways = Err("noise".into());
        assert!(said(&level).contains("up to 14 KiB"), "{}", said(&level));
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
            let blind = || {
                let mut run = run(None, Err("noise".into()));
                (run.levels[0].range, run.levels[0].knee_range) = ((5 << 10, 96 << 10), (5 << 10, 6 << 10));
                run
            };
            let runs = ways.iter().map(|&ways| if ways == 0 { blind() } else { of_ways(ways) }).collect();
            let (level, agree) = of(runs).level(0).unwrap();
            let found = (level.ways.clone().unwrap(), agree, level.confidence);
            assert_eq!(found, (expected, agreeing, confidence), "{ways:?}");
            assert_eq!(level.range, (expected << 12, expected << 12), "{ways:?}");
        }
    }

    #[test]
    fn a_later_experiment_takes_nothing_away() {
        let curve = |slow_from: u64, slow: f64| {
            let mut run = run(None, Err("noise".into()));
            run.scan = (1..=64).map(|kib| (kib << 10, if kib < slow_from { 2.0 } else { slow })).collect();
            (run.levels[0].range, run.levels[0].knee_range) =
                ((5 << 10, 96 << 10), (slow_from << 10, 96 << 10));
            run
        };
        let range = |runs| {
            let range = of(runs).level(0).unwrap().0.range;
            (range.0 >> 10, range.1 >> 10)
        };
        assert_eq!(range(vec![curve(5, 6.0)]), (4, 5));
        assert_eq!(range(vec![curve(48, 6.0), curve(5, 6.0)]), (47, 48));
        assert_eq!(range(vec![curve(5, 6.0), curve(26, 6.0), curve(48, 6.0)]), (47, 48));
        assert_eq!(range(vec![curve(5, 4.0)]), (5, 96), "misses in part show no end");
        let mut second = curve(48, 6.0); // which took the second level for the first
        (second.levels[0].latency, second.levels[0].knee_range) = (6.0, (512 << 10, 768 << 10));
        second.scan = (1..=1024).map(|kib| (kib << 10, if kib < 768 { 6.0 } else { 40.0 })).collect();
        assert_eq!(range(vec![curve(48, 6.0), second]), (47, 48));
        let line = |runs| of(runs).level(0).unwrap().0.line;
        let (good, blind, odd) = (run(Some(64), Ok(12)), run(None, Ok(12)), run(Some(32), Ok(12)));
        assert_eq!(line(vec![good.clone(), blind.clone()]), Some(64));
        assert_eq!(line(vec![odd.clone(), good.clone()]), Some(64));
        assert_eq!(line(vec![odd.clone(), odd, good]), Some(32));
    }

    /// The trial on a 2 MiB L2: cost by size of the working set.
    #[test]
    fn the_second_level_ends_on_its_step() {
        let mib = 1 << 20;
        let mut second = run(None, Err("pages".into())).levels.remove(0);
        (second.level, second.size, second.latency, second.penalty) = (2, 2 * mib, 8.0, 40.0);
        (second.range, second.knee_range) = ((1 << 10, 16 * mib), (3 * mib / 2, 2 * mib));
        second.why = vec![Why::Size("up to 1 KiB.".into()), Why::Open("up to 16 MiB.".into())];
        let scan = vec![(mib, 8.0), (3 * mib / 2, 8.1), (2 * mib, 26.8), (3 * mib, 44.0), (4 * mib, 48.0)];
        let first = run(Some(64), Ok(12)).levels.remove(0);
        let (found, _) =
            of(vec![Exploration { levels: vec![first, second], scan, ..Exploration::default() }])
                .level(1)
                .unwrap();
        assert_eq!(found.range, (3 * mib / 2, 3 * mib));
        let text = argument(&found)["size"].to_string();
        assert!(
            text.contains("up to 1.5 MiB an access costs 8.1 ns, from 3 MiB on 44.0 ns: the level ends on this step. The step is not sharp")
                && !text.contains("16 MiB")
        );
        // an L2 of 1 MiB that the experiment did not see: its "second level" is the third
        let mut third = found;
        (third.latency, third.penalty) = (12.0, 48.0);
        let curve = [(3 * mib / 4, 6.0), (mib, 9.0), (2 * mib, 12.0), (4 * mib, 12.0), (6 * mib, 60.0)];
        step_by_eye(&curve, Some(6.0), &mut third);
        assert_eq!(third.range, (3 * mib / 4, 6 * mib));
    }

    #[test]
    fn a_result_that_was_overruled_is_not_in_the_argument() {
        let mut level = run(Some(64), Ok(12)).levels.remove(0);
        level.why = vec![
            Why::Line("16 bytes arrive together.".into()),
            Why::Line("64 bytes conflict.".into()),
            Why::Size("up to 48 KiB.".into()),
            Why::Open("so it may have up to 96 KiB.".into()),
            Why::NoWays("noise".into()),
            Why::Ways("12 of 4 KiB.".into()),
        ];
        let sentences = argument(&level);
        assert_eq!(
            sentences,
            json!({
                "size": ["the ways give it exactly: 12 ways of 4 KiB are 48 KiB."],
                "line": "64 bytes conflict.",
                "ways": "12 of 4 KiB.",
            })
        );
    }
}
