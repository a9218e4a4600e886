//! The caches of this computer, from repeated experiments.

use discover::{Confidence, Exploration, LevelFound, Probe, Why, explore};
use figures::units::Bytes;
use serde_json::{Value, json};

/// The experiments made so far.
#[derive(Debug, Default)]
pub(crate) struct Runs(Vec<Exploration>);

impl Runs {
    /// Repeats the experiments, `levels` levels deep; returns what all runs show together.
    pub(crate) fn again(&mut self, probe: &mut impl Probe, levels: usize) -> Result<Value, String> {
        self.0.push(explore(probe, levels)?);
        let depth = self.0.iter().map(|run| run.levels.len()).max().unwrap_or(0);
        let levels: Vec<Value> =
            (0..depth).filter_map(|level| Some(self.shown(&self.level(level)?))).collect();
        let beyond = self.0.iter().max_by_key(|run| run.levels.len()).and_then(|run| run.beyond);
        let scan = self.0.last().map(|run| &run.scan);
        Ok(
            json!({ "runs": self.0.len(), "settled": self.settled(), "levels": levels, "beyond_ns": beyond, "scan": scan }),
        )
    }

    /// The combined result of the runs that found a level's sets; it is certain only if two
    /// thirds of them, and at least two, agree. A run that found none was disturbed; a
    /// single run out of several may have been, too. Also returns how many agree.
    fn level(&self, index: usize) -> Option<(LevelFound, usize)> {
        let all: Vec<&LevelFound> = self.0.iter().filter_map(|run| run.levels.get(index)).collect();
        let seen: Vec<&&LevelFound> = all.iter().filter(|level| level.ways.is_ok()).collect();
        let same = |a: &LevelFound, b: &LevelFound| (a.size, &a.ways) == (b.size, &b.ways);
        let votes = |level: &LevelFound| seen.iter().filter(|other| same(other, level)).count();
        let range = (all.iter().map(|l| l.range.0).min()?, all.iter().map(|l| l.range.1).max()?);
        let Some(best) = seen.iter().max_by_key(|level| (votes(level), level.line.is_some())) else {
            return Some((LevelFound { range, ..(*all.last()?).clone() }, 0));
        };
        let mut found = (**best).clone();
        let lines: Vec<u64> =
            seen.iter().filter(|level| same(best, level)).filter_map(|level| level.line).collect();
        let several = all.len() > 1;
        found.line = lines
            .first()
            .copied()
            .filter(|line| lines.iter().all(|other| other == line) && (lines.len() > 1 || !several));
        if found.line.is_none() && !lines.is_empty() {
            found.why.push(Why::Line("the experiments do not agree on it.".to_owned()));
        }
        if !several {
            found.confidence = found.confidence.min(Confidence::Medium);
        } else if votes(best) < 2 || 3 * votes(best) < 2 * seen.len() {
            // low is an interval, never a point
            found.confidence = Confidence::Low;
            found.range = range;
            let reason = format!(
                "{} of {} experiments found {} ways, which make {}; the others do not confirm it",
                votes(best),
                all.len(),
                best.ways.as_ref().unwrap_or(&0),
                Bytes(best.size)
            );
            found.why.push(Why::NoWays(reason.clone()));
            found.ways = Err(reason);
        }
        Some((found, votes(best)))
    }

    /// Whether the first level needs no more experiments: two certain results agree, or
    /// there are three.
    fn settled(&self) -> bool {
        self.level(0).is_some_and(|(level, agree)| {
            level.ways.is_ok() && level.line.is_some() && (level.confidence == Confidence::High || agree >= 3)
        })
    }

    fn shown(&self, (level, agree): &(LevelFound, usize)) -> Value {
        json!({
            "level": level.level,
            "size": level.exact_size(),
            "size_text": Bytes(level.size).to_string(),
            "size_low": level.range.0,
            "size_high": level.range.1,
            "range_text": level.size_text(),
            "line": level.line,
            "ways": level.ways.as_ref().ok(),
            "ways_reason": level.ways.as_ref().err(),
            "latency_ns": level.latency,
            "penalty_ns": level.penalty,
            "confidence": level.confidence,
            "agree": agree,
            "of": self.0.iter().filter(|run| run.levels.len() >= level.level).count(),
            "why": argument(level),
        })
    }
}

/// The argument for the size, the line and the ways: the last sentence on line and ways
/// counts, and if the ways are known the size is exact.
fn argument(level: &LevelFound) -> Value {
    let mut argument = json!({});
    let mut sizes = Vec::new();
    for why in &level.why {
        match why {
            Why::Open(_) if level.exact_size().is_some() => {}
            Why::Size(text) | Why::Open(text) => sizes.push(text),
            Why::Line(text) => argument["line"] = json!(text),
            Why::Ways(text) => argument["ways"] = json!(text),
            Why::NoWays(reason) => argument["ways"] = json!(format!("{reason}.")),
            Why::Confidence(_) => {}
        }
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
            penalty: 4.0,
            confidence: Confidence::High,
            knee: Vec::new(),
            partners: Vec::new(),
            denied: None,
            why: Vec::new(),
        };
        Exploration { levels: vec![level], beyond: None, scan: Vec::new() }
    }

    fn line_of(runs: Vec<Exploration>) -> (Option<u64>, Confidence) {
        let (level, _) = Runs(runs).level(0).unwrap();
        (level.line, level.confidence)
    }

    #[test]
    fn one_run_of_several_is_not_believed_alone() {
        let (good, odd, blind) =
            (run(Some(64), Ok(12)), run(Some(32), Ok(12)), run(None, Err("noise".into())));
        assert_eq!(line_of(vec![good.clone()]), (Some(64), Confidence::Medium));
        assert_eq!(line_of(vec![good.clone(), good.clone()]), (Some(64), Confidence::High));
        assert_eq!(line_of(vec![blind.clone(), odd.clone()]), (None, Confidence::Low));
        assert_eq!(line_of(vec![good, odd.clone(), blind.clone()]).0, None);
        assert!(Runs(vec![blind.clone(), odd]).level(0).unwrap().0.ways.is_err());
        let mut narrow = blind.clone();
        narrow.levels[0].range = (5 << 10, 6 << 10);
        assert_eq!(Runs(vec![blind, narrow]).level(0).unwrap().0.range, (5 << 10, 48 << 10));
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
        let told = argument(&level);
        assert_eq!(
            told,
            json!({ "size": ["up to 48 KiB."], "line": "64 bytes conflict.", "ways": "12 of 4 KiB." })
        );
    }

    #[test]
    fn what_one_experiment_of_two_found_is_said() {
        let (good, blind) = (run(Some(64), Ok(12)), run(None, Err("noise".into())));
        let (level, agree) = Runs(vec![good.clone(), blind]).level(0).unwrap();
        assert_eq!(agree, 1);
        assert!(level.ways.unwrap_err().starts_with("1 of 2 experiments found 12 ways, which make 48 KiB"));
        let medium = || {
            let mut run = good.clone();
            run.levels[0].confidence = Confidence::Medium;
            run
        };
        assert!(!Runs(vec![medium(), medium()]).settled());
        assert!(Runs(vec![medium(), medium(), medium()]).settled());
    }
}
