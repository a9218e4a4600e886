//! Counts loops whose counts are known, and reports where the counters differ. What every
//! preset of every processor opens is tested on simulated kernels, in `common/counters`.

use std::arch::asm;
use std::collections::BTreeMap;
use std::hint::black_box;

use common::core_clock;
use common::counters::Counting;
use common::events::{Event, Preset};
use common::failure::Failure;
use serde::Serialize;

use crate::args::Format;
use crate::hardware::Hardware;
use crate::page::{Page, json};

const MILLION: u64 = 1_000_000;

/// The presets that a loop checks, what it does, the loop, and the expected counts.
type Check = (&'static [&'static str], &'static str, fn(u64), [f64; 2]);

/// A million events; more may be added by starting, stopping and the return from an interrupt.
const ONE_EACH: [f64; 2] = [1e6 - 1.0, 1e6 * 1.001 + 1000.0];
const LOADS: &[&str] = &["PAPI_LD_INS", "PAPI_LST_INS", "PAPI_L1_DCR", "PAPI_L1_DCA"];
const STORES: &[&str] = &["PAPI_SR_INS", "PAPI_LST_INS", "PAPI_L1_DCW", "PAPI_L1_DCA"];
const BRANCHES: &[&str] = &["PAPI_BR_INS", "PAPI_BR_CN", "PAPI_BR_TKN", "PAPI_BR_PRC"];
const OTHER_BRANCHES: &[&str] = &["PAPI_BR_MSP", "PAPI_BR_NTK", "PAPI_BR_UCN"];

const CHECKS: [Check; 6] = [
    (&["PAPI_TOT_INS"], "million iterations of 2 instructions", count_down, [2e6, 2e6 * 1.001 + 1000.0]),
    (BRANCHES, "million iterations of one branch", count_down, ONE_EACH),
    (OTHER_BRANCHES, "million iterations of one branch", count_down, [0.0, 1000.0]),
    (LOADS, "million loads", load, ONE_EACH),
    (STORES, "million stores", store, ONE_EACH),
    (&["PAPI_TOT_CYC"], "million dependent additions", chain, [0.98e6, 1.05e6]),
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
fn chain(times: u64) {
    core_clock::wait(times as u32);
}

/// The result of a check, or why a preset was not checked.
#[derive(Debug, Serialize)]
struct TestLine {
    preset: &'static str,
    verdict: &'static str,
    reason: String,
}

/// The page that users send back: what its reader must know about the machine, and nothing
/// about its owner.
#[derive(Debug, Serialize)]
struct Report {
    kit: &'static str,
    hardware: Hardware,
    tests: Vec<TestLine>,
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// All checks of a preset; one skip if it cannot be counted or has none.
fn lines(preset: Preset) -> Vec<TestLine> {
    let line = |verdict, reason: String| TestLine { preset: preset.name(), verdict, reason };
    let mut counting = Counting::open(&[Event::Preset(preset)]);
    if let Some(Err(refusal)) = counting.definitions().first() {
        return vec![line("SKIP", refusal.to_string())];
    }
    let mut lines = Vec::new();
    for (_, kernel, run, [from, to]) in CHECKS.iter().filter(|check| check.0.contains(&preset.name())) {
        let counted = counting.count(&mut || {}, &mut || run(MILLION));
        lines.push(match counted.as_deref() {
            Err(error) => line("SKIP", error.to_string()),
            Ok([reading]) if reading.multiplexed().is_none() => {
                let passes = reading.amount().is_some_and(|amount| (*from..=*to).contains(&amount));
                let verdict = if passes { "PASS" } else { "FAIL" };
                line(verdict, format!("{kernel}: expected {from:.0} to {to:.0}, counted {reading:.0}"))
            }
            Ok(_) => line("SKIP", "other programs used the counters: only an estimate".to_owned()),
        });
    }
    if lines.is_empty() {
        lines.push(line("SKIP", "the kit has no loop with a known answer".to_owned()));
    }
    lines
}

pub(crate) fn print(format: Format) -> Result<(), Failure> {
    let tests: Vec<TestLine> = Preset::all().flat_map(lines).collect();
    let [passed, failed, skipped] =
        ["PASS", "FAIL", "SKIP"].map(|verdict| tests.iter().filter(|test| test.verdict == verdict).count());
    let report = Report { kit: common::VERSION, hardware: Hardware::host(), tests, passed, failed, skipped };
    match format {
        Format::Json => json(&report)?,
        Format::Text => page(&report).print()?,
    }
    match (failed, passed) {
        (0, 0) => Err(Failure::could_not(format!("nothing was tested: all {skipped} tests were skipped"))),
        (0, _) => Ok(()),
        (failed, _) => Err(Failure::could_not(format!("{failed} counters do not count what they should"))),
    }
}

fn page(report: &Report) -> Page {
    let mut page = Page::default();
    page.line("Self-test of lab kit", report.kit);
    report.hardware.write_to(&mut page);
    // Skips with one reason are listed together.
    let mut skips: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for TestLine { preset, verdict, reason } in &report.tests {
        match *verdict {
            "SKIP" => skips.entry(reason.replace(preset, "it")).or_default().push(preset),
            _ => page.say(format_args!("{verdict} {preset:<12}  {reason}")),
        }
    }
    for (reason, presets) in skips {
        page.say(format_args!("SKIP {reason}:"));
        presets.chunks(5).for_each(|some| page.say(format_args!("       {}", some.join(" "))));
    }
    page.rule();
    page.say(format_args!("{} passed, {} failed, {} skipped.", report.passed, report.failed, report.skipped));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_of_presets_and_its_loop_ends() {
        for (presets, _, run, _) in &CHECKS {
            assert!(presets.iter().all(|name| Preset::named(name).is_some()), "{presets:?}");
            run(1000);
        }
    }
}
