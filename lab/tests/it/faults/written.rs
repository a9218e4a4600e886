//! `docs/faults.md`: the recorded outcome of each fault on each program, and a test that it
//! has not changed.

use std::path::Path;

/// The page; with `FAULTS=write` the test rewrites it.
const PAGE: &str = "docs/faults.md";
const HEAD: &str = "## What was seen

Each command below was run under each fault. None panicked, none was killed, none wrote outside of
its folder. On a machine that counts nothing `avail` ends with its reason, with the fault or without.

`cargo test -p lab --test it faults::` compares this section with what happens, except for the rows on
memory, file descriptors, perf and threads, which differ from machine to machine; `FAULTS=write cargo
test -p lab --test it each_fault` writes it.
";
/// The files that these leave depend on the machine's processors and counters.
const VARY: [&str; 7] = [
    "100 MB of address space",
    "4 file descriptors",
    "6 file descriptors",
    "9 file descriptors",
    "perf denied",
    "no perf at all",
    "threads denied",
];
/// Longest quoted sentence in characters.
const SHOWN: usize = 100;

/// How a command ended.
#[derive(Debug)]
pub(crate) enum Seen {
    Result,
    /// With exit 1 or 2, and this message.
    Refused(String),
}

/// A fault and its outcomes; no cell where this system cannot try it.
#[derive(Debug)]
pub(crate) struct Row<'f> {
    pub(crate) fault: &'f str,
    pub(crate) cell: Option<String>,
}

/// What differs from a normal run, sentence by sentence.
pub(crate) fn cell(lines: &[String], seen: &[Seen], normal: &[Seen]) -> String {
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for ((line, seen), normal) in lines.iter().zip(seen).zip(normal) {
        let (Seen::Refused(said), Seen::Result) = (seen, normal) else { continue };
        let sentence = sentence(said);
        match told.iter_mut().find(|(other, _)| *other == sentence) {
            Some((_, names)) => names.push(name(line)),
            None => told.push((sentence, vec![name(line)])),
        }
    }
    let all: Vec<String> = lines
        .iter()
        .zip(normal)
        .filter(|(_, normal)| matches!(normal, Seen::Result))
        .map(|(line, _)| name(line))
        .collect();
    let keeping: Vec<String> =
        lines.iter().filter(|line| line.contains("--record")).map(|l| name(l)).collect();
    let cells = told.iter().map(|(sentence, names)| {
        let who = match names {
            names if *names == all => "all".to_owned(),
            names if *names == keeping => "all that write a record".to_owned(),
            names => names.join(", "),
        };
        format!("{who}: *{sentence}*")
    });
    if told.is_empty() { "none".to_owned() } else { cells.collect::<Vec<_>>().join("<br>") }
}

/// The command, without the options that make it short.
fn name(line: &str) -> String {
    let short = ["--max 8K", "--repeats 1", "--size 16", "--record r.json", "--hasten 40", "--output report"];
    let name = short.iter().fold(line.to_owned(), |line, part| line.replace(&format!(" {part}"), ""));
    format!("`{name}`")
}

/// The last line, shortened, without the program's name before it.
fn sentence(said: &str) -> String {
    let last = said.lines().last().unwrap_or_default();
    let told = last.split_once(": ").map_or(last, |(_, told)| told);
    let shown: String = told.chars().take(SHOWN).collect();
    if shown == told { shown } else { format!("{} …", shown.trim_end()) }
}

fn row(fault: &str, cell: &str) -> String {
    format!("| {fault} | {cell} |\n")
}

/// Fails where the page has other commands, faults or outcomes than this run.
pub(crate) fn hold(lines: &[String], rows: &[Row]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(PAGE);
    let commands: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let head =
        format!("{HEAD}\n```text\n{commands}```\n\n| fault | difference from a normal run |\n|---|---|\n");
    let page = std::fs::read_to_string(&path).unwrap();
    let start = page.find(HEAD.lines().next().unwrap()).unwrap_or(page.len());
    let (promised, seen) = page.split_at(start);
    if std::env::var_os("FAULTS").is_some_and(|word| word == "write") {
        let told = rows
            .iter()
            .map(|Row { fault, cell }| row(fault, cell.as_deref().unwrap_or("not tried on this system")));
        std::fs::write(path, promised.to_owned() + &head + &told.collect::<String>()).unwrap();
        return;
    }
    let Some(table) = seen.strip_prefix(&head) else { panic!("{PAGE} lacks:\n{head}") };
    assert_eq!(table.lines().count(), rows.len(), "{PAGE} has other faults");
    for (Row { fault, cell }, line) in rows.iter().zip(table.lines()) {
        assert!(line.starts_with(&format!("| {fault} | ")), "{PAGE} has no row for: {fault}");
        match cell {
            Some(cell) if !VARY.contains(fault) => assert_eq!(line, row(fault, cell).trim_end(), "{PAGE}"),
            Some(_) => {}
            None => eprintln!("not tried, this system does not let us: {fault}"),
        }
    }
}
