//! Every option in a program's `--help`, and what it changes: compares a command line
//! without it and with it. An option without a row in `rows.rs` fails, and so does a row
//! without an option.

mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::kit::{commands, program};
use rows::{Row, Sees};

/// All programs, `lab` with each of its commands.
fn programs() -> Vec<String> {
    let mut all: Vec<String> =
        ["spark", "cm1", "mm1", "mm2", "mm3", "ge", "dgemm", "flops", "avail"].map(String::from).into();
    all.extend((1..=7).map(|rung| format!("ge{rung}")));
    let help = text(&run(Path::new("."), "lab", "--help").stdout);
    all.extend(commands(&help).iter().map(|command| format!("lab {command}")));
    all
}

/// The options in a help text, by their long names where they have one.
fn listed(help: &str) -> BTreeSet<String> {
    let option = |line: &str| {
        // Sentences begin at the margin, and can begin with an option, too.
        let line = line.strip_prefix("  ")?.trim_start();
        let name = line.trim_start_matches('-');
        if name.len() == line.len() || !name.starts_with(char::is_alphabetic) {
            return None; // `- auto:` is a value
        }
        let names = line.split("  ").next()?.split(['<', '[', '.']).next()?;
        names.split(", ").map(str::trim).filter(|name| name.starts_with('-')).last().map(str::to_owned)
    };
    help.lines().filter_map(option).filter(|name| !["--help", "--version"].contains(&name.as_str())).collect()
}

fn run(folder: &Path, name: &str, words: &str) -> Output {
    let (name, command) = name.split_once(' ').map_or((name, None), |(name, command)| (name, Some(command)));
    let path = if name == "lab" { env!("CARGO_BIN_EXE_lab").into() } else { program(name) };
    let cpu = common::cpu::allowed().first().copied().unwrap_or_default().to_string();
    let words = words.split_whitespace().map(|word| if word == "CPU" { cpu.as_str() } else { word });
    // As wide as any line, so that a wrapped one does not look like an option.
    Command::new(path).env("COLUMNS", "10000").current_dir(folder).args(command).args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The results of a command line.
struct Left {
    folder: tempfile::TempDir,
    success: bool,
    out: String,
    err: String,
}

impl Left {
    /// Runs it in a copy of `before`.
    fn of(name: &str, before: &Path, words: &str) -> Left {
        let folder = tempfile::tempdir().unwrap();
        let copied = Command::new("cp").arg("-a").args([&before.join("."), folder.path()]).status();
        assert!(copied.unwrap().success());
        let output = run(folder.path(), name, words);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        Left { folder, success: output.status.success(), out, err }
    }

    fn file(&self, name: &str) -> Option<String> {
        std::fs::read(self.folder.path().join(name)).map(|bytes| text(&bytes)).ok()
    }

    fn holds(&self, name: &str, part: &str) -> bool {
        self.file(name).is_some_and(|text| text.contains(part))
    }
}

/// A folder in which the earlier command lines have been run.
fn before(first: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    rows::prepare(folder.path());
    for line in first {
        let (program, words) = line.split_once(' ').unwrap();
        run(folder.path(), program, words);
    }
    folder
}

/// Whether the option had its effect in `with`, and not in `without`.
fn seen(sees: Sees, without: &Left, with: &Left) -> bool {
    let changed = |of: &dyn Fn(&Left) -> bool| of(with) && !of(without);
    let succeeds = with.success;
    match sees {
        Sees::Prints(part) => succeeds && changed(&|left| left.out.contains(part)),
        Sees::Shows(part) => succeeds && with.out.contains(part),
        Sees::Drops(part) => succeeds && !with.out.contains(part) && without.out.contains(part),
        Sees::Lacks(part) => succeeds && !with.out.contains(part),
        Sees::Differs => with.out != without.out && !with.out.is_empty(),
        Sees::Writes(name, begins) => {
            succeeds && changed(&|left| left.file(name).is_some_and(|text| text.starts_with(begins)))
        }
        Sees::In(name, part) => succeeds && changed(&|left| left.holds(name, part)),
        Sees::Sheds(name, part) => succeeds && without.holds(name, part) && !with.holds(name, part),
        Sees::Notes(part) => changed(&|left| left.err.contains(part) || left.out.contains(part)),
        Sees::Refuses(part) => !with.success && changed(&|left| left.err.contains(part)),
        Sees::Redraws(name) => succeeds && with.file(name).is_some() && with.file(name) != without.file(name),
        Sees::Fails(part) => !with.success && with.err.contains(part),
        Sees::Suffices => succeeds && !without.success,
        Sees::Silences => succeeds && with.err.is_empty() && !without.err.is_empty(),
    }
}

/// Options of one program without a row, and rows without an option.
fn unknown(name: &str) -> Vec<String> {
    let list = |name: &str| listed(&text(&run(&std::env::temp_dir(), name, "--help").stdout));
    let listed = list(name);
    if let Some(like) = rows::like(name) {
        // The rungs have the same options, so each of them has all.
        let same = listed == list(like);
        return if same { Vec::new() } else { vec![format!("{name} and {like} list different options")] };
    }
    let known: BTreeSet<String> = rows::of(name).map(|row| row.option.to_owned()).collect();
    let without =
        listed.difference(&known).map(|option| format!("{name} {option}: no row says what it changes"));
    let gone = known.difference(&listed).map(|option| format!("{name} {option}: it is not listed"));
    without.chain(gone).collect()
}

/// Options of one program that do not do what their rows say.
fn faults(name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut folders, mut plain) = (BTreeMap::new(), BTreeMap::new());
    let rows: Vec<Row> = if rows::like(name).is_some() { Vec::new() } else { rows::of(name).collect() };
    for row in &rows {
        // An option belongs before the command of `lab stat`.
        let words = match row.base.split_once("-- ") {
            Some((own, command)) => format!("{own}{} -- {command}", row.with),
            None => [row.base.as_str(), row.with].join(" "),
        };
        let before = folders.entry(row.first).or_insert_with(|| before(row.first)).path();
        let with = Left::of(name, before, &words);
        let alone = matches!(row.sees, Sees::Fails(_) | Sees::Shows(_) | Sees::Lacks(_));
        // If the command line must fail without the option, any result will do.
        let base = if alone { "--version" } else { &row.base };
        let without =
            plain.entry((row.first, base.to_owned())).or_insert_with(|| Left::of(name, before, base));
        if !seen(row.sees, without, &with) {
            faults.push(format!("{name} {words}: {:?} is not seen\n{}{}", row.sees, with.out, with.err));
        }
    }
    faults
}

#[test]
fn every_option_that_is_listed_has_a_row() {
    let unknown: Vec<String> = programs().iter().flat_map(|name| unknown(name)).collect();
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn every_option_that_is_listed_does_what_it_promises() {
    let (programs, next) = (programs(), AtomicUsize::new(0));
    let work = || {
        let mut faults = Vec::new();
        while let Some(name) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            faults.extend(self::faults(name));
        }
        faults
    };
    let faults: Vec<String> = std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
