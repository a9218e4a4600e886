//! Counts kernels whose counts are known, and reports where the counters differ.

mod checks;
mod kernels;

use common::counters;
use common::events::{Event, Preset, map};
use common::failure::Failure;
use serde::Serialize;

use crate::args::Format;
use crate::hardware::Hardware;
use crate::page::{Page, json};
use checks::Check;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
enum Verdict {
    Pass,
    Fail,
    Skip,
}

#[derive(Debug, Serialize)]
struct TestLine {
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

/// The page that users send back: what its reader must know about the machine, and nothing
/// about its owner.
#[derive(Debug, Serialize)]
struct Report {
    kit: &'static str,
    /// The checksum of the tables that define the presets.
    tables: String,
    hardware: Hardware,
    tests: Vec<TestLine>,
    passed: usize,
    failed: usize,
    skipped: usize,
}

fn skip(preset: Preset, reason: String) -> TestLine {
    TestLine {
        preset: preset.name(),
        verdict: Verdict::Skip,
        kernel: None,
        expected: None,
        counted: None,
        reason: Some(reason),
    }
}

/// All checks of a preset; one skip if it cannot be counted or has none.
fn lines(preset: Preset, checks: &mut Option<Vec<Check>>) -> Vec<TestLine> {
    if let Some(Err(refusal)) = counters::survey(&[Event::Preset(preset)]).pop() {
        return vec![skip(preset, refusal.to_string())];
    }
    let mine: Vec<&mut Check> = checks
        .get_or_insert_with(checks::all)
        .iter_mut()
        .filter(|c| c.presets.contains(&preset.name()))
        .collect();
    if mine.is_empty() {
        return vec![skip(preset, "the kit has no kernel with a known answer".into())];
    }
    mine.into_iter().map(|check| line(preset, check)).collect()
}

fn line(preset: Preset, check: &mut Check) -> TestLine {
    let Some(run) = &mut check.run else { return skip(preset, check.unavailable.to_owned()) };
    let counted = counters::count(&[Event::Preset(preset)], &mut || {}, run);
    let reading = match counted.map(|mut readings| readings.pop()) {
        Ok(Some(reading)) => reading,
        Ok(None) => return skip(preset, "no reading".into()),
        Err(error) => return skip(preset, error.to_string()),
    };
    let inside = |amount: f64| (check.expected[0]..=check.expected[1]).contains(&amount);
    let (verdict, reason) = match reading.amount() {
        Some(_) if reading.multiplexed().is_some() => {
            (Verdict::Skip, Some("other programs used the counters: only an estimate".into()))
        }
        Some(amount) if inside(amount) => (Verdict::Pass, None),
        Some(_) => (Verdict::Fail, None),
        // The survey said that it can be counted, so a refusal now is a failure.
        None => (Verdict::Fail, Some(reading.to_string())),
    };
    TestLine {
        preset: preset.name(),
        verdict,
        kernel: Some(check.kernel),
        expected: Some(check.expected),
        counted: reading.amount(),
        reason,
    }
}

pub(crate) fn print(format: Format) -> Result<(), Failure> {
    let report = Report::of_this_machine();
    match format {
        Format::Json => json(&report)?,
        Format::Text => report.page().print()?,
    }
    match (report.failed, report.passed) {
        (0, 0) => {
            Err(Failure::could_not(format!("nothing was tested: all {} tests were skipped", report.skipped)))
        }
        (0, _) => Ok(()),
        (failed, _) => Err(Failure::could_not(format!("{failed} counters do not count what they should"))),
    }
}

impl Report {
    fn of_this_machine() -> Report {
        // Memory is allocated when the first event turns out to be countable.
        let mut checks = None;
        let tests: Vec<TestLine> = Preset::all().flat_map(|preset| lines(preset, &mut checks)).collect();
        let many = |verdict| tests.iter().filter(|t| t.verdict == verdict).count();
        let (passed, failed, skipped) = (many(Verdict::Pass), many(Verdict::Fail), many(Verdict::Skip));
        Report {
            kit: common::VERSION,
            tables: format!("{:016x}", map::fingerprint()),
            hardware: Hardware::host(),
            tests,
            passed,
            failed,
            skipped,
        }
    }

    fn page(&self) -> Page {
        let mut page = Page::default();
        page.line("Self-test of lab kit", self.kit);
        page.line("Preset tables", &self.tables);
        self.hardware.write_counting_to(&mut page);
        page.rule();
        self.tests.iter().filter(|test| test.verdict != Verdict::Skip).for_each(|test| page.say(test.text()));
        for (reason, presets) in self.skips() {
            page.say(format_args!("SKIP {reason}:"));
            presets.chunks(5).for_each(|some| page.say(format_args!("       {}", some.join(" "))));
        }
        page.rule();
        let Report { passed, failed, skipped, .. } = self;
        page.say(format_args!("{passed} passed, {failed} failed, {skipped} skipped."));
        page
    }

    /// The reasons why presets were skipped, without repetitions.
    fn skips(&self) -> Vec<(String, Vec<&'static str>)> {
        let mut skips: Vec<(String, Vec<&str>)> = Vec::new();
        for test in self.tests.iter().filter(|test| test.verdict == Verdict::Skip) {
            let reason = test.reason.as_deref().unwrap_or("without a reason").replace(test.preset, "it");
            match skips.iter_mut().find(|(told, _)| *told == reason) {
                Some((_, presets)) => presets.push(test.preset),
                None => skips.push((reason, vec![test.preset])),
            }
        }
        skips
    }
}

impl TestLine {
    fn text(&self) -> String {
        let verdict = if self.verdict == Verdict::Pass { "PASS" } else { "FAIL" };
        let kernel = self.kernel.zip(self.expected);
        let kernel = kernel.map(|(kernel, [from, to])| format!("  {kernel}: expected {from:.0} to {to:.0}"));
        let counted = self.counted.map(|counted| format!(", counted {counted:.0}"));
        let reason = self.reason.as_ref().map(|reason| format!("  {reason}"));
        let rest: String = [kernel, counted, reason].into_iter().flatten().collect();
        format!("{verdict} {:<12}{rest}", self.preset)
    }
}
