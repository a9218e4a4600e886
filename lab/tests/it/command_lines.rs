//! Every option in a program's `--help`, and what it changes: the rows of
//! `command_lines.tsv`, whose head says how they are read. An option without a row fails.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::kit::{commands, program};

/// A short command line of each program that measures; only the last, flops, models nothing.
pub(crate) const SMALL: [&str; 11] = [
    "spark --max 4K --repeats 1",
    "cm1 --max 8K --repeats 1",
    "mm1 --size 16",
    "mm2 --size 16",
    "mm3 --size 16",
    "ge ge3 16 2",
    "ge1 16",
    "dgemm ijk 16",
    "lab causes 16 --runs 1",
    "lab dgemm --sizes 8 --variants ijk",
    "flops all 16 --repeats 1",
];

/// Files that the command lines name.
fn prepare(folder: &Path) {
    let guide = report::GUIDE;
    let sweep = include_str!("../../../common/tests/data/i5-7500/cm1-l1-1.out");
    let answers = r#"{"format": "cache-lab-answers", "version": 2, "saved": "2026-11-20T10:00:00Z",
        "fields": {"s2-2": "64 KiB", "student-1-number": "1", "student-1-name": "Ada"}}"#;
    for (name, text) in [
        ("own.toml", guide.replacen("title = \"", "title = \"Our own: ", 1).as_str()),
        ("sweep.out", sweep),
        ("own.csv", "n,kind,t\n8,ijk,2\n8,ikj,1\n16,ijk,4\n16,ikj,2\n"),
        ("half.out", &sweep[..sweep.len() / 2]),
        ("a.json", answers),
        ("page.wasm", "\0asm"),
        ("class.csv", "number,name\n1,Ada\n2,Bob\n"),
        ("t.trace", "r 0x7ff0 8\nw 0x7ff8 8\nr 0x17ff0 8\nr 0x7ff0 8\n"),
        ("answers.csv", "name,s311-c-size\nAda,32K\nBob,1K\n"),
        ("worksheet.csv", "Identifier,name,Grade,Feedback comments\nParticipant 1,Ada,,\n"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

struct Row {
    line: String,
    exit: i32,
    place: String,
    text: String,
}

/// The table, one row for each program.
fn rows() -> Vec<Row> {
    let mut table = csv::ReaderBuilder::new();
    table.delimiter(b'\t').quoting(false).comment(Some(b'#'));
    let mut rows = Vec::new();
    for row in table.from_reader(crate::TABLE).records() {
        let row = row.unwrap();
        let (programs, rest) = row[0].split_once(' ').unwrap();
        let programs: Vec<&str> = match programs {
            "SMALL" => SMALL.into(),
            "MODELLED" => SMALL[..SMALL.len() - 1].into(),
            programs => programs.split('|').collect(),
        };
        rows.extend(programs.into_iter().map(|program| Row {
            line: format!("{program} {rest}"),
            exit: row[1].parse().unwrap(),
            place: row[2].to_owned(),
            text: row[3].replace("\\n", "\n").replace("\\t", "\t"),
        }));
    }
    rows
}

fn run(folder: &Path, line: &str) -> Output {
    let mut words = line.split_whitespace();
    let cpu = common::cpu::allowed().first().copied().unwrap_or_default().to_string();
    let name = words.next().unwrap();
    let words = words.map(|word| if word == "CPU" { cpu.as_str() } else { word });
    // As wide as any line, so that a wrapped one does not look like an option.
    Command::new(program(name)).env("COLUMNS", "10000").current_dir(folder).args(words).output().unwrap()
}

/// The exit status of a line, and the text in `place`.
fn outcome(line: &str, place: &str) -> (i32, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let output = line.split(" && ").map(|line| run(folder.path(), line)).last().unwrap();
    let text = match place {
        "" => Some(Vec::new()),
        "out" => Some(output.stdout),
        "err" => Some(output.stderr),
        file => std::fs::read(folder.path().join(file)).ok(),
    };
    (output.status.code().unwrap(), text.map(|text| String::from_utf8_lossy(&text).into_owned()))
}

/// What is wrong with a row, if anything.
fn fault(row: &Row) -> Option<String> {
    let Row { line, exit, place, text } = row;
    let (status, with) = outcome(&line.replace(['[', ']', '{', '}'], ""), place);
    let without = line.split_once('[').map(|(begin, rest)| {
        let (_, end) = rest.split_once(']').unwrap();
        outcome(&format!("{begin}{end}"), place)
    });
    let holds = |status: i32, found: &Option<String>| {
        let Some(found) = found else { return false };
        status == *exit
            && match text.as_str() {
                "" => !["out", "err"].contains(&place.as_str()) || found.is_empty(),
                "*" => !found.is_empty(),
                text => match text.strip_prefix('!') {
                    Some(absent) => !found.contains(absent),
                    None => found.contains(text),
                },
            }
    };
    let contrast = without.is_none_or(|(other, found)| match text.as_str() {
        "*" => found != with,
        _ => !holds(other, &found),
    });
    let right = holds(status, &with) && contrast;
    (!right)
        .then(|| format!("{line}: not {text:?} in {place:?}; exit {status}\n{}", with.unwrap_or_default()))
}

/// All programs, and each with each of its commands.
pub(crate) fn programs() -> Vec<String> {
    let with_commands = |name: &&str| {
        let help = help(name);
        let commands = Vec::from_iter(commands(&help).iter().map(|command| format!("{name} {command}")));
        [vec![(*name).to_owned()], commands].concat()
    };
    crate::PROGRAMS.iter().flat_map(with_commands).collect()
}

fn help(name: &str) -> String {
    String::from_utf8(run(&std::env::temp_dir(), &format!("{name} --help")).stdout).unwrap()
}

/// The options in a help text, each with all its names.
fn listed(help: &str) -> Vec<Vec<&str>> {
    let option = |line| {
        // Sentences begin at the margin, and can begin with an option, too.
        let line = str::strip_prefix(line, "  ")?.trim_start();
        let name = line.trim_start_matches('-');
        if name.len() == line.len() || !name.starts_with(char::is_alphabetic) {
            return None; // `- auto:` is a value
        }
        let names = line.split("  ").next()?.split(['<', '[', '.']).next()?;
        Some(names.split(", ").map(str::trim).filter(|name| name.starts_with('-')).collect())
    };
    let own = |names: &Vec<&str>| !names.contains(&"--help") && !names.contains(&"--version");
    help.lines().filter_map(option).filter(own).collect()
}

#[test]
fn every_option_that_is_listed_has_a_row() {
    let rows = rows();
    let mut missing = Vec::new();
    for name in programs() {
        let help = help(&name);
        let options = listed(&help);
        let tested: BTreeSet<&str> = rows
            .iter()
            .filter_map(|row| row.line.rsplit(" && ").next())
            .filter(|line| line.starts_with(&format!("{name} ")))
            .flat_map(|line| line.split(['[', ']', '{', '}']).skip(1).step_by(2))
            .flat_map(str::split_whitespace)
            .collect();
        let untested = options.iter().filter(|names| !names.iter().any(|name| tested.contains(name)));
        missing.extend(untested.map(|names| format!("{name} {}", names.join(", "))));
    }
    assert!(missing.is_empty(), "no row says what these change:\n{}", missing.join("\n"));
}

/// The rows of refusals, without the contrast to the line without the option.
#[test]
fn every_refusal_in_the_table_is_made() {
    let refusals = rows().into_iter().filter(|row| row.exit != 0);
    let faults: Vec<String> =
        refusals.filter_map(|row| fault(&Row { line: row.line.replace(['[', ']'], ""), ..row })).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
#[ignore = "five hundred starts of programs: .ci/full runs it"]
fn every_option_that_is_listed_does_what_it_promises() {
    let (rows, next) = (rows(), AtomicUsize::new(0));
    let work = || {
        let mut faults = Vec::new();
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            faults.extend(fault(row));
        }
        faults
    };
    let faults: Vec<String> = std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
