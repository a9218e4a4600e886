//! Each fault on some lines: a result, or a refusal that names the fault; no file outside of the folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::sandbox::without;
use super::{after, command, decent, last_line};
use crate::kit::stderr;

/// Each fault is tried on these: one that times, one that models, one with threads, a whole assignment.
const LINES: [&str; 4] = [
    "cm1 --max 8K --repeats 1 --counters none --record r.json",
    "mm2 --size 16 --machine i5-7500 --record r.json",
    "dgemm threads 64 --record r.json",
    "lab run --quick --hasten 1000 --machine i5-7500 --size 16 --output report",
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

fn faults() -> Vec<(&'static str, Fault, Refused)> {
    let files = SomeWith(&["Too many open files", "cannot write"]);
    vec![
        ("standard output full", shell("exec >/dev/full"), All("cannot write to standard output: No space")),
        (
            "no /proc, no /sys",
            mounted("mount -t tmpfs none /proc && mount -t tmpfs none /sys"),
            SomeWith(&[]),
        ),
        ("100 MB of address space", shell("ulimit -v 100000"), SomeWith(&["choose a", "the system start"])),
        ("4 file descriptors", shell("ulimit -n 4"), files),
        (
            "affinity denied",
            denied(&[(libc::SYS_sched_setaffinity, libc::EPERM), (libc::SYS_sched_getaffinity, libc::EPERM)]),
            SomeWith(&[]),
        ),
        ("ptrace denied", denied(&[(libc::SYS_ptrace, libc::EPERM)]), SomeWith(&[])),
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
    ]
}

#[test]
fn each_fault_ends_in_a_result_or_a_refusal() {
    let place = tempfile::tempdir().unwrap();
    for fault in &faults() {
        is_as_promised(place.path(), &LINES, fault);
    }
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
        // What was measured is left, and removing a folder takes a file descriptor.
        assert!(
            name == "report.tmp" || name == "r.json" || name == "report",
            "{line}, {fault}: {}",
            name.display()
        );
    }
    Some(if output.status.success() { Ok(()) } else { Err(last_line(&output)) })
}
