//! Counts loops whose counts are known, and reports where the counters differ. What every
//! preset of every processor opens is tested on simulated kernels, in `common/counters`.

use std::arch::asm;
use std::hint::black_box;

use common::counters::Counting;
use common::events::{Event, Preset, map};
use common::failure::Failure;
use serde::Serialize;

use crate::args::Format;
use crate::hardware::Hardware;
use crate::page::{Page, json};

const MILLION: u64 = 1_000_000;

/// Largest addition by starting and stopping, and by the return from an interrupt.
const SLACK: f64 = 1000.0;

/// A loop, the presets that it checks, and the expected counts.
struct Check {
    presets: &'static [&'static str],
    kernel: &'static str,
    run: fn(u64),
    expected: [f64; 2],
}

const CHECKS: [Check; 6] = [
    Check {
        presets: &["PAPI_TOT_INS"],
        kernel: "million iterations of 2 instructions",
        run: count_down,
        expected: [2e6, 2e6 * 1.001 + SLACK],
    },
    Check {
        presets: &["PAPI_BR_INS", "PAPI_BR_CN", "PAPI_BR_TKN", "PAPI_BR_PRC"],
        kernel: "million iterations of one branch",
        run: count_down,
        expected: [1e6 - 1.0, 1e6 * 1.001 + SLACK],
    },
    Check {
        presets: &["PAPI_BR_MSP", "PAPI_BR_NTK", "PAPI_BR_UCN"],
        kernel: "million iterations of one branch",
        run: count_down,
        expected: [0.0, SLACK],
    },
    Check {
        presets: &["PAPI_LD_INS", "PAPI_LST_INS", "PAPI_L1_DCR", "PAPI_L1_DCA"],
        kernel: "million loads",
        run: load,
        expected: [1e6, 1e6 * 1.001 + SLACK],
    },
    Check {
        presets: &["PAPI_SR_INS", "PAPI_LST_INS", "PAPI_L1_DCW", "PAPI_L1_DCA"],
        kernel: "million stores",
        run: store,
        expected: [1e6, 1e6 * 1.001 + SLACK],
    },
    Check {
        presets: &["PAPI_TOT_CYC"],
        kernel: "million dependent additions",
        run: chain,
        expected: [0.98e6, 1.05e6],
    },
];

/// A loop of `times` iterations in each processor's own instructions; `$address` is an
/// operand of the body.
macro_rules! iterations {
    ($name:ident, $doc:literal, $x86:literal, $arm:literal, $riscv:literal) => {
        #[doc = $doc]
        #[inline(never)]
        fn $name(times: u64) {
            let mut place = black_box(1_u64);
            // SAFETY: counts a register down, and accesses a local variable.
            unsafe {
                #[cfg(target_arch = "x86_64")]
                asm!(concat!("2:", $x86), "sub {0}, 1", "jnz 2b", "/* {1} {2} */",
                    inout(reg) times => _, out(reg) _, in(reg) &mut place);
                #[cfg(target_arch = "aarch64")]
                asm!(concat!("2:", $arm), "subs {0}, {0}, #1", "b.ne 2b", "/* {1} {2} */",
                    inout(reg) times => _, out(reg) _, in(reg) &mut place);
                #[cfg(target_arch = "riscv64")]
                asm!(concat!("2:", $riscv), "addi {0}, {0}, -1", "bnez {0}, 2b", "/* {1} {2} */",
                    inout(reg) times => _, out(reg) _, in(reg) &mut place);
            }
            black_box(place);
        }
    };
}
iterations!(count_down, "One subtraction and one conditional branch.", "", "", "");
iterations!(load, "One load, too.", "mov {1}, [{2}]", "ldr {1}, [{2}]", "ld {1}, 0({2})");
iterations!(store, "One store, too.", "mov [{2}], {0}", "str {0}, [{2}]", "sd {0}, 0({2})");

/// Additions that depend on each other: one cycle each on any core without value prediction.
#[inline(never)]
fn chain(times: u64) {
    for _ in 0..times / 100 {
        // SAFETY: adds in registers.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!(".rept 100", "add {0}, {0}", ".endr", inout(reg) times => _);
            #[cfg(not(target_arch = "x86_64"))]
            asm!(".rept 100", "add {0}, {0}, {0}", ".endr", inout(reg) times => _);
        }
    }
}

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

/// All checks of a preset; one skip if it cannot be counted or has none.
fn lines(preset: Preset) -> Vec<TestLine> {
    let skip = |reason: String| TestLine {
        preset: preset.name(),
        verdict: Verdict::Skip,
        kernel: None,
        expected: None,
        counted: None,
        reason: Some(reason),
    };
    let mut counting = Counting::open(&[Event::Preset(preset)]);
    if let Some(Err(refusal)) = counting.definitions().first() {
        return vec![skip(refusal.to_string())];
    }
    let mut line = |check: &Check| {
        let reading = match counting.count(&mut || {}, &mut || (check.run)(MILLION)) {
            Ok(readings) => readings.into_iter().next(),
            Err(error) => return skip(error.to_string()),
        };
        let Some(reading) = reading else { return skip("no reading".to_owned()) };
        if reading.multiplexed().is_some() {
            return skip("other programs used the counters: only an estimate".to_owned());
        }
        let counted = reading.amount();
        let [from, to] = check.expected;
        let verdict = match counted.is_some_and(|amount| (from..=to).contains(&amount)) {
            true => Verdict::Pass,
            false => Verdict::Fail,
        };
        let (kernel, expected) = (Some(check.kernel), Some(check.expected));
        let reason = counted.is_none().then(|| reading.to_string());
        TestLine { preset: preset.name(), verdict, kernel, expected, counted, reason }
    };
    let mine = CHECKS.iter().filter(|check| check.presets.contains(&preset.name()));
    let lines: Vec<TestLine> = mine.map(&mut line).collect();
    if lines.is_empty() { vec![skip("the kit has no loop with a known answer".to_owned())] } else { lines }
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
        let tests: Vec<TestLine> = Preset::all().flat_map(lines).collect();
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
            match skips.iter_mut().find(|(other, _)| *other == reason) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_of_presets_and_its_loop_ends() {
        for check in &CHECKS {
            assert!(check.presets.iter().all(|name| Preset::named(name).is_some()), "{:?}", check.presets);
            (check.run)(1000);
        }
    }
}
