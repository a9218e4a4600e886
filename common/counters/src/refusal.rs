//! Why something cannot be counted: one sentence each, with what to do.

use std::io;

use thiserror::Error;

use super::environment::Environment;
use super::kernel::Errno;

/// Why an event cannot be counted on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// No counters in a virtual machine.
    #[error(
        "{} has no hardware counters, its hypervisor passes no PMU through; {}", this(.0), remedy(.0)
    )]
    NoPmuInVm(String),
    /// No counters on a bare machine.
    #[error(
        "the kernel knows no performance counters on this processor; use another kernel or machine, or the cache model"
    )]
    NoPmu,
    /// Cycles are there, this event, instructions, is not.
    #[error(
        "this machine counts cycles but no instructions, as an emulator without instruction counting does; use the model or another machine"
    )]
    NoInstructions,
    /// The PMU works but lacks the event.
    #[error("this processor has no counter for {event}; `avail -a` lists what it has")]
    NotOnThisCpu {
        /// The native event asked for.
        event: String,
    },
    /// The table has no such preset for this processor.
    #[error("{preset} is not available on {why}; `avail -a` lists what is")]
    NotMapped {
        /// The preset.
        preset: String,
        /// The processor, and why not.
        why: String,
    },
    /// The kernel's setting forbids all events to ordinary users.
    #[error(
        "kernel.perf_event_paranoid is {level}, which forbids ordinary users all counters; `sudo sysctl kernel.perf_event_paranoid=2` lifts it until the next boot"
    )]
    Paranoid {
        /// The level found.
        level: i32,
    },
    /// The kernel's setting forbids counting inside the kernel.
    #[error(
        "{event} happens inside the kernel, which ordinary users may not count at kernel.perf_event_paranoid {level}; `sudo sysctl kernel.perf_event_paranoid=1` allows it, and getrusage reports it without"
    )]
    KernelEvent {
        /// The event.
        event: String,
        /// The level found.
        level: i32,
    },
    /// The PMU counts the kernel too, which its setting forbids.
    #[error(
        "this processor always counts the kernel's work too, and kernel.perf_event_paranoid {level} forbids that: `sudo sysctl kernel.perf_event_paranoid=1` allows it, and {event} then includes the kernel's work"
    )]
    KernelIncluded {
        /// The native event.
        event: String,
        /// The level found.
        level: i32,
    },
    /// It can be counted, but not sampled.
    #[error(
        "this processor raises no interrupt when its counter of {event} overflows, so it can be counted but not sampled; sample task-clock"
    )]
    NoInterrupt {
        /// The native event.
        event: String,
    },
    /// A container's or sandbox's filter.
    #[error("{}", sealed(.container))]
    Sealed {
        /// The container, if it is known which.
        container: Option<String>,
    },
    /// Another system than Linux, or a kernel built without perf events.
    #[error(
        "this system has no perf events (perf_event_open is not there); use a Linux kernel with CONFIG_PERF_EVENTS, or the cache model"
    )]
    NoPerf,
    /// Opens, and then is never put on a counter.
    #[error(
        "{event} opens but never runs: every counter it could use is taken, or the program may not run on the cores that have it; stop other profilers, leave out --cpu, or `sudo sysctl kernel.nmi_watchdog=0`"
    )]
    NeverRan {
        /// The native event.
        event: String,
    },
    /// Somebody else has the counters.
    #[error(
        "the counters are reserved by another program ({event}: device or resource busy); stop other profilers and try again"
    )]
    Busy {
        /// The native event.
        event: String,
    },
    /// The combination is refused.
    #[error("the kernel refuses {event}: {why}")]
    Invalid {
        /// The native event.
        event: String,
        /// What may be wrong, and what helps.
        why: String,
    },
    /// Outside of the cores.
    #[error(
        "{event} is counted outside of the cores ({pmu}), for the whole chip and every program on it; it cannot be counted for one program"
    )]
    Uncore {
        /// The event.
        event: String,
        /// The PMU.
        pmu: String,
    },
    /// The PMU of the notation is not there.
    #[error("this machine has no PMU '{pmu}'; it has {has}")]
    NoSuchPmu {
        /// As written.
        pmu: String,
        /// Names of those that are there.
        has: String,
    },
    /// The PMU does not know a term.
    #[error("PMU '{pmu}' has no term or event '{term}'; it has {has}")]
    NoSuchTerm {
        /// The PMU.
        pmu: String,
        /// As written.
        term: String,
        /// What it has.
        has: String,
    },
    /// Whatever else the kernel said.
    #[error("the kernel does not open {event}: {error} (errno {errno})")]
    System {
        /// The native event.
        event: String,
        /// Its words.
        error: String,
        /// Its number.
        errno: i32,
    },
}

fn this(machine: &str) -> String {
    match machine {
        "virtual machine" => "this virtual machine".into(),
        name => format!("this virtual machine ({name})"),
    }
}

fn remedy(machine: &str) -> &'static str {
    match machine {
        "WSL2" => {
            "set hardwarePerformanceCounters=true under [wsl2] in .wslconfig, count on a real machine, or use the cache model (--counters model)"
        }
        _ => "count on the host, have a virtual PMU enabled, or use the cache model (--counters model)",
    }
}

fn sealed(container: &Option<String>) -> String {
    match container.as_deref() {
        Some(name) => format!(
            "this container ({name}) forbids perf_event_open by its seccomp filter; start it with --cap-add PERFMON --security-opt seccomp=unconfined"
        ),
        None => "a sandbox or a security module forbids perf_event_open, although the kernel's setting allows it; run outside of it".into(),
    }
}

/// Which of the machine's basic events there are; asked only after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Basics {
    pub(crate) cycles: bool,
    pub(crate) instructions: bool,
    /// Whether the PMU can leave the kernel out of its counts.
    pub(crate) leaves_out: bool,
}

/// What is being opened when the kernel refuses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) event: &'a str,
    pub(crate) software: bool,
    pub(crate) kernel: bool,
    pub(crate) instructions: bool,
}

impl Refusal {
    /// Turns the kernel's error number into the reason behind it.
    pub(crate) fn diagnose(
        error: &io::Error,
        attempt: Attempt<'_>,
        environment: &Environment,
        basics: impl FnOnce() -> Basics,
    ) -> Refusal {
        let event = attempt.event.to_owned();
        match Errno::of(error) {
            Errno::Missing | Errno::Unsupported if attempt.software => {
                Refusal::System { event, error: error.to_string(), errno: error.raw_os_error().unwrap_or(0) }
            }
            Errno::Missing | Errno::Unsupported => missing(attempt, environment, basics()),
            Errno::Forbidden => forbidden(attempt, environment),
            Errno::NoCall => Refusal::NoPerf,
            Errno::Busy => Refusal::Busy { event },
            Errno::Invalid => {
                match environment.paranoid.filter(|_| !attempt.software && !basics().leaves_out) {
                    Some(level) => Refusal::KernelIncluded { event, level },
                    None => Refusal::Invalid {
                        event,
                        why: "it does not exist in this form, or the group is too large".into(),
                    },
                }
            }
            Errno::Files => {
                Refusal::Invalid { event, why: "too many files are open; raise `ulimit -n`".into() }
            }
            Errno::Other(errno) => Refusal::System { event, error: error.to_string(), errno },
        }
    }
}

fn missing(attempt: Attempt<'_>, environment: &Environment, basics: Basics) -> Refusal {
    match (basics.cycles, basics.instructions) {
        (true, false) if attempt.instructions => Refusal::NoInstructions,
        (false, false) => match &environment.virtual_machine {
            Some(machine) => Refusal::NoPmuInVm(machine.clone()),
            None => Refusal::NoPmu,
        },
        _ => Refusal::NotOnThisCpu { event: attempt.event.to_owned() },
    }
}

fn forbidden(attempt: Attempt<'_>, environment: &Environment) -> Refusal {
    match environment.paranoid {
        Some(level) if level > 2 && !environment.privileged => Refusal::Paranoid { level },
        Some(level) if level > 1 && attempt.kernel && !environment.privileged => {
            Refusal::KernelEvent { event: attempt.event.to_owned(), level }
        }
        _ => Refusal::Sealed { container: environment.container.clone() },
    }
}
