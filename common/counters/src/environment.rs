//! What is between a program and the counters: the kernel's settings,
//! containers, virtual machines.

use std::fs;
use std::path::Path;

use system::facts::Facts;

/// The circumstances that decide which remedy helps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// `kernel.perf_event_paranoid`; `None` if this kernel has no perf events.
    pub paranoid: Option<i32>,
    /// May use perf events whatever the level: CAP_PERFMON or CAP_SYS_ADMIN, and not only
    /// within a user namespace.
    pub privileged: bool,
    /// Whether `/sys` lists a PMU of the cores; `None` if it lists no PMUs at all.
    pub pmu: Option<bool>,
    /// The kernel's watchdog (`kernel.nmi_watchdog`) uses a counter.
    pub watchdog: bool,
    /// The container this runs in, as in "docker".
    pub container: Option<String>,
    /// A seccomp filter is active.
    pub seccomp: bool,
    /// The virtual machine this runs in, as in "KVM".
    pub virtual_machine: Option<String>,
}

const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;

impl Environment {
    /// This machine's, which has a processor's `pmu` or not; `None` if that is unknown.
    pub(crate) fn host(facts: &Facts, pmu: Option<bool>) -> Environment {
        Environment::below(Path::new("/"), facts, pmu)
    }

    /// What the kernel says in files below `root`, on a machine of these facts.
    fn below(root: &Path, facts: &Facts, pmu: Option<bool>) -> Environment {
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        let status = text("proc/self/status");
        let field = |name: &str| {
            status.lines().find_map(|l| Some(l.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned()))
        };
        let capabilities = field("CapEff").and_then(|hex| u64::from_str_radix(&hex, 16).ok()).unwrap_or(0);
        Environment {
            paranoid: text("proc/sys/kernel/perf_event_paranoid").trim().parse().ok(),
            privileged: capabilities & (1 << CAP_SYS_ADMIN | 1 << CAP_PERFMON) != 0
                && !is_user_namespace(&text("proc/self/uid_map")),
            pmu,
            watchdog: text("proc/sys/kernel/nmi_watchdog").trim() == "1",
            container: facts.container.clone(),
            seccomp: field("Seccomp").is_some_and(|mode| mode == "2"),
            virtual_machine: facts.virtual_machine.clone(),
        }
    }
}

impl Environment {
    /// This machine, in words.
    pub(crate) fn this_machine(&self) -> String {
        match self.virtual_machine.as_deref() {
            None => "this machine".into(),
            Some("virtual machine") => "this virtual machine".into(),
            Some(name) => format!("this virtual machine ({name})"),
        }
    }
}

/// Whether root is root only for a part of the users: the first namespace maps all of them
/// (`man 7 user_namespaces`).
fn is_user_namespace(uid_map: &str) -> bool {
    let ids: Vec<&str> = uid_map.split_whitespace().collect();
    !ids.is_empty() && ids != ["0", "0", "4294967295"]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_files_say_what_is_in_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let seen = |files: &[(&str, &str)]| {
            for (path, text) in files {
                let path = dir.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Environment::below(dir.path(), &Facts::below(dir.path(), 0), None)
        };
        let ordinary = seen(&[
            ("proc/sys/kernel/perf_event_paranoid", "4\n"),
            ("proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\nSeccomp:\t0\n"),
        ]);
        assert_eq!(ordinary, Environment { paranoid: Some(4), ..Environment::default() });
        let root = seen(&[
            ("proc/self/status", "CapEff:\t000001ffffffffff\nSeccomp:\t2\n"),
            ("proc/self/uid_map", "         0          0 4294967295\n"),
            ("proc/sys/kernel/nmi_watchdog", "1\n"),
        ]);
        assert!(root.privileged && root.seccomp && root.watchdog);
        // Root of a user namespace has the capabilities there alone.
        assert!(!seen(&[("proc/self/uid_map", "0 1000 1\n1 100000 65536\n")]).privileged);
    }
}
