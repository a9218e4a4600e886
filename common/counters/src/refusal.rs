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
    /// The kernel's setting forbids all events without privileges.
    #[error(
        "kernel.perf_event_paranoid is {level}, which forbids all counters without CAP_PERFMON; `sudo sysctl kernel.perf_event_paranoid=2`{} lifts it until the next boot",
        if *.container { " on the host" } else { "" }
    )]
    Paranoid {
        /// The level found.
        level: i32,
        /// Whether this runs in a container, in which settings cannot be changed.
        container: bool,
    },
    /// The kernel's setting forbids counting inside the kernel.
    #[error(
        "{event} happens inside the kernel, which kernel.perf_event_paranoid {level} forbids to count without CAP_PERFMON; `sudo sysctl kernel.perf_event_paranoid=1` allows it, and getrusage reports it without"
    )]
    KernelEvent {
        /// The event.
        event: String,
        /// The level found.
        level: i32,
    },
    /// The PMU counts the kernel too, which its setting forbids.
    #[error(
        "this processor always counts the kernel's work too, and kernel.perf_event_paranoid {level} forbids that without CAP_PERFMON; `sudo sysctl kernel.perf_event_paranoid=1` allows it, and {event} then includes the kernel"
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
        /// The container whose seccomp filter it is, if it is known which.
        container: Option<String>,
    },
    /// Another system than Linux, or a kernel built without perf events.
    #[error(
        "this system has no perf events (perf_event_open is not there); use a Linux kernel with CONFIG_PERF_EVENTS, or the cache model"
    )]
    NoPerf,
    /// Opens, and then is never put on a counter.
    #[error(
        "{event} opens but never runs: every counter it could use is taken, or the program may not run on the cores that have it; stop other profilers, or leave out --cpu{}",
        if *.watchdog { ", or `sudo sysctl kernel.nmi_watchdog=0`" } else { "" }
    )]
    NeverRan {
        /// The native event.
        event: String,
        /// Whether the kernel's watchdog has a counter.
        watchdog: bool,
    },
    /// Stays at 0 whatever the program does.
    #[error(
        "{event} opens but stays at 0, which no program leaves it at: the counters of {} do not count; {}",
        self::machine(.virtual_machine), elsewhere(.virtual_machine)
    )]
    Silent {
        /// The event.
        event: String,
        /// The virtual machine this runs in.
        virtual_machine: Option<String>,
    },
    /// Counts more than any processor can do.
    #[error(
        "{event} came out as {count} in {:.3} ms, which no processor can do: the counters of {} jump; {}",
        *.ns as f64 / 1e6, self::machine(.virtual_machine), elsewhere(.virtual_machine)
    )]
    Jumps {
        /// The native event.
        event: String,
        /// The count.
        count: u64,
        /// Nanoseconds it was on a counter.
        ns: u64,
        /// The virtual machine this runs in.
        virtual_machine: Option<String>,
    },
    /// More than one obstacle, each of which has to be removed.
    #[error("{}", .0.iter().map(Refusal::to_string).collect::<Vec<_>>().join("; in addition, "))]
    Several(Vec<Refusal>),
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
        // Since WSL 0.50.2 of 2021 it passes the PMU through unless that is switched off.
        "WSL2" => {
            "WSL2 passes one through by default if the processor and Windows support it: check that .wslconfig does not have hardwarePerformanceCounters=false and that WSL is up to date (`wsl --update`); otherwise count on Linux without WSL"
        }
        _ => "count on the host, or have a virtual PMU enabled",
    }
}

fn machine(virtual_machine: &Option<String>) -> String {
    virtual_machine.as_deref().map_or_else(|| "this machine".into(), this)
}

fn elsewhere(virtual_machine: &Option<String>) -> &'static str {
    match virtual_machine {
        Some(_) => "count on the host, or have its virtual PMU repaired",
        None => "count on another machine or with another kernel",
    }
}

fn sealed(container: &Option<String>) -> String {
    match container.as_deref() {
        Some(name) => format!(
            "this container ({name}) forbids perf_event_open by its seccomp filter; start it with --cap-add PERFMON --security-opt seccomp=unconfined"
        ),
        None => "a sandbox or a security module forbids perf_event_open; run outside of it".into(),
    }
}

/// What the machine opens of its basic events; asked only after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Basics {
    pub(crate) cycles: bool,
    pub(crate) instructions: bool,
    /// The PMU cannot leave the kernel out of its counts, which is forbidden.
    pub(crate) kernel_included: bool,
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
    /// Turns the kernel's error number into the obstacles behind it, all that are known.
    pub(crate) fn diagnose(
        error: &io::Error,
        attempt: Attempt<'_>,
        environment: &Environment,
        basics: impl FnOnce() -> Basics,
    ) -> Refusal {
        let event = attempt.event.to_owned();
        let errno = Errno::of(error);
        let has_no_pmu = !attempt.software && environment.pmu == Some(false);
        let refused = match errno {
            Errno::Missing | Errno::Unsupported if attempt.software => {
                Refusal::System { event, error: error.to_string(), errno: error.raw_os_error().unwrap_or(0) }
            }
            Errno::Missing | Errno::Unsupported => return missing(attempt, environment, basics()),
            // Any reason of a refused form is about a PMU, of which there is none.
            Errno::Invalid if has_no_pmu => return Refusal::without_pmu(environment),
            Errno::Forbidden | Errno::Filtered => forbidden(attempt, environment, errno == Errno::Filtered),
            // The setting exists only in kernels that have the call.
            Errno::NoCall if environment.paranoid.is_some() => forbidden(attempt, environment, true),
            Errno::NoCall => Refusal::NoPerf,
            Errno::Busy => Refusal::Busy { event },
            Errno::Invalid => {
                match environment.paranoid.filter(|_| !attempt.software && basics().kernel_included) {
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
        };
        if has_no_pmu { Refusal::without_pmu(environment).and(refused) } else { refused }
    }

    /// There is no PMU.
    pub(crate) fn without_pmu(environment: &Environment) -> Refusal {
        match &environment.virtual_machine {
            Some(machine) => Refusal::NoPmuInVm(machine.clone()),
            None => Refusal::NoPmu,
        }
    }

    /// The event opens but never runs.
    pub(crate) fn never_ran(event: String, environment: &Environment) -> Refusal {
        Refusal::NeverRan { event, watchdog: environment.watchdog }
    }

    /// Both obstacles.
    fn and(self, other: Refusal) -> Refusal {
        let all = |refusal| match refusal {
            Refusal::Several(all) => all,
            one => vec![one],
        };
        Refusal::Several([all(self), all(other)].concat())
    }
}

fn missing(attempt: Attempt<'_>, environment: &Environment, basics: Basics) -> Refusal {
    match (basics.cycles, basics.instructions) {
        (true, false) if attempt.instructions => Refusal::NoInstructions,
        (false, false) => Refusal::without_pmu(environment),
        _ => Refusal::NotOnThisCpu { event: attempt.event.to_owned() },
    }
}

/// `filtered`: the call did not reach the kernel's own checks, which may forbid it too.
fn forbidden(attempt: Attempt<'_>, environment: &Environment, filtered: bool) -> Refusal {
    let container = environment.container.clone();
    let setting = match environment.paranoid.filter(|_| !environment.privileged) {
        Some(level) if level > 2 => Some(Refusal::Paranoid { level, container: container.is_some() }),
        Some(level) if level > 1 && attempt.kernel => {
            Some(Refusal::KernelEvent { event: attempt.event.to_owned(), level })
        }
        _ => None,
    };
    let sealed = || Refusal::Sealed { container: container.filter(|_| environment.seccomp) };
    match setting {
        Some(setting) if filtered => sealed().and(setting),
        Some(setting) => setting,
        None => sealed(),
    }
}
