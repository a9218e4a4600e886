//! `lab` as a student runs it: the report, the charts, and the refusals.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::command_lines;
use crate::kit::{self, lab, stderr};

const SCHEMA: &str = include_str!("../../../common/records/schemas/record.schema.json");

/// Fails with one line that names `culprit`; clap's own messages have more.
fn refuses(folder: &Path, args: &str, code: i32, culprit: &str) {
    let output = lab(folder, args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args}: {message}");
    assert!(message.lines().count() == 1 || message.starts_with("error: "), "{args}: {message}");
    assert!(message.contains(culprit), "{args}: {message}");
    assert!(output.stdout.is_empty(), "{args}");
}

/// The chart that `lab plot` draws with these arguments, and what it says.
fn drawn(folder: &Path, args: &str) -> (String, String) {
    let output = lab(folder, &format!("plot {args} -o drawn.svg"));
    assert!(output.status.success(), "{args}: {}", stderr(&output));
    (fs::read_to_string(folder.join("drawn.svg")).unwrap(), stderr(&output))
}

/// One small report of each of three machines, for all that is made of reports.
#[test]
fn reports_are_whole_follow_the_schema_and_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    for machine in ["i5-7500", "zen3", "host"] {
        let line =
            format!("run --quick --hasten 1000 --size 16 --machine {machine} --output {machine} --quiet");
        let output = lab(folder.path(), &line);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
        // What the page asks for is not printed before it.
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    }
    files_are_whole(&folder.path().join("i5-7500"));
    ["i5-7500", "host"].iter().for_each(|machine| schema_is_followed(&folder.path().join(machine)));
    machines_are_drawn_separately(folder.path(), "i5-7500", "zen3");
    let (levels, _) = drawn(folder.path(), "zen3/records/cm1-l1.json zen3/records/cm1-l2.json");
    assert!(
        levels.contains("B: 64 KiB") && levels.contains("; event PAPI_L2_DCM; source: model"),
        "{levels}"
    );
}

fn files_are_whole(report: &Path) {
    let loads = fs::read_to_string(report.join("records/mm1.json")).unwrap();
    let loads: Json = serde_json::from_str(&loads).unwrap();
    let loads = loads["rows"][0]["figures"].as_array().unwrap().iter().find(|f| f["name"] == "PAPI_LD_INS");
    assert_eq!(loads.unwrap()["amount"], 3.0 * 16f64.powi(3));
    for (name, start) in [("cm1-l1.svg", &b"<svg"[..]), ("spark-stride.png", b"\x89PNG")] {
        assert!(fs::read(report.join("pictures").join(name)).unwrap().starts_with(start), "{name}");
    }
}

/// What of `value` its schema does not have, and what it requires and `value` lacks.
fn strange(schema: &Json, root: &Json, value: &Json) -> Vec<String> {
    let schema = schema["$ref"].as_str().map_or(schema, |place| root.pointer(&place[1..]).unwrap());
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let mut found = Vec::from_iter(required.filter(|name| value.get(name).is_none()).map(str::to_owned));
    found.extend(schema["enum"].as_array().filter(|all| !all.contains(value)).map(|_| value.to_string()));
    for (name, inner) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(part) => found.extend(strange(part, root, inner)),
            None => found.extend((schema["additionalProperties"] == false).then(|| name.clone())),
        }
    }
    found.extend(value.as_array().into_iter().flatten().flat_map(|one| strange(&schema["items"], root, one)));
    found
}

/// Whether all records of a report have the names of their schema, and others are noticed.
fn schema_is_followed(report: &Path) {
    let schema: Json = serde_json::from_str(SCHEMA).unwrap();
    let files = fs::read_dir(report.join("records")).unwrap().map(|file| file.unwrap().path());
    let records =
        Vec::from_iter(files.filter(|path| path.extension().is_some_and(|ending| ending == "json")));
    assert!(records.len() >= 7, "{records:?}");
    for path in records {
        let mut record: Json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(strange(&schema, &schema, &record), [""; 0], "{path:?}");
        assert!(record["time"].as_str().unwrap().ends_with('Z') && record["id"] != "");
        record["more"] = 1.into();
        record["rows"][0].as_object_mut().unwrap().remove("place");
        record["rows"][0]["figures"][0]["source"] = "guess".into();
        assert_eq!(strange(&schema, &schema, &record), ["more", "place", "\"guess\""], "{path:?}");
    }
}

fn machines_are_drawn_separately(folder: &Path, one: &str, other: &str) {
    let files = format!("{one}/records/cm1-l1.json {other}/records/cm1-l1.json");
    let (picture, _) = drawn(folder, &format!("{files} --sizes 32K,64K"));
    let source = format!("source: model; file {other}/records/cm1-l1.json");
    for text in ["\nA: 32 KiB\n", "\nB: 64 KiB\n", "A: i5-7500 (", &source] {
        assert!(picture.contains(text), "{text} in {picture}");
    }
    assert!(!picture.contains("median"), "{picture}");
}

#[test]
fn a_chart_of_an_earlier_sweep_is_not_left_among_those_of_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = |more: &str| {
        let line = format!("dgemm --sizes 32,48 --variants ikj --output r {more}");
        let output = lab(folder.path(), &line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        stderr(&output)
    };
    let is_there = |name: &str| folder.path().join("r").join(name).exists();
    sweep("");
    assert!(is_there("dgemm-misses.svg"));
    fs::write(folder.path().join("r/own.svg"), "mine").unwrap();
    let notes = sweep("--counters none");
    assert!(notes.contains("note: dgemm-misses.svg of an earlier run was removed"), "{notes}");
    assert!(!is_there("dgemm-misses.svg") && is_there("dgemm-time.svg") && is_there("own.svg"));
}

/// Options that make a command of the list quick, by its beginning.
const SMALL: [(&str, &str); 4] = [
    ("lab causes", "16"),
    ("lab ge", "--sizes 16 --runs 1"),
    ("lab dgemm", "--sizes 16,32 --variants ijk,ikj"),
    ("spark", "--max 16K --repeats 1"),
];

/// Runs each command that the course's documents ask for, with small matrices and arrays.
/// (`lab run`, `avail` and the exercises have tests of their own; the example belongs to
/// another crate.)
#[test]
fn the_commands_that_the_documents_need_run() {
    let folder = tempfile::tempdir().unwrap();
    let list = include_str!("../../../common/report/src/coverage.csv");
    let commands: BTreeSet<&str> = list.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
    let own = |command: &&str| {
        *command != "lab run"
            && !command.ends_with(".md")
            && !["exercises ", "avail", "cargo "].iter().any(|own| command.starts_with(own))
    };
    for command in commands.into_iter().filter(own) {
        let (name, words) = command.split_once(' ').unwrap_or((command, ""));
        let small = SMALL.iter().filter(|(begins, _)| command.starts_with(begins)).map(|(_, words)| *words);
        // Sizes have several digits; the rungs of ge have one.
        let size = |word: &str| word.len() > 1 && word.parse::<u32>().is_ok();
        let words = words.split_whitespace().map(|word| if size(word) { "32" } else { word });
        let program = kit::program(name);
        let mut ran = Command::new(program);
        ran.current_dir(folder.path()).args(words).args(small.flat_map(|words| words.split(' ')));
        let ran = ran.output().unwrap();
        // Charts and records go into the folder, a table to the terminal.
        let drew = fs::remove_dir_all(folder.path().join("DIR")).is_ok();
        assert!(ran.status.success(), "{command}: {}", stderr(&ran));
        assert!(drew || !ran.stdout.is_empty(), "{command} gives nothing");
    }
}

/// Rows that the handout lets students append are in the chart; what is not is named.
#[test]
fn every_cell_and_every_file_is_drawn_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let row = |size: u32, stride: u32, misses: f64| {
        format!("cache_size={size} stride={stride} avg_misses={misses}\n")
    };
    let curve = String::from_iter([64, 128, 256, 512].map(|stride| row(65536, stride, 1.0)));
    let appended =
        row(49152, 64, 0.062) + &row(40960, 64, 0.0) + &row(40960, 4096, 0.0) + &row(65536, 64, 0.5);
    fs::write(folder.path().join("cm1.out"), curve + &appended).unwrap();
    fs::write(folder.path().join("times.csv"), "size,stride,ns_per_access\n8192,64,1.5\n").unwrap();
    let (picture, said) = drawn(folder.path(), "cm1.out");
    assert!(said.contains("more than once, 1, the first 64 KiB at stride 64 B"), "{said}");
    for value in ["\"48 KiB\"", "\"0.062\"", "\"40 KiB\"", "\"0.5\""] {
        assert!(picture.contains(value), "{value} in {picture}");
    }
    let refused = lab(folder.path(), "plot cm1.out times.csv -o d.svg");
    assert!(!refused.status.success() && stderr(&refused).contains("times.csv has no avg_misses"));
    assert!(!folder.path().join("d.svg").exists());
}

#[test]
fn records_of_products_are_drawn_by_program() {
    let folder = tempfile::tempdir().unwrap();
    for program in ["mm1", "mm2"] {
        let args = format!("--size 16 --machine zen3 --record {program}.json");
        assert!(kit::run(folder.path(), program, &args).status.success());
    }
    let (picture, _) = drawn(folder.path(), "mm1.json mm2.json --y PAPI_L1_DCM");
    assert!(
        ["Misses of L1 (millions) at N = 16", "\nmm1\n", "\nmm2\n", "source: model"]
            .iter()
            .all(|text| picture.contains(text))
    );
    refuses(folder.path(), "plot mm1.json mm2.json --y nothing", 2, "PAPI_L1_DCM");
}

/// A table of one's own, and one with a record: the same columns are in one chart.
#[test]
fn tables_and_records_are_drawn_by_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let args = "dgemm --sizes 8,16 --variants ijk --counters model --machine i5-7500 -o walks";
    assert!(lab(folder.path(), args).status.success());
    let table =
        "# A comment\ngroup,variant,n,misses_per_iteration\nX9,\"ijk, X9\",8,0.5\nX9,\"ijk, X9\",16,0.25\n";
    fs::write(folder.path().join("counted.csv"), table).unwrap();
    fs::write(folder.path().join("own.csv"), "n;time A;time B\n128;1,5;2,25\n256;6,1;9\n").unwrap();
    fs::write(folder.path().join("two.csv"), "n,kind,t\n8,ijk,2\n8,ikj,1\n").unwrap();
    fs::write(folder.path().join("share.csv"), "n,rate,t\n8,75 %,1\n16,80 %,inf\n").unwrap();
    let y = "misses_per_iteration,misses_per_iteration_closed";
    let (both, _) = drawn(folder.path(), &format!("walks/dgemm.json counted.csv --x n --y {y} --by variant"));
    for text in [
        "A: ijk: misses per iteration",
        "A: ijk: misses per iteration closed",
        "B: ijk, X9: misses per iteration",
    ] {
        assert!(both.contains(&format!("\n{text}\n")), "{text} in {both}");
    }
    let (own, _) = drawn(folder.path(), "own.csv");
    assert!(["\ntime A\n", "\ntime B\n", "\"2.25\""].iter().all(|text| own.contains(text)), "{own}");
    refuses(
        folder.path(),
        "plot two.csv",
        1,
        "several rows with n 8 differ in 'kind': draw a curve for each with --by kind",
    );
    let none = "no column but 'n' has numbers only; of the others these entries are none: rate ('75 %' in line 2), t ('inf' in line 3)";
    refuses(folder.path(), "plot share.csv", 1, none);
    refuses(
        folder.path(),
        "plot own.csv --y time",
        2,
        "there is no column 'time'; there are program, n, time A, time B",
    );
}

/// The report's table at the guide's last question, which only N = 1024 asks.
#[test]
fn the_table_of_three_sizes_is_what_the_programs_count() {
    let folder = tempfile::tempdir().unwrap();
    for (n, misses) in report::BY_SIZE {
        let counted = ["PAPI_L1_DCM", "PAPI_L2_DCM"].map(|event| {
            ["mm2", "mm3"].map(|program| {
                let args =
                    format!("--machine zen3 --counters model --size {n} --events {event} --format json");
                let output = kit::run(folder.path(), program, &args);
                let record: Json = serde_json::from_slice(&output.stdout).unwrap();
                let figures = record["rows"][0]["figures"].as_array().unwrap();
                let figure = figures.iter().find(|figure| figure["name"] == event).unwrap();
                format!("{:.3}", figure["amount"].as_f64().unwrap() / 1e6)
            })
        });
        assert_eq!(counted.concat(), misses, "N = {n}");
    }
}

/// A program that ignored the variable would succeed.
#[test]
fn lab_machine_is_the_machine_of_every_program_or_refused() {
    for line in command_lines::SMALL.iter().chain(&["lab run", "lab trace t.trace", "lab ge --sizes 8"]) {
        let words: Vec<&str> = line.split(' ').collect();
        let output = Command::new(kit::program(words[0]))
            .args(&words[1..])
            .env("LAB_MACHINE", "nosuch")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_named =
            ["there is no machine 'nosuch'", "unset LAB_MACHINE"].iter().any(|why| said.contains(why));
        assert!(is_named && output.status.code() == Some(2), "{line}: {:?} {said}", output.status);
    }
}
