//! Why something cannot be counted: one sentence each, with what to do.

use std::io;

use super::definition::{Part, Scope};
use super::environment::Environment;
use super::error::{Code, CounterError};
use super::kernel::{Count, Errno};
use events::{Event, kernel as names};

/// What the machine opens of its basic events; asked only after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Basics {
    pub(crate) cycles: bool,
    pub(crate) instructions: bool,
    /// The PMU cannot leave the kernel out of its counts, which is forbidden.
    pub(crate) kernel_included: bool,
}

/// Turns the kernel's error number into the obstacles behind it, all that are known.
pub(crate) fn diagnose(
    error: &io::Error,
    part: &Part,
    environment: &Environment,
    basics: impl FnOnce() -> Basics,
) -> CounterError {
    let (event, software) = (&part.name, part.encoding.is_software());
    let invalid = |why: &str| CounterError::new(Code::Einval, format!("the kernel refuses {event}: {why}"));
    let other = || {
        let errno = error.raw_os_error().unwrap_or(0);
        CounterError::new(Code::Esys, format!("the kernel does not open {event}: {error} (errno {errno})"))
    };
    let errno = Errno::of(error);
    let has_no_pmu = !software && environment.pmu == Some(false);
    let refused = match errno {
        Errno::Missing | Errno::Unsupported if !software => return missing(part, environment, basics()),
        Errno::Missing | Errno::Unsupported | Errno::Other => other(),
        // Any reason of a refused form is about a PMU, of which there is none.
        Errno::Invalid if has_no_pmu => return without_pmu(environment),
        Errno::Forbidden | Errno::Filtered => forbidden(part, environment, errno == Errno::Filtered),
        // The setting exists only in kernels that have the call.
        Errno::NoCall if environment.paranoid.is_some() => forbidden(part, environment, true),
        Errno::NoCall => CounterError::new(
            Code::Enocntr,
            "this system has no perf events (perf_event_open is not there); use a Linux kernel with CONFIG_PERF_EVENTS, or the cache model",
        ),
        Errno::Busy => CounterError::new(
            Code::Ecnflct,
            format!(
                "the counters are reserved by another program ({event}: device or resource busy); stop other profilers and try again"
            ),
        ),
        Errno::Invalid => match environment.paranoid.filter(|_| !software && basics().kernel_included) {
            Some(level) => CounterError::new(
                Code::Eperm,
                format!(
                    "this processor always counts the kernel's work too, and kernel.perf_event_paranoid {level} forbids that without CAP_PERFMON; `sudo sysctl kernel.perf_event_paranoid=1` allows it, and {event} then includes the kernel"
                ),
            ),
            None => invalid("it does not exist in this form, or the group is too large"),
        },
    };
    if has_no_pmu { both(without_pmu(environment), refused) } else { refused }
}

/// Two obstacles, each of which has to be removed.
fn both(one: CounterError, other: CounterError) -> CounterError {
    CounterError::new(one.code, format!("{one}; in addition, {other}"))
}

/// There is no PMU.
pub(crate) fn without_pmu(environment: &Environment) -> CounterError {
    let sentence = match &environment.virtual_machine {
        Some(machine) => {
            let remedy = match machine.as_str() {
                // Since WSL 0.50.2 of 2021 it passes the PMU through unless that is switched off.
                "WSL2" => {
                    "WSL2 passes one through by default if the processor and Windows support it: check that .wslconfig does not have hardwarePerformanceCounters=false and that WSL is up to date (`wsl --update`); otherwise count on Linux without WSL"
                }
                _ => "run the program on the real machine, or ask the administrator for performance counters in virtual machines (a virtual PMU)",
            };
            let this = environment.this_machine();
            format!("{this} has no hardware counters; {remedy}")
        }
        None => {
            "the kernel knows no performance counters on this processor; use another kernel or machine, or the cache model".to_owned()
        }
    };
    CounterError::new(Code::Enocntr, sentence)
}

/// The PMU works but lacks the event.
pub(crate) fn not_on_this_processor(event: &str) -> CounterError {
    let sentence = format!("this processor has no counter for {event}; `avail -a` lists what it has");
    CounterError::new(Code::Enoevnt, sentence)
}

/// The event opens but never runs.
pub(crate) fn never_ran(event: &str, environment: &Environment) -> CounterError {
    let watchdog = if environment.watchdog { ", or `sudo sysctl kernel.nmi_watchdog=0`" } else { "" };
    let sentence = format!(
        "{event} opens but never runs: every counter it could use is taken, or the program may not run on the cores that have it; stop other profilers, or leave out --cpu{watchdog}"
    );
    CounterError::new(Code::Ecnflct, sentence)
}

/// The event counts, but cannot be sampled.
pub(crate) fn no_interrupt(event: &str) -> CounterError {
    let sentence = format!(
        "this processor raises no interrupt when its counter of {event} overflows, so it can be counted but not sampled; sample task-clock"
    );
    CounterError::new(Code::Enoevnt, sentence)
}

fn missing(part: &Part, environment: &Environment, basics: Basics) -> CounterError {
    let instructions = part.encoding.kind == names::HARDWARE && part.encoding.config & 0xffff_ffff == 1;
    match (basics.cycles, basics.instructions) {
        (true, false) if instructions => CounterError::new(
            Code::Enoevnt,
            "this machine counts cycles but no instructions, as an emulator without instruction counting does; use the model or another machine",
        ),
        (false, false) => without_pmu(environment),
        _ => not_on_this_processor(&part.name),
    }
}

/// `filtered`: the call did not reach the kernel's own checks, which may forbid it too.
fn forbidden(part: &Part, environment: &Environment, filtered: bool) -> CounterError {
    let container = environment.container.as_deref();
    let on_the_host = if container.is_some() { " on the host" } else { "" };
    let setting = match environment.paranoid.filter(|_| !environment.privileged) {
        Some(level) if level > 2 => Some(format!(
            "kernel.perf_event_paranoid is {level}, which forbids all counters without CAP_PERFMON; `sudo sysctl kernel.perf_event_paranoid=2`{on_the_host} lifts it until the next boot"
        )),
        Some(level) if level > 1 && part.encoding.scope == Scope::ProgramAndKernel => Some(format!(
            "{} happens inside the kernel, which kernel.perf_event_paranoid {level} forbids to count without CAP_PERFMON; `sudo sysctl kernel.perf_event_paranoid=1` allows it, and getrusage reports it without",
            part.name
        )),
        _ => None,
    };
    let sealed = match container.filter(|_| environment.seccomp) {
        Some(name) => format!(
            "this container ({name}) forbids perf_event_open by its seccomp filter; start it with --cap-add PERFMON --security-opt seccomp=unconfined"
        ),
        None => "a sandbox or a security module forbids perf_event_open; run outside of it".into(),
    };
    let error = |why: String| CounterError::new(Code::Eperm, why);
    match setting {
        Some(setting) if filtered => both(error(sealed), error(setting)),
        Some(setting) => error(setting),
        None => error(sealed),
    }
}

/// What happens in every program, even in one that does nothing: its start and stop.
const IN_EVERY_PROGRAM: [&str; 8] = [
    "PAPI_TOT_INS",
    "PAPI_TOT_CYC",
    "PAPI_LD_INS",
    "PAPI_SR_INS",
    "PAPI_LST_INS",
    "PAPI_BR_INS",
    "instructions",
    "cycles",
];

/// More of anything cannot happen in a nanosecond: a core of 10 GHz would need 10000
/// in each cycle.
const MAX_PER_NS: u64 = 100_000;

/// Checks that `amount` of `event`, computed from the counts of its `parts`, can be what the program
/// did.
/// Fails if it is 0 of what happens in every program, or more than any processor can do.
pub(crate) fn plausible(
    event: &Event,
    parts: &[Part],
    counts: &[Count],
    amount: f64,
    environment: &Environment,
) -> Result<(), CounterError> {
    let jumped = |count: &Count| count.value > count.running.saturating_mul(MAX_PER_NS);
    let (what, fault) = if let Some((count, part)) = counts.iter().zip(parts).find(|(count, _)| jumped(count))
    {
        let (name, value, ms) = (&part.name, count.value, count.running as f64 / 1e6);
        (format!("{name} came out as {value} in {ms:.3} ms, which no processor can do"), "jump")
    } else if amount == 0.0 && IN_EVERY_PROGRAM.contains(&event.name()) {
        (format!("{event} opens but stays at 0, which no program leaves it at"), "do not count")
    } else {
        return Ok(());
    };
    let remedy = match environment.virtual_machine {
        Some(_) => "run the program on the real machine",
        None => "count on another machine or with another kernel",
    };
    let this = environment.this_machine();
    let sentence = format!("{what}: the counters of {this} {fault}; {remedy}");
    Err(CounterError::new(Code::Enocntr, sentence))
}
