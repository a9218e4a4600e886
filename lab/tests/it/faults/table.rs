//! Each fault on each program: a result, or one sentence; no file outside of the folder.
//! `docs/faults.md` lists the results.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;

use super::sandbox::without;
use super::written::{self, Row, Seen};
use super::{ALL, after, command, decent};
use crate::kit::stderr;

/// In addition to [`ALL`]: programs with threads, and a whole assignment.
const MORE: [&str; 3] = [
    "ge threads 64",
    "dgemm threads 64",
    "lab run --quick --hasten 40 --machine i5-7500 --size 16 --output report",
];

/// Runs a line under a fault; `None` where this system does not allow that.
type Fault = Box<dyn Fn(&Path, &str) -> Option<Output> + Sync>;

/// With these shell commands before it.
fn shell(before: &'static str) -> Fault {
    Box::new(move |folder, line| Some(after(folder, before, line)))
}

/// The same, as root of its own name space with its own mounts.
fn mounted(before: &'static str) -> Fault {
    Box::new(move |folder, line| {
        let mut words = line.split_whitespace();
        let program = super::program(words.next()?);
        let script = format!("{{ {before}; }} || exit 77; exec \"$0\" \"$@\"");
        let mut unshare = Command::new("unshare");
        unshare.current_dir(folder).args(["-r", "-m", "sh", "-c", &script]).arg(program).args(words);
        let output = unshare.env("RUST_BACKTRACE", "0").output().ok()?;
        (output.status.code() != Some(77) && !stderr(&output).starts_with("unshare:")).then_some(output)
    })
}

fn denied(calls: &'static [(libc::c_long, i32)]) -> Fault {
    Box::new(move |folder, line| without(command(folder, line), calls).output().ok())
}

/// All system calls that rename or link a file.
const RENAMES: &[(libc::c_long, i32)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rename, libc::EIO),
    (libc::SYS_renameat, libc::EIO),
    (libc::SYS_renameat2, libc::EIO),
];

/// Clocks that go back: the wall clock by an hour at its second reading, the monotonic one
/// by a millisecond at every 64th, as on machines whose cores disagree.
const CLOCKS: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    static unsigned wall, steady;
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME && __sync_add_and_fetch(&wall, 1) > 1) now->tv_sec -= 3600;
    if (clock == CLOCK_MONOTONIC && __sync_add_and_fetch(&steady, 1) % 64 == 0 && now->tv_nsec > 1000000)
        now->tv_nsec -= 1000000;
    return failed;
}
";

/// With [`CLOCKS`] preloaded, where there is a C compiler.
fn set_back(place: &Path) -> Fault {
    let (source, library) = (place.join("clocks.c"), place.join("clocks.so"));
    fs::write(&source, CLOCKS).unwrap();
    let mut cc = Command::new("cc");
    let built = cc.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    let built = built.is_ok_and(|status| status.success());
    Box::new(move |folder, line| {
        built.then(|| command(folder, line).env("LD_PRELOAD", &library).output().unwrap())
    })
}

/// Pinned to the first of the allowed processors.
fn one_processor() -> Fault {
    Box::new(|folder, line| {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
        let first = allowed.trim().split(['-', ',']).next()?.to_owned();
        let mut words = line.split_whitespace();
        let program = super::program(words.next()?);
        let mut taskset = Command::new("taskset");
        taskset.current_dir(folder).args(["-c", &first]).arg(program).args(words);
        taskset.env("RUST_BACKTRACE", "0").output().ok()
    })
}

fn faults(place: &Path) -> Vec<(&'static str, Fault)> {
    vec![
        ("standard output full", shell("exec >/dev/full")),
        ("standard output closed", shell("exec >&-")),
        ("quota of files used up", shell("ulimit -f 0")),
        (
            "disk full",
            mounted("mount -t tmpfs -o size=4k none . && cd \"$PWD\" && head -c 4096 /dev/zero >full"),
        ),
        ("folder read-only", mounted("mount -t tmpfs -o ro none . && cd \"$PWD\"")),
        ("no /proc", mounted("mount -t tmpfs none /proc")),
        ("no /sys", mounted("mount -t tmpfs none /sys")),
        ("no /proc, no /sys", mounted("mount -t tmpfs none /proc && mount -t tmpfs none /sys")),
        ("one processor", one_processor()),
        ("100 MB of address space", shell("ulimit -v 100000")),
        ("4 file descriptors", shell("ulimit -n 4")),
        ("6 file descriptors", shell("ulimit -n 6")),
        ("9 file descriptors", shell("ulimit -n 9")),
        (
            "affinity denied",
            denied(&[(libc::SYS_sched_setaffinity, libc::EPERM), (libc::SYS_sched_getaffinity, libc::EPERM)]),
        ),
        ("ptrace denied", denied(&[(libc::SYS_ptrace, libc::EPERM)])),
        ("perf denied", denied(&[(libc::SYS_perf_event_open, libc::EACCES)])),
        ("no perf at all", denied(&[(libc::SYS_perf_event_open, libc::ENOSYS)])),
        ("threads denied", denied(&[(libc::SYS_clone3, libc::EAGAIN), (libc::SYS_clone, libc::EAGAIN)])),
        ("advice on pages denied", denied(&[(libc::SYS_madvise, libc::EPERM)])),
        ("files not synced", denied(&[(libc::SYS_fsync, libc::EIO)])),
        ("files not renamed", denied(RENAMES)),
        (
            "no locks, links, exchange",
            denied(&[
                (libc::SYS_flock, libc::ENOTSUP),
                (libc::SYS_linkat, libc::EPERM),
                (libc::SYS_renameat2, libc::EINVAL),
            ]),
        ),
        ("no random bytes", denied(&[(libc::SYS_getrandom, libc::ENOSYS)])),
        ("clocks that jump back", set_back(place)),
    ]
}

/// The line, with --record where its program has that option.
fn with_record(line: &str) -> String {
    let keeps_none = ["avail", "lab machines", "lab discover", "lab run"];
    let record = if keeps_none.iter().any(|name| line.starts_with(name)) { "" } else { " --record r.json" };
    format!("{line}{record}")
}

/// Names in a folder.
fn names(folder: &Path) -> BTreeSet<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into()).collect()
}

#[test]
fn each_fault_on_each_program() {
    let place = tempfile::tempdir().unwrap();
    let lines: Vec<String> = ALL.iter().chain(&MORE).map(|line| with_record(line)).collect();
    let try_all = |fault: &str, run: &Fault| -> Option<Vec<Seen>> {
        lines.iter().map(|line| tried(place.path(), fault, run, line)).collect()
    };
    let ever = try_all("no fault", &shell("true")).unwrap();
    let faults = faults(place.path());
    let row = |(fault, run): &(&'static str, Fault)| Row {
        fault,
        cell: try_all(fault, run).map(|seen| written::cell(&lines, &seen, &ever)),
    };
    written::hold(&lines, &on_all_processors(&faults, row));
}

/// The results of `one` for the items, in their order.
fn on_all_processors<T: Sync, R: Send>(items: &[T], one: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, made) = (Mutex::new(items.iter().enumerate()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((at, item)) = { next.lock().unwrap().next() } {
                    let row = one(item);
                    made.lock().unwrap().push((at, row));
                }
            });
        }
    });
    let mut made = made.into_inner().unwrap();
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, row)| row).collect()
}

/// The outcome of a line under a fault; `None` where this system does not allow that.
fn tried(place: &Path, fault: &str, run: &Fault, line: &str) -> Option<Seen> {
    let folder = tempfile::tempdir_in(place).unwrap();
    let output = run(folder.path(), line)?;
    decent(&format!("{line}, {fault}"), &output);
    let own = |name: &PathBuf| name.as_os_str() == "r.json" || name.as_os_str() == "report";
    assert!(names(folder.path()).iter().all(own), "{line}, {fault}: {:?}", names(folder.path()));
    Some(if output.status.success() { Seen::Result } else { Seen::Refused(stderr(&output)) })
}
