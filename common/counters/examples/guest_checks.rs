//! Holds the counters against figures known beforehand, on a machine whose PMU
//! counts exactly: an emulated one. `scripts/guest_tests.sh` runs it there.
//!
//!     guest_checks riscv64 | sampling | arm64    the checks for that machine

use std::arch::asm;
use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;

use counters::{Counting, Sampler, num_counters};
use events::Event;

type Outcome = Result<String, Box<dyn Error>>;
type Check = (&'static str, fn() -> Outcome);

/// User instructions that starting and stopping themselves may take.
const OVERHEAD: f64 = 200.0;

const RISCV64: &[Check] = &[
    ("instructions of a loop, cycles twice that", instructions_and_cycles),
    ("data TLB misses of a walk", tlb_walk),
    ("cycles, instructions and task-clock in one group", one_group),
    ("read and reset", read_reset),
    ("threads are counted", threads),
];
/// For a machine on which one instruction is one cycle: where it is two, the
/// emulator itself loses one sample in forty.
const SAMPLING: &[Check] =
    &[("samples every million cycles", samples), ("more samples than the buffer holds", full)];
const ARM64: &[Check] = &[
    ("instructions of a loop", instructions),
    ("ten events on six counters", shared),
    ("read and reset", read_reset),
    ("threads are counted", threads),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let checks = match args.first().map(String::as_str) {
        Some("riscv64") => RISCV64,
        Some("sampling") => SAMPLING,
        Some("arm64") => ARM64,
        _ => {
            eprintln!("guest_checks: say riscv64, sampling or arm64");
            return ExitCode::from(2);
        }
    };
    let failed = checks.iter().filter(|(name, check)| !passes(name, check())).count();
    println!("{} checks, {failed} failed", checks.len());
    ExitCode::from(u8::from(failed > 0))
}

fn passes(name: &str, outcome: Outcome) -> bool {
    let (verdict, text) = match &outcome {
        Ok(found) => ("PASS", found.clone()),
        Err(why) => ("FAIL", why.to_string()),
    };
    println!("{verdict}\t{name}\t{text}");
    outcome.is_ok()
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

fn open(names: &[&str]) -> Result<Counting, Box<dyn Error>> {
    let events: Vec<Event> = names.iter().map(|name| Event::parse(name)).collect::<Result<_, _>>()?;
    Ok(Counting::of_thread(&events))
}

fn counted(counting: &mut Counting, mut body: impl FnMut()) -> Result<Vec<f64>, Box<dyn Error>> {
    amounts(counting.count(&mut || {}, &mut body)?)
}

fn amounts(readings: Vec<figures::value::Reading>) -> Result<Vec<f64>, Box<dyn Error>> {
    readings.into_iter().map(|reading| reading.amount().ok_or_else(|| reading.to_string().into())).collect()
}

fn near(what: &str, found: f64, from: f64, to: f64) -> Result<(), Box<dyn Error>> {
    if (from..=to).contains(&found) {
        return Ok(());
    }
    Err(format!("{what}: {found}, expected {from} to {to}").into())
}

/// What is counted of loops of 10^3 to 10^8 iterations, beyond their own instructions;
/// starting and stopping takes the same number each time.
fn loops(counting: &mut Counting) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let mut all = Vec::new();
    for n in (3..=8).map(|power| 10_u64.pow(power)) {
        let mut found = counted(counting, || turn(n))?;
        if let Some(cycles) = found.get(1) {
            near("cycles less twice the instructions", cycles - 2.0 * found[0], 0.0, 0.0)?;
        }
        found[0] -= 2.0 * n as f64;
        near(&format!("instructions of {n} iterations, beyond 2 each"), found[0], 0.0, OVERHEAD)?;
        all.push(found);
    }
    let second = all[1][0];
    all.iter()
        .try_for_each(|one| near("instructions beyond the loop's", one[0], second - 10.0, second + 10.0))?;
    Ok(all)
}

fn instructions() -> Outcome {
    Ok(format!("{:?}", loops(&mut open(&["PAPI_TOT_INS"])?)?))
}

fn instructions_and_cycles() -> Outcome {
    Ok(format!("{:?}", loops(&mut open(&["PAPI_TOT_INS", "PAPI_TOT_CYC"])?)?))
}

fn tlb_walk() -> Outcome {
    let bytes = vec![1u8; 4 << 20];
    let found = counted(&mut open(&["dTLB-load-misses"])?, || {
        black_box(bytes.iter().fold(0u64, |sum, byte| sum + u64::from(*black_box(byte))));
    })?[0];
    near("dTLB read misses of 1024 pages", found, 1024.0, 1040.0)?;
    Ok(format!("{found} for 1024 pages"))
}

fn one_group() -> Outcome {
    let mut counting = open(&["PAPI_TOT_CYC", "PAPI_TOT_INS", "task-clock"])?;
    near("groups", counting.passes() as f64, 1.0, 1.0)?;
    let found = counted(&mut counting, || turn(10_000_000))?;
    near("instructions", found[1], 2e7, 2e7 + OVERHEAD)?;
    near("cycles", found[0], 2.0 * found[1], 2.0 * found[1])?;
    // One instruction is 2 ns of the emulated machine's time.
    near("task-clock", found[2], 4e7, 4.4e7)?;
    Ok(format!("{found:?}, {} counters", num_counters()))
}

fn read_reset() -> Outcome {
    let mut counting = open(&["PAPI_TOT_INS"])?;
    counting.start()?;
    turn(1000);
    let first = amounts(counting.read()?)?[0];
    turn(1000);
    let second = amounts(counting.reset()?)?[0];
    turn(1000);
    let last = amounts(counting.stop()?)?[0];
    // Each call adds what reading and converting takes in the program itself.
    near("after the first read", first, 2000.0, 2000.0 + 2000.0)?;
    near("at the reset", second, 4000.0, 4000.0 + 6000.0)?;
    near("after the reset", last, 2000.0, 2000.0 + 4000.0)?;
    Ok(format!("read {first}, then {second}, after reset {last}"))
}

fn threads() -> Outcome {
    let mut counting = Counting::open(&[Event::TOT_INS]);
    let three = || {
        std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(|| turn(10_000_000)))));
    };
    let found = [counted(&mut counting, three)?[0], counted(&mut counting, three)?[0]];
    found.iter().try_for_each(|found| near("instructions of three threads", *found, 6e7, 6.02e7))?;
    Ok(format!("{found:?} in three threads of 2e7"))
}

/// Planned runs give exact counts, and turns on the counters estimates that say so.
fn shared() -> Outcome {
    let events: Vec<Event> = (0..10).map(|_| Event::TOT_INS).collect();
    let mut counting = Counting::of_thread(&[&events[..1], &[Event::TOT_CYC]].concat());
    near("groups", counting.passes() as f64, 1.0, 1.0)?;
    let found = counted(&mut counting, || turn(10_000_000))?;
    near("instructions", found[0], 2e7, 2e7 + OVERHEAD)?;
    let counters = num_counters();
    near("counters", counters as f64, 2.0, 7.0)?;
    Ok(format!("{found:?}, {counters} counters"))
}

fn samples() -> Outcome {
    let mut sampler = Sampler::new(&Event::TOT_CYC, 1_000_000)?;
    sampler.resume()?;
    turn(50_000_000);
    sampler.pause()?;
    turn(5_000_000);
    let samples = sampler.finish()?;
    let start = turn as fn(u64) as usize as u64;
    let (all, inside) = (samples.addresses.len() as f64, samples.within(start..start + 64) as f64);
    near("samples in 100 million cycles", all, 99.0, 100.0)?;
    near("of them in the loop", inside, all, all)?;
    Ok(format!("{all} samples in {} cycles, all in the loop, {} lost", samples.count.value, samples.lost))
}

/// As many as were due are there or reported as lost, but for one at each end.
fn full() -> Outcome {
    let mut sampler = Sampler::new(&Event::TOT_CYC, 20_000)?;
    sampler.resume()?;
    turn(400_000_000);
    let samples = sampler.finish()?;
    let (all, due) = (samples.addresses.len() as f64, (samples.count.value / samples.period) as f64);
    near("samples lost", samples.lost as f64, 1.0, due)?;
    near("samples, and those lost", all + samples.lost as f64, due - 1.0, due + 1.0)?;
    Ok(format!("{due} due, {all} read, {} reported as lost, {} pauses", samples.lost, samples.throttled))
}
