//! Holds the counters against figures known beforehand, on a machine whose PMU
//! counts exactly: an emulated one. `scripts/guest_tests.sh` runs it there.
//!
//!     guest_checks riscv64 | sampling | arm64 | everything    the checks for that machine
//!     guest_checks refused WORDS EVENT..                      every event must be refused with WORDS

mod sampling;
mod sharing;

use std::arch::asm;
use std::hint::black_box;
use std::process::ExitCode;

use counters::papi::{self, EventSet};
use events::Event;
use figures::value::Reading;

type Outcome = Result<String, String>;
type Check = (&'static str, fn() -> Outcome);

/// User instructions that starting and stopping themselves may take.
const OVERHEAD: f64 = 200.0;

const RISCV64: &[Check] = &[
    ("instructions of a loop, cycles twice that", instructions_and_cycles),
    ("data TLB misses of a walk", tlb_walk),
    ("cycles, instructions and task-clock in one group", one_group),
    ("read, accum, reset", read_accum_reset),
    ("threads are counted", threads),
    ("high-level interface", high_level),
    ("an event of another kind of machine", not_here),
];

/// For a machine whose counters can leave nothing out.
const EVERYTHING: &[Check] = &[("the kernel's work counts, and a note says so", everything)];

/// For a machine on which one instruction is one cycle: where it is two, the
/// emulator itself loses one sample in forty.
const SAMPLING: &[Check] = &[
    ("samples every million cycles", sampling::samples),
    ("overflow handler", sampling::overflows),
    ("overflows that come too fast", sampling::too_fast),
    ("profile by address", sampling::profile),
    ("more samples than the buffer holds", sampling::full),
];

const ARM64: &[Check] = &[
    ("instructions of a loop", instructions),
    ("ten events on six counters", sharing::multiplexed),
    ("a group too large", sharing::too_large),
    ("pinned events that find no counter", sharing::pinned),
    ("planned runs instead of sharing", sharing::planned),
    ("read, accum, reset", read_accum_reset),
    ("threads are counted", threads),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let checks = match args.first().map(String::as_str) {
        Some("riscv64") => RISCV64,
        Some("sampling") => SAMPLING,
        Some("arm64") => ARM64,
        Some("everything") => EVERYTHING,
        Some("refused") if args.len() > 2 => return verdict("refusal", refused(&args[1], &args[2..])),
        _ => {
            eprintln!("guest_checks: say riscv64, sampling, arm64, everything, or refused WORDS EVENT..");
            return ExitCode::from(2);
        }
    };
    let failed = checks.iter().filter(|(name, check)| verdict(name, check()) != ExitCode::SUCCESS).count();
    println!("{} checks, {failed} failed", checks.len());
    ExitCode::from(u8::from(failed > 0))
}

fn verdict(name: &str, outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(found) => {
            println!("PASS\t{name}\t{found}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("FAIL\t{name}\t{why}");
            ExitCode::FAILURE
        }
    }
}

fn refused(words: &str, events: &[String]) -> Outcome {
    let mut sentences = Vec::new();
    for name in events {
        let event = Event::parse(name).map_err(|e| e.to_string())?;
        match counters::survey(&[event]).pop() {
            Some(Err(refusal)) if refusal.to_string().contains(words) => sentences.push(refusal.to_string()),
            Some(Err(refusal)) => return Err(format!("{name}: {refusal}")),
            _ => return Err(format!("{name} was not refused")),
        }
    }
    Ok(sentences.join(" | "))
}

/// Two instructions for each of `times`.
#[inline(never)]
fn turn(times: u64) {
    // SAFETY: counts a register down.
    unsafe {
        #[cfg(target_arch = "riscv64")]
        asm!("1: addi {0}, {0}, -1", "bnez {0}, 1b", inout(reg) times => _);
        #[cfg(target_arch = "aarch64")]
        asm!("1: subs {0}, {0}, #1", "b.ne 1b", inout(reg) times => _);
        #[cfg(target_arch = "x86_64")]
        asm!("2: sub {0}, 1", "jnz 2b", inout(reg) times => _);
    }
}

fn set_of(names: &[&str]) -> Result<EventSet, String> {
    let mut set = EventSet::create();
    for name in names {
        set.add(&event(name)?).map_err(|e| e.to_string())?;
    }
    Ok(set)
}

fn event(name: &str) -> Result<Event, String> {
    Event::parse(name).map_err(|e| e.to_string())
}

fn counted(set: &mut EventSet, body: impl FnOnce()) -> Result<Vec<f64>, String> {
    set.start().map_err(|e| e.to_string())?;
    body();
    amounts(set.stop().map_err(|e| e.to_string())?)
}

fn amounts(readings: Vec<Reading>) -> Result<Vec<f64>, String> {
    readings.into_iter().map(|r| r.amount().ok_or_else(|| r.to_string())).collect()
}

fn near(what: &str, found: f64, from: f64, to: f64) -> Result<(), String> {
    if (from..=to).contains(&found) {
        Ok(())
    } else {
        Err(format!("{what}: {found}, expected {from} to {to}"))
    }
}

fn instructions() -> Outcome {
    let mut set = set_of(&["PAPI_TOT_INS"])?;
    let mut over = Vec::new();
    for n in (3..=8).map(|power| 10u64.pow(power)) {
        let found = counted(&mut set, || turn(n))?[0];
        near(&format!("instructions of {n} iterations"), found - 2.0 * n as f64, 0.0, OVERHEAD)?;
        over.push(found - 2.0 * n as f64);
    }
    same_overhead(&over)?;
    Ok(format!("10^3 to 10^8 iterations, beyond 2 each: {over:?}"))
}

fn instructions_and_cycles() -> Outcome {
    let mut set = set_of(&["PAPI_TOT_INS", "PAPI_TOT_CYC"])?;
    let mut over = Vec::new();
    for n in (3..=8).map(|power| 10u64.pow(power)) {
        let found = counted(&mut set, || turn(n))?;
        near(&format!("instructions of {n} iterations"), found[0] - 2.0 * n as f64, 0.0, OVERHEAD)?;
        near(
            &format!("cycles less twice the instructions, {n} iterations"),
            found[1] - 2.0 * found[0],
            0.0,
            0.0,
        )?;
        over.push(found[0] - 2.0 * n as f64);
    }
    same_overhead(&over)?;
    Ok(format!("10^3 to 10^8 iterations, beyond 2 each: {over:?}; cycles exactly twice"))
}

/// Starting and stopping takes the same number of instructions each time, but
/// for the first, which has more to set up.
fn same_overhead(over: &[f64]) -> Result<(), String> {
    over.iter().try_for_each(|o| near("instructions beyond the loop's", *o, over[1] - 10.0, over[1] + 10.0))
}

fn tlb_walk() -> Outcome {
    let bytes = vec![1u8; 4 << 20];
    let mut set = set_of(&["dTLB-load-misses"])?;
    let found = counted(&mut set, || {
        let sum = bytes.iter().fold(0u64, |sum, byte| sum + u64::from(*black_box(byte)));
        black_box(sum);
    })?[0];
    near("dTLB read misses of 1024 pages", found, 1024.0, 1040.0)?;
    Ok(format!("{found} for 1024 pages"))
}

fn one_group() -> Outcome {
    let mut set = set_of(&["PAPI_TOT_CYC", "PAPI_TOT_INS", "task-clock"])?;
    let found = counted(&mut set, || turn(10_000_000))?;
    near("instructions", found[1], 2e7, 2e7 + OVERHEAD)?;
    near("cycles", found[0], 2.0 * found[1], 2.0 * found[1])?;
    // One instruction is 2 ns of the emulated machine's time.
    near("task-clock", found[2], 4e7, 4.4e7)?;
    Ok(format!("{found:?}"))
}

fn read_accum_reset() -> Outcome {
    let mut set = set_of(&["PAPI_TOT_INS"])?;
    let mut totals = set.zeros();
    set.start().map_err(|e| e.to_string())?;
    turn(1000);
    let first = amounts(set.read().map_err(|e| e.to_string())?)?[0];
    turn(1000);
    set.accum(&mut totals).map_err(|e| e.to_string())?;
    turn(1000);
    set.accum(&mut totals).map_err(|e| e.to_string())?;
    turn(1000);
    set.reset().map_err(|e| e.to_string())?;
    turn(1000);
    let last = amounts(set.stop().map_err(|e| e.to_string())?)?[0];
    let total = amounts(totals)?[0];
    // Each call adds what reading and converting takes in the program itself.
    near("after the first read", first, 2000.0, 2000.0 + 2000.0)?;
    near("accumulated", total, 6000.0, 6000.0 + 12000.0)?;
    near("after the reset", last, 2000.0, 2000.0 + 2000.0)?;
    Ok(format!("read {first}, accumulated {total}, after reset {last}"))
}

fn threads() -> Outcome {
    let ran = counters::count(&[Event::TOT_INS], &mut || {}, &mut || {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| turn(10_000_000));
            }
        });
    });
    let found = amounts(ran.map_err(|e| e.to_string())?)?[0];
    near("instructions of three threads", found, 6e7, 6.02e7)?;
    Ok(format!("{found} in three threads of 2e7"))
}

fn high_level() -> Outcome {
    papi::start_counters(&[Event::TOT_INS, Event::TOT_CYC]).map_err(|e| e.to_string())?;
    turn(100_000);
    let first = amounts(papi::read_counters().map_err(|e| e.to_string())?)?;
    turn(100_000);
    let last = amounts(papi::stop_counters().map_err(|e| e.to_string())?)?;
    near("instructions at the first read", first[0], 2e5, 2e5 + 4000.0)?;
    near("instructions since", last[0], 2e5, 2e5 + 8000.0)?;
    papi::ipc().map_err(|e| e.to_string())?;
    turn(1_000_000);
    let rate = papi::ipc().map_err(|e| e.to_string())?;
    near("instructions per cycle", rate.ipc, 0.5, 0.5)?;
    Ok(format!("{} counters, read {}, then {}, ipc {}", papi::num_counters(), first[0], last[0], rate.ipc))
}

fn everything() -> Outcome {
    let told = counters::definition(&Event::TOT_INS).map_err(|e| e.to_string())?;
    let note = told.notes.last().ok_or("no note")?;
    if !note.contains("cannot exclude anything") {
        return Err((*note).to_owned());
    }
    let mut set = set_of(&["PAPI_TOT_INS"])?;
    // Each new page is the kernel's work: some hundred instructions.
    let found = counted(&mut set, || drop(black_box(vec![1u8; 4 << 20])))?[0];
    near("instructions of 1024 new pages", found, 1024.0 * 100.0, 1024.0 * 1e5)?;
    Ok(format!("{found} instructions for 1024 new pages: {note}"))
}

fn not_here() -> Outcome {
    match counters::survey(&[Event::L1_DCM]).pop() {
        Some(Err(refusal)) if refusal.to_string().contains("no counter for") => Ok(refusal.to_string()),
        other => Err(format!("{other:?}")),
    }
}
