//! The caches of this computer, over repeated experiments.

use figures::units::Bytes;
use infer::Confidence;
use infer::probe::{Exploration, LevelFound, Probe, Why, explore};
use serde_json::{Value, json};

/// The experiments made so far.
#[derive(Debug, Default)]
pub(crate) struct Runs(Vec<Exploration>);

impl Runs {
    /// Explores once more, `levels` levels deep; what all runs say together.
    pub(crate) fn again(&mut self, probe: &mut impl Probe, levels: usize) -> Result<Value, String> {
        self.0.push(explore(probe, levels)?);
        let depth = self.0.iter().map(|run| run.levels.len()).max().unwrap_or(0);
        let levels: Vec<Value> = (0..depth).filter_map(|level| Some(shown(&self.level(level)?))).collect();
        let beyond = self.0.iter().max_by_key(|run| run.levels.len()).and_then(|run| run.beyond);
        let scan = self.0.last().map(|run| &run.scan);
        Ok(
            json!({ "runs": self.0.len(), "settled": self.settled(), "levels": levels, "beyond_ns": beyond, "scan": scan }),
        )
    }

    /// What the runs that saw a level's sets say of it; sure only where two
    /// thirds of them, and at least two, agree. One that saw none was disturbed;
    /// of several runs, one alone may have been, too.
    fn level(&self, index: usize) -> Option<LevelFound> {
        let all: Vec<&LevelFound> = self.0.iter().filter_map(|run| run.levels.get(index)).collect();
        let seen: Vec<&&LevelFound> = all.iter().filter(|level| level.ways.is_ok()).collect();
        let same = |a: &LevelFound, b: &LevelFound| (a.size, &a.ways) == (b.size, &b.ways);
        let votes = |level: &LevelFound| seen.iter().filter(|other| same(other, level)).count();
        let range = (all.iter().map(|l| l.range.0).min()?, all.iter().map(|l| l.range.1).max()?);
        let Some(best) = seen.iter().max_by_key(|level| votes(level)) else {
            return Some(LevelFound { range, ..(*all.last()?).clone() });
        };
        let mut found = (**best).clone();
        let lines: Vec<u64> = seen.iter().filter_map(|level| level.line).collect();
        let several = all.len() > 1;
        found.line = lines
            .first()
            .copied()
            .filter(|line| lines.iter().all(|other| other == line) && (lines.len() > 1 || !several));
        if !several {
            found.confidence = found.confidence.min(Confidence::Medium);
        } else if votes(best) < 2 || 3 * votes(best) < 2 * seen.len() {
            // low is an interval, never a point
            found.confidence = Confidence::Low;
            found.ways = Err("repeated experiments do not agree on a number".to_owned());
            found.range = range;
            found.why.push(Why::NoWays("repeated experiments do not agree on them".to_owned()));
        }
        Some(found)
    }

    /// Whether the first level needs no more experiments.
    fn settled(&self) -> bool {
        self.level(0).is_some_and(|level| {
            level.ways.is_ok() && level.line.is_some() && level.confidence == Confidence::High
        })
    }
}

fn shown(level: &LevelFound) -> Value {
    json!({
        "level": level.level,
        "size": level.exact_size(),
        "size_text": Bytes(level.size).to_string(),
        "size_low": level.range.0,
        "size_high": level.range.1,
        "range_text": level.size_told(),
        "line": level.line,
        "ways": level.ways.as_ref().ok(),
        "ways_reason": level.ways.as_ref().err(),
        "latency_ns": level.latency,
        "penalty_ns": level.penalty,
        "confidence": level.confidence,
        "why": level.why,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that found 48 KiB of 12 ways, with this line.
    fn run(line: Option<u64>, ways: Result<u64, String>) -> Exploration {
        let level = LevelFound {
            level: 1,
            size: 48 << 10,
            range: (48 << 10, 48 << 10),
            knee_range: (48 << 10, 52 << 10),
            line,
            ways,
            latency: 2.0,
            penalty: 4.0,
            confidence: Confidence::High,
            knee: Vec::new(),
            partners: Vec::new(),
            denied: None,
            why: Vec::new(),
        };
        Exploration { levels: vec![level], beyond: None, scan: Vec::new() }
    }

    fn told(runs: Vec<Exploration>) -> (Option<u64>, Confidence) {
        let level = Runs(runs).level(0).unwrap();
        (level.line, level.confidence)
    }

    #[test]
    fn one_run_of_several_is_not_believed_alone() {
        let (good, odd, blind) =
            (run(Some(64), Ok(12)), run(Some(32), Ok(12)), run(None, Err("noise".into())));
        assert_eq!(told(vec![good.clone()]), (Some(64), Confidence::Medium));
        assert_eq!(told(vec![good.clone(), good.clone()]), (Some(64), Confidence::High));
        assert_eq!(told(vec![blind.clone(), odd.clone()]), (None, Confidence::Low));
        assert_eq!(told(vec![good, odd.clone(), blind.clone()]).0, None);
        assert!(Runs(vec![blind.clone(), odd]).level(0).unwrap().ways.is_err());
        let mut narrow = blind.clone();
        narrow.levels[0].range = (5 << 10, 6 << 10);
        assert_eq!(Runs(vec![blind, narrow]).level(0).unwrap().range, (5 << 10, 48 << 10));
    }
}
