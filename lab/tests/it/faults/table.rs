//! Each fault on each program: a result, or a refusal that names the fault; no file outside of
//! the folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use super::sandbox::without;
use super::{ALL, after, command, decent, last_line};
use crate::kit::stderr;

/// In addition to [`ALL`]: programs with threads, and a whole assignment.
const MORE: [&str; 2] =
    ["dgemm threads 64", "lab run --quick --hasten 40 --machine i5-7500 --size 16 --output report"];

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

/// The refusals under a fault, of lines that succeed without it.
enum Refused {
    /// All lines are refused with this text.
    All(&'static str),
    /// The lines that save a file are refused with this text, and no others.
    Saving(&'static str),
    /// Those that need what the machine withholds, with one of these texts; none where the
    /// list is empty.
    Some(&'static [&'static str]),
}
use Refused::{All, Saving, Some as SomeWith};

fn faults(place: &Path) -> Vec<(&'static str, Fault, Refused)> {
    let files = SomeWith(&["Too many open files", "cannot write"]);
    vec![
        ("standard output full", shell("exec >/dev/full"), All("cannot write to standard output: No space")),
        ("standard output closed", shell("exec >&-"), All("cannot write to standard output: it is closed")),
        ("quota of files used up", shell("ulimit -f 0"), Saving("File too large")),
        (
            "disk full",
            mounted("mount -t tmpfs -o size=4k none . && cd \"$PWD\" && head -c 4096 /dev/zero >full"),
            Saving("No space left on device"),
        ),
        (
            "folder read-only",
            mounted("mount -t tmpfs -o ro none . && cd \"$PWD\""),
            Saving("Read-only file system"),
        ),
        ("no /proc", mounted("mount -t tmpfs none /proc"), SomeWith(&[])),
        ("no /sys", mounted("mount -t tmpfs none /sys"), SomeWith(&[])),
        (
            "no /proc, no /sys",
            mounted("mount -t tmpfs none /proc && mount -t tmpfs none /sys"),
            SomeWith(&[]),
        ),
        ("one processor", one_processor(), SomeWith(&[])),
        ("100 MB of address space", shell("ulimit -v 100000"), SomeWith(&["choose a", "the system start"])),
        ("4 file descriptors", shell("ulimit -n 4"), files),
        ("9 file descriptors", shell("ulimit -n 9"), SomeWith(&[])),
        (
            "affinity denied",
            denied(&[(libc::SYS_sched_setaffinity, libc::EPERM), (libc::SYS_sched_getaffinity, libc::EPERM)]),
            SomeWith(&[]),
        ),
        ("ptrace denied", denied(&[(libc::SYS_ptrace, libc::EPERM)]), SomeWith(&[])),
        ("perf denied", denied(&[(libc::SYS_perf_event_open, libc::EACCES)]), SomeWith(&[])),
        ("no perf at all", denied(&[(libc::SYS_perf_event_open, libc::ENOSYS)]), SomeWith(&[])),
        (
            "threads denied",
            denied(&[(libc::SYS_clone3, libc::EAGAIN), (libc::SYS_clone, libc::EAGAIN)]),
            SomeWith(&["the system start"]),
        ),
        ("advice on pages denied", denied(&[(libc::SYS_madvise, libc::EPERM)]), SomeWith(&[])),
        ("files not synced", denied(&[(libc::SYS_fsync, libc::EIO)]), Saving("Input/output error")),
        ("files not renamed", denied(RENAMES), Saving("Input/output error")),
        (
            "no locks, links",
            denied(&[(libc::SYS_flock, libc::ENOTSUP), (libc::SYS_linkat, libc::EPERM)]),
            SomeWith(&[]),
        ),
        ("no random bytes", denied(&[(libc::SYS_getrandom, libc::ENOSYS)]), SomeWith(&[])),
        ("clocks that jump back", set_back(place), SomeWith(&[])),
    ]
}

/// The line, with --record where its program has that option.
fn with_record(line: &str) -> String {
    let keeps_none = ["avail", "lab machines", "lab run"];
    let record = if keeps_none.iter().any(|name| line.starts_with(name)) { "" } else { " --record r.json" };
    format!("{line}{record}")
}

#[test]
fn each_fault_on_each_program() {
    let place = tempfile::tempdir().unwrap();
    let lines: Vec<String> = ALL.iter().chain(&MORE).map(|line| with_record(line)).collect();
    // On a machine that counts nothing, `avail` is refused without a fault, too.
    let normal = shell("true");
    let lines: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| tried(place.path(), "no fault", &normal, line).unwrap().is_ok())
        .collect();
    let faults = faults(place.path());
    thread::scope(|scope| {
        let halves = [0, 1].map(|first| faults.iter().skip(first).step_by(2));
        for half in halves {
            scope.spawn(|| half.for_each(|fault| is_as_promised(place.path(), &lines, fault)));
        }
    });
}

fn is_as_promised(place: &Path, lines: &[&str], (fault, run, refused): &(&str, Fault, Refused)) {
    for line in lines {
        let Some(outcome) = tried(place, fault, run, line) else {
            return skip::skip(&format!("this system cannot try: {fault}"));
        };
        let saves = line.contains("--record") || line.starts_with("lab run");
        let right = match (refused, &outcome) {
            (All(text), Err(reason)) => reason.contains(text),
            (Saving(text), Err(reason)) => saves && reason.contains(text),
            (Saving(_), Ok(())) => !saves,
            (SomeWith(texts), Err(reason)) => texts.iter().any(|text| reason.contains(text)),
            (SomeWith(_), Ok(())) => true,
            // It prints no data.
            (All(_), Ok(())) => line.starts_with("lab run") && fault.starts_with("standard output"),
        };
        assert!(right, "{line}, {fault}: {outcome:?}");
    }
}

/// The outcome of a line under a fault; `None` where this system does not allow that.
fn tried(place: &Path, fault: &str, run: &Fault, line: &str) -> Option<Result<(), String>> {
    let folder = tempfile::tempdir_in(place).unwrap();
    let output = run(folder.path(), line)?;
    decent(&format!("{line}, {fault}"), &output);
    for entry in fs::read_dir(folder.path()).unwrap() {
        let name = entry.unwrap().file_name();
        // Removing a folder takes a file descriptor; the next run uses the folder that is left.
        let is_left = name == "report.tmp" && fault.ends_with("file descriptors");
        assert!(is_left || name == "r.json" || name == "report", "{line}, {fault}: {}", name.display());
    }
    Some(if output.status.success() { Ok(()) } else { Err(last_line(&output)) })
}
