//! What each program writes, in each of its formats, through every reader: a sweep is read
//! back cell for cell, everything else is refused by name.

use std::path::Path;
use std::process::{Command, Output};

use common::record::Record;
use common::saved::Saved;

use crate::kit::program;

/// The expected result of the readers.
#[derive(Debug, Clone, Copy)]
enum Expected {
    /// A sweep, with the precision of the format.
    Sweep,
    /// A record with a chart of its own.
    Drawn,
    /// A refusal with this name for it.
    Refused(&'static str),
}

use Expected::{Drawn, Refused, Sweep};

const I5: &str = "--machine i5-7500 --counters model";

/// Program, command line, formats, expectation. `I5` is replaced by the modelled machine.
const TABLE: [(&str, &str, &[&str], Expected); 19] = [
    ("spark", "I5 --sizes 4K,6K,40K --repeats 100", &["kit", "csv", "json", "record"], Sweep),
    ("spark", "I5 --max 8K --repeats 100", &["kit", "csv", "json", "record"], Sweep),
    ("spark", "--max 8K --repeats 200 --runs 3", &["kit", "csv", "json", "record"], Sweep),
    ("cm1", "I5 --max 16K --repeats 3", &["kit", "csv", "json", "record"], Sweep),
    ("cm1", "I5 --sizes 24K,40K --event PAPI_L2_DCM --repeats 1", &["kit", "csv", "json", "record"], Sweep),
    ("cm1", "--counters none --max 8K --repeats 2", &["kit", "csv", "json", "record"], Sweep),
    ("mm1", "I5 --size 16", &["kit"], Refused("line 1 is neither a row of cm1")),
    ("mm1", "I5 --size 16", &["json", "record"], Drawn),
    ("mm2", "I5 --size 16 --time-transpose", &["kit"], Refused("line 1 is neither a row of cm1")),
    ("mm3", "--size 16 --counters none", &["json", "record"], Drawn),
    ("ge1", "24", &["kit"], Refused("line 1 is neither a row of cm1")),
    ("ge1", "24 1", &["kit"], Refused("line 1 is neither a row of cm1")),
    ("ge", "ge7 24", &["json", "record"], Drawn),
    ("dgemm", "I5 ikj 16", &["kit"], Refused("line 1 is neither a row of cm1")),
    ("dgemm", "I5 ikj 16", &["json"], Drawn),
    ("dgemm", "I5 all 16", &["json"], Drawn),
    ("flops", "sse-scalar 16", &["kit"], Refused("line 1 is neither a row of cm1")),
    ("flops", "sse-scalar 16", &["json", "record"], Drawn),
    ("lab", "machines i5-7500", &[""], Refused("line 1 is neither a row of cm1")),
];

fn run(folder: &Path, name: &str, args: &str) -> Output {
    let args = args.replace("I5", I5);
    Command::new(program(name)).current_dir(folder).args(args.split_whitespace()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Compares the figures to the printed precision: six decimals of seconds per cell (spark),
/// of misses and microseconds per access (cm1).
fn same(read: &Saved, made: &Saved, record: &Record, exact: bool) {
    assert_eq!((&read.event, read.source), (&made.event, made.source));
    assert_eq!(read.cells.len(), made.cells.len());
    let mut rows: Vec<_> = record.rows.iter().collect();
    rows.sort_by_key(|row| (row.whole("size_bytes"), row.whole("stride_bytes")));
    for ((a, b), row) in read.cells.iter().zip(&made.cells).zip(rows) {
        assert_eq!((a.size, a.stride), (b.size, b.stride));
        let ulp = if exact { 0.0 } else { 0.501e-6 };
        let nanos = row.amount("accesses").map_or(ulp * 1e3, |accesses| ulp * 1e9 / accesses);
        for (a, b, off) in [(a.misses, b.misses, ulp), (a.nanos, b.nanos, nanos)] {
            let (a, b) = (a.unwrap_or(-1.0), b.unwrap_or(-1.0));
            assert!((a - b).abs() <= off + 1e-12 * b.abs(), "{a} {b} {row:?}");
        }
    }
}

#[test]
fn every_format_of_every_program_comes_back_or_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for (name, args, formats, expected) in TABLE {
        for format in formats {
            let what = format!("{name} {args} {format}");
            let saved = |options: &str| {
                let output = run(folder.path(), name, &format!("{args} {options}"));
                assert!(output.status.success(), "{what}: {}", text(&output.stderr));
                text(&output.stdout)
            };
            let record = || std::fs::read_to_string(folder.path().join("r.json")).unwrap();
            let written = match *format {
                "" => saved(""),
                "record" => {
                    saved("--record r.json");
                    record()
                }
                _ if name == "lab" => saved(&format!("--format {format}")),
                _ => saved(&format!("--format {format} --record r.json")),
            };
            std::fs::write(folder.path().join("file"), &written).unwrap();
            match expected {
                Sweep => {
                    let record: Record = serde_json::from_str(&record()).unwrap();
                    let read =
                        Saved::parse(&written).unwrap_or_else(|error| panic!("{what}: {error}\n{written}"));
                    same(&read, &Saved::of(&record), &record, *format != "kit");
                    is_drawn(folder.path(), &what);
                }
                Drawn => is_drawn(folder.path(), &what),
                Refused(called) => is_refused(folder.path(), &what, called),
            }
        }
    }
}

/// CSV and JSON have the figures of the record, each with its source or its reason, and no
/// others.
#[test]
fn every_format_of_every_program_has_the_figures_of_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let measuring = TABLE.iter().filter(|(name, _, formats, _)| *name != "lab" && formats.len() > 1);
    for (name, args, ..) in measuring {
        let saved = |format: &str| {
            let output = run(folder.path(), name, &format!("{args} --format {format} --record r.json"));
            assert!(output.status.success(), "{name} {args}: {}", text(&output.stderr));
            let record = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
            (text(&output.stdout), serde_json::from_str::<Record>(&record).unwrap())
        };
        let (json, record) = saved("json");
        let printed: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(printed["rows"], serde_json::to_value(&record).unwrap()["rows"], "{name} {args}");

        let (csv, record) = saved("csv");
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let header = reader.headers().unwrap().clone();
        let table: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(table.len(), record.rows.len(), "{name} {args}");
        for (row, cells) in record.rows.iter().zip(&table) {
            let cell = |column: &str| {
                let at = header.iter().position(|header| header == column);
                &cells[at.unwrap_or_else(|| panic!("{name} {args}: no column {column}"))]
            };
            for figure in &row.figures {
                match figure.reading.result() {
                    Ok(amount) => {
                        assert_eq!(cell(&figure.name).parse(), Ok(amount), "{}", figure.name);
                        let source = figure.reading.source().unwrap().to_string();
                        assert_eq!(cell(&format!("{}_source", figure.name)), source);
                    }
                    Err(reason) => {
                        assert_eq!(cell(&figure.name), "");
                        assert_eq!(cell(&format!("{}_reason", figure.name)), reason);
                    }
                }
            }
        }
    }
}

fn is_drawn(folder: &Path, what: &str) {
    let drawn = run(folder, "lab", "plot file -o chart.svg");
    assert!(drawn.status.success(), "{what}: {}", text(&drawn.stderr));
}

fn is_refused(folder: &Path, what: &str, called: &str) {
    let output = run(folder, "lab", "plot file -o chart.svg");
    let message = text(&output.stderr);
    assert_eq!((output.status.code(), message.lines().count()), (Some(1), 1), "{what}: {message}");
    assert!(message.contains(called), "{what}: {message}");
}

#[test]
fn no_output_takes_the_place_of_an_input_or_of_another_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let sweep = "--machine i5-7500 --counters model --max 8K --repeats 1";
    for (name, args) in [
        ("cm1", format!("{sweep} --record l1.json")),
        ("cm1", format!("{sweep} --event PAPI_L2_DCM --record l2.json")),
        ("mm1", "--size 8 --machine i5-7500 --record one.json".to_owned()),
    ] {
        assert!(run(path, name, &args).status.success());
    }
    let machine = run(path, "lab", "machines i5-7500").stdout;
    assert!(!machine.is_empty());
    std::fs::write(path.join("mine.toml"), machine).unwrap();
    std::fs::write(path.join("class.csv"), "name,l1.size\nAnn,32K\n").unwrap();
    std::fs::write(path.join("grades.csv"), "name,l1.size\nAnn,32K\n").unwrap();
    let sweep = "cache_size=8192\tstride=1\tavg_misses=0.5\tavg_time=0.1\n";
    std::fs::write(path.join("x.svg"), sweep).unwrap();
    let inputs = ["l1.json", "one.json", "mine.toml", "grades.csv", "x.svg"].map(|name| path.join(name));
    let before = inputs.each_ref().map(|input| std::fs::read(input).unwrap());
    let lines = [
        ("cm1", "--machine mine.toml --max 8K --repeats 1 --record ./mine.toml", "mine.toml"),
        ("cm1", "--machine mine.toml --max 8K --repeats 1 --record a.svg --chart ./a.svg", "a.svg"),
        ("lab", "plot l1.json -o ./l1.json", "l1.json"),
        ("lab", "plot x.svg", "x.svg"),
        ("lab", "plot x.svg -o ./x.svg", "x.svg"),
        ("lab", "plot l1.json l2.json -o two.svg", "PAPI_L2_DCM"),
        ("lab", "plot one.json l1.json -o two.svg", "one.json has no avg_misses"),
    ];
    for (name, args, named) in lines {
        let refused = run(path, name, args);
        let message = text(&refused.stderr);
        assert!(!refused.status.success() && message.contains(named), "{name} {args}: {message}");
    }
    assert_eq!(inputs.each_ref().map(|input| std::fs::read(input).unwrap()), before);
    for new in ["a.svg", "two.svg"] {
        assert!(!path.join(new).exists(), "{new}");
    }
}
