//! Every program under faults of its environment: each ends in time, with its result or
//! with one sentence and exit 1, and leaves no partial files.
//! (`docs/faults.md` lists the promises.)

mod sandbox;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::command_lines::SMALL;
use crate::kit::{program, stderr};
use sandbox::without;

fn command(folder: &Path, line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(program(words.next().unwrap()));
    command.current_dir(folder).args(words).env("RUST_BACKTRACE", "0");
    command
}

/// Runs the line in a shell after the commands `before`, in which `$0` and the rest are the
/// line.
fn after(folder: &Path, before: &str, line: &str) -> Output {
    let mut words = line.split_whitespace();
    let program = program(words.next().unwrap());
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", &format!("{before}; exec \"$0\" \"$@\"")]).arg(program).args(words);
    shell.env("RUST_BACKTRACE", "0").output().unwrap()
}

/// No panic, no signal, no silent failure: a result on standard output, the name of a report
/// that is ready, or a last line that says why there is none. A wrong command line (exit 2) has clap's lines instead.
fn decent(line: &str, output: &Output) {
    let message = stderr(output);
    assert!(!message.contains("panicked") && !message.contains("RUST_BACKTRACE"), "{line}: {message}");
    match output.status.code() {
        Some(0) => {
            let is_there = !output.stdout.is_empty() || message.contains("report.html is ready");
            assert!(is_there, "{line} gave no result: {message}");
        }
        Some(2) if message.lines().any(|line| line.starts_with("error: ")) => {}
        Some(1 | 2) => assert!(last_line(output).contains(": "), "{line}: '{message}'"),
        code => panic!("{line}: {code:?}, {}: {message}", output.status),
    }
}

fn last_line(output: &Output) -> String {
    stderr(output).lines().last().unwrap_or_default().to_owned()
}

/// Exit 1, and a last sentence with `word`.
fn refused(line: &str, output: &Output, word: &str) {
    decent(line, output);
    assert_eq!(output.status.code(), Some(1), "{line}: {}", stderr(output));
    assert!(last_line(output).contains(word), "{line}: {}", stderr(output));
}

#[test]
fn results_are_saved_before_they_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    for (number, line) in SMALL.iter().enumerate() {
        let line = format!("{line} --record {number}.json");
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        refused(&line, &command(folder.path(), &line).stdout(full).output().unwrap(), "standard output");
        let saved = fs::read_to_string(folder.path().join(format!("{number}.json"))).unwrap();
        assert!(saved.contains("\"rows\""), "{line}");
    }
}

#[test]
fn a_full_standard_error_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["cm1 --max 8K --repeats 1 --counters none", "mm1 --size 16", "ge1 16"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command(folder.path(), line).stderr(full).output().unwrap();
        let plain = command(folder.path(), line).output().unwrap();
        assert_eq!(output.status.code(), plain.status.code(), "{line}");
        assert!(!output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn a_full_disk_leaves_the_old_file_and_no_half_of_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("r.json"), "old").unwrap();
    for line in ["cm1 --machine i5-7500 --max 16K --repeats 1", "mm1 --size 16", "ge1 16", "dgemm ikj 16"] {
        let line = format!("{line} --record r.json");
        refused(&line, &after(folder.path(), "ulimit -f 0", &line), "r.json");
    }
    for line in [
        "lab ge --sizes 8,16 --variants ge1 --runs 1 --output new",
        "lab dgemm --sizes 8,16 --variants ikj --output new",
    ] {
        decent(line, &after(folder.path(), "ulimit -f 1", line));
    }
    let line = "lab run --quick --hasten 40 --machine i5-7500 --size 16 --output new";
    refused(line, &after(folder.path(), "ulimit -f 0", line), "new");
    assert_eq!(fs::read(folder.path().join("r.json")).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing half written");
}

/// Commands of the shell before it, a command line, and what its refusal says.
const REFUSED: &str = "\
true | cm1 --max 1G --record file/r.json | cannot write
true | cm1 --max 1G --record /proc/r.json | cannot write
true | mm1 --size 4096 --counters none --record none/r.json | cannot write
true | ge1 4000 --record . | cannot write
true | lab run --output file | cannot write the report
true | lab run --output /proc/none | cannot write the report
true | lab ge --output file | cannot make the folder
ulimit -v 250000 | spark --max 512M | choose a
ulimit -v 250000 | mm1 --size 12000 --counters none | choose a
ulimit -v 250000 | ge1 6000 | choose a
ulimit -v 250000 | dgemm ikj 4000 | choose a
ulimit -v 250000 | flops all 12000 | choose a
ulimit -v 60000 | lab run --quick --output report | raise the limit
true | cm1 --sizes 1G --repeats 1000000 --counters none | longer than a week
true | mm1 --size 16384 --runs 10000 --counters none | longer than a week
true | ge1 5000 --runs 10000 | longer than a week
true | lab ge --sizes 1..1000000000000:1 | sizes
ulimit -v 400000 | lab plot /dev/zero -o x.svg | 16 MiB
exec </dev/zero | lab plot - -o x.svg | 16 MiB
ulimit -v 400000 | cm1 --machine endless.toml | zero bytes
ulimit -v 400000 | lab machines /dev/zero | zero bytes
";

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("endless.toml")).unwrap();
    for row in REFUSED.lines() {
        let [before, line, says] = row.split(" | ").collect::<Vec<_>>()[..] else { panic!("{row}") };
        let output = after(folder.path(), before, line);
        decent(line, &output);
        let is_refused = !output.status.success() && output.stdout.is_empty();
        assert!(is_refused && stderr(&output).contains(says), "{row}: {}", stderr(&output));
    }
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is begun");
}

#[test]
fn a_sweep_records_the_sizes_that_memory_has_room_for() {
    let folder = tempfile::tempdir().unwrap();
    let line = "lab dgemm --sizes 16,64,512,4096 --variants ikj --counters none --output charts";
    refused(line, &after(folder.path(), "ulimit -v 150000", line), "smaller");
    let record = fs::read_to_string(folder.path().join("charts/dgemm.json")).unwrap();
    assert!(record.contains("\"n\": 512"), "the smaller sides are recorded");
}

/// Each fault is tried on these: one that times, one that models, one with threads, a whole assignment. All save a file.
const LINES: [&str; 4] = [
    "cm1 --max 8K --repeats 1 --counters none --record r.json",
    "mm2 --size 16 --machine i5-7500 --record r.json",
    "dgemm threads 64 --record r.json",
    "lab run --quick --hasten 1000 --machine i5-7500 --size 16 --output report",
];

/// Runs a line under a fault; `None` where this system does not allow that.
type Fault = Box<dyn Fn(&Path, &str) -> Option<Output>>;

/// With these shell commands before it.
fn shell(before: &'static str) -> Fault {
    Box::new(move |folder, line| Some(after(folder, before, line)))
}

/// The same, as root of its own name space with its own mounts.
fn mounted(before: &'static str) -> Fault {
    Box::new(move |folder, line| {
        let mut words = line.split_whitespace();
        let program = program(words.next()?);
        let script = format!("{{ {before}; }} || exit 77; exec \"$0\" \"$@\"");
        let mut unshare = Command::new("unshare");
        unshare.current_dir(folder).args(["-r", "-m", "sh", "-c", &script]).arg(program).args(words);
        let output = unshare.env("RUST_BACKTRACE", "0").output().ok()?;
        (output.status.code() != Some(77) && !stderr(&output).starts_with("unshare:")).then_some(output)
    })
}

/// Where these system calls fail so.
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
const AFFINITY: &[(libc::c_long, i32)] =
    &[(libc::SYS_sched_setaffinity, libc::EPERM), (libc::SYS_sched_getaffinity, libc::EPERM)];
const THREADS: &[(libc::c_long, i32)] = &[(libc::SYS_clone3, libc::EAGAIN), (libc::SYS_clone, libc::EAGAIN)];
const LOCKS: &[(libc::c_long, i32)] = &[(libc::SYS_flock, libc::ENOTSUP), (libc::SYS_linkat, libc::EPERM)];

/// Under each fault a result, or a refusal that has one of these texts; no result where it must fail; no file outside of
/// the folder.
#[test]
fn each_fault_ends_in_a_result_or_a_refusal() {
    let files = &["Too many open files", "cannot write"];
    let faults: [(&str, Fault, bool, &[&str]); 12] = [
        ("no /proc, /sys", mounted("mount -t tmpfs x /proc && mount -t tmpfs x /sys"), false, &[]),
        ("100 MB of address space", shell("ulimit -v 100000"), false, &["choose a", "the system start"]),
        ("4 file descriptors", shell("ulimit -n 4"), false, files),
        ("affinity denied", denied(AFFINITY), false, &[]),
        ("ptrace denied", denied(&[(libc::SYS_ptrace, libc::EPERM)]), false, &[]),
        ("no perf at all", denied(&[(libc::SYS_perf_event_open, libc::ENOSYS)]), false, &[]),
        ("threads denied", denied(THREADS), false, &["the system start"]),
        ("advice on pages denied", denied(&[(libc::SYS_madvise, libc::EPERM)]), false, &[]),
        ("files not synced", denied(&[(libc::SYS_fsync, libc::EIO)]), true, &["Input/output error"]),
        ("files not renamed", denied(RENAMES), true, &["Input/output error"]),
        ("no locks, links", denied(LOCKS), false, &[]),
        ("no random bytes", denied(&[(libc::SYS_getrandom, libc::ENOSYS)]), false, &[]),
    ];
    for (fault, run, must_fail, says) in faults {
        for line in LINES {
            let (folder, case) = (tempfile::tempdir().unwrap(), format!("{line}, {fault}"));
            let Some(output) = run(folder.path(), line) else {
                skip::skip(&format!("this system cannot try: {fault}"));
                break;
            };
            decent(&case, &output);
            let is_named = says.iter().any(|text| last_line(&output).contains(text));
            let is_right = if output.status.success() { !must_fail } else { is_named };
            assert!(is_right, "{case}: {}", stderr(&output));
            // What was measured is left, and removing a folder takes a file descriptor.
            for entry in fs::read_dir(folder.path()).unwrap() {
                let name = entry.unwrap().file_name();
                assert!(
                    ["report.tmp", "r.json", "report"].iter().any(|own| *own == name),
                    "{case}: {name:?}"
                );
            }
        }
    }
}
