//! Counts kernels whose answers are known, and says where the counters differ.

mod checks;
mod kernels;

use common::counters;
use common::events::{Event, Preset};
use common::failure::Failure;
use serde::Serialize;

use crate::args::{Format, json};
use checks::Check;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
enum Verdict {
    Pass,
    Fail,
    Skip,
}

#[derive(Debug, Serialize)]
struct Line {
    preset: &'static str,
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counted: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Debug, Serialize)]
struct Report {
    tests: Vec<Line>,
    passed: usize,
    failed: usize,
    skipped: usize,
}

fn skip(preset: Preset, reason: String) -> Line {
    Line {
        preset: preset.name(),
        verdict: Verdict::Skip,
        kernel: None,
        expected: None,
        counted: None,
        reason: Some(reason),
    }
}

/// All checks of a preset; one skip if it cannot be counted or has none.
fn lines(preset: Preset, checks: &mut Option<Vec<Check>>) -> Vec<Line> {
    if let Some(Err(refusal)) = counters::survey(&[Event::Preset(preset)]).pop() {
        return vec![skip(preset, refusal.to_string())];
    }
    let mine: Vec<&mut Check> = checks
        .get_or_insert_with(checks::all)
        .iter_mut()
        .filter(|c| c.presets.contains(&preset.name()))
        .collect();
    if mine.is_empty() {
        return vec![skip(preset, "the kit has no kernel whose answer is known".into())];
    }
    mine.into_iter().map(|check| line(preset, check)).collect()
}

fn line(preset: Preset, check: &mut Check) -> Line {
    let Some(run) = &mut check.run else { return skip(preset, check.unavailable.to_owned()) };
    let counted = counters::count(&[Event::Preset(preset)], &mut || {}, run);
    let reading = match counted.map(|mut readings| readings.pop()) {
        Ok(Some(reading)) => reading,
        Ok(None) => return skip(preset, "no reading".into()),
        Err(error) => return skip(preset, error.to_string()),
    };
    let inside = |amount: f64| (check.expected[0]..=check.expected[1]).contains(&amount);
    let (verdict, reason) = match reading.value() {
        Some(value) if value.multiplexed.is_some() => {
            (Verdict::Skip, Some("other programs took the counters meanwhile: only an estimate".into()))
        }
        Some(value) if inside(value.amount) => (Verdict::Pass, None),
        Some(_) => (Verdict::Fail, None),
        // It was surveyed as countable: not to be counted now is a failure.
        None => (Verdict::Fail, Some(reading.to_string())),
    };
    Line {
        preset: preset.name(),
        verdict,
        kernel: Some(check.kernel),
        expected: Some(check.expected),
        counted: reading.amount(),
        reason,
    }
}

pub(crate) fn print(format: Format) -> Result<(), Failure> {
    // Their memory is laid out once the first event turns out countable.
    let mut checks = None;
    let tests: Vec<Line> = Preset::all().flat_map(|preset| lines(preset, &mut checks)).collect();
    let many = |verdict| tests.iter().filter(|t| t.verdict == verdict).count();
    let (passed, failed, skipped) = (many(Verdict::Pass), many(Verdict::Fail), many(Verdict::Skip));
    match format {
        Format::Json => json(&Report { tests, passed, failed, skipped })?,
        Format::Text => {
            tests.iter().for_each(Line::print);
            println!("{passed} passed, {failed} failed, {skipped} skipped.");
        }
    }
    match (failed, passed) {
        (0, 0) => Err(Failure::could_not(format!("nothing was tested: all {skipped} tests were skipped"))),
        (0, _) => Ok(()),
        _ => Err(Failure::could_not(format!("{failed} counters do not count what they should"))),
    }
}

impl Line {
    fn print(&self) {
        let verdict = match self.verdict {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::Skip => "SKIP",
        };
        print!("{verdict} {:<12}", self.preset);
        if let (Some(kernel), Some([from, to])) = (self.kernel, self.expected) {
            print!("  {kernel}: expected {from:.0} to {to:.0}");
        }
        if let Some(counted) = self.counted {
            print!(", counted {counted:.0}");
        }
        match &self.reason {
            Some(reason) => println!("  {reason}"),
            None => println!(),
        }
    }
}
