//! What around a measurement makes its figures doubtful, with advice.

use std::fmt;
use std::fs;

/// A reason to distrust the figures that follow.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// Compiled without optimisation.
    DebugBuild,
    /// The clock follows the load.
    Governor(String),
    /// Others use the processors.
    Busy {
        /// Processes that wanted to run, on average over the last minute.
        load: f64,
        /// Processors they share.
        cpus: usize,
    },
    /// The system did not let the program stay on one processor.
    NotPinned,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::DebugBuild => {
                f.write_str("this is a debug build: times mean nothing; run it with `cargo run --release`")
            }
            Warning::Governor(name) => write!(
                f,
                "the frequency governor is '{name}': first runs may be slow; `cpupower frequency-set -g performance` fixes the clock"
            ),
            Warning::Busy { load, cpus } => {
                write!(
                    f,
                    "{load:.1} processes share {cpus} processors: close other programs, or use --runs 5"
                )
            }
            Warning::NotPinned => {
                f.write_str("the system did not let the program stay on one processor: times may scatter")
            }
        }
    }
}

/// What can be seen from inside this process.
pub(super) fn warnings(cpus: usize) -> Vec<Warning> {
    let debug = cfg!(debug_assertions).then_some(Warning::DebugBuild);
    let governor = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
        .ok()
        .map(|name| name.trim().to_owned())
        .filter(|name| name != "performance")
        .map(Warning::Governor);
    let busy = fs::read_to_string("/proc/loadavg").ok().and_then(|text| busy(&text, cpus));
    [debug, governor, busy].into_iter().flatten().collect()
}

fn busy(loadavg: &str, cpus: usize) -> Option<Warning> {
    let load: f64 = loadavg.split_whitespace().next()?.parse().ok()?;
    (load > cpus as f64).then_some(Warning::Busy { load, cpus })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_processes_than_processors_are_warned_of() {
        assert_eq!(busy("2.50 1.0 0.9 3/210 4711", 2), Some(Warning::Busy { load: 2.5, cpus: 2 }));
        assert_eq!(busy("1.99 1.0 0.9 3/210 4711", 2), None);
        assert_eq!(busy("", 2), None);
    }
}
