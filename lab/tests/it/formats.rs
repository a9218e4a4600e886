//! What each program writes, in each of its formats: the figures of its record, which `lab plot` reads; a sweep comes
//! back cell for cell.

use std::path::Path;
use std::process::{Command, Output};

use common::record::Record;
use common::saved::Saved;

use crate::kit::program;

const I5: &str = "--machine i5-7500 --counters model";

/// Program and command line; `I5` is replaced by the modelled machine. Those of spark and cm1 are sweeps.
const TABLE: [(&str, &str); 14] = [
    ("spark", "I5 --sizes 4K,6K,40K --repeats 100"),
    ("spark", "I5 --max 8K --repeats 100"),
    ("spark", "--max 8K --repeats 200 --runs 3"),
    ("cm1", "I5 --max 16K --repeats 3"),
    ("cm1", "I5 --sizes 24K,40K --event PAPI_L2_DCM --repeats 1"),
    ("cm1", "--counters none --max 8K --repeats 2"),
    ("mm1", "I5 --size 16"),
    ("mm2", "I5 --size 16 --time-transpose"),
    ("mm3", "--size 16 --counters none"),
    ("ge1", "24"),
    ("ge", "ge7 24"),
    ("dgemm", "I5 ikj 16"),
    ("dgemm", "I5 all 16"),
    ("flops", "sse-scalar 16"),
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
    for (name, args) in TABLE {
        let is_sweep = ["spark", "cm1"].contains(&name);
        for format in ["kit", "csv", "json"] {
            let what = format!("{name} {args} {format}");
            let output = run(folder.path(), name, &format!("{args} --format {format} --record r.json"));
            assert!(output.status.success(), "{what}: {}", text(&output.stderr));
            let written = text(&output.stdout);
            let json = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
            let record: Record = serde_json::from_str(&json).unwrap();
            match format {
                "json" => {
                    let printed: serde_json::Value = serde_json::from_str(&written).unwrap();
                    assert_eq!(printed["rows"], serde_json::to_value(&record).unwrap()["rows"], "{what}");
                }
                "csv" => has_the_figures(&written, &record, &what),
                _ => {}
            }
            for file in [Some(&written), Some(&json).filter(|_| format == "kit")].into_iter().flatten() {
                std::fs::write(folder.path().join("file"), file).unwrap();
                if is_sweep {
                    let read = Saved::parse(file).unwrap_or_else(|error| panic!("{what}: {error}\n{file}"));
                    same(&read, &Saved::of(&record), &record, format != "kit" || *file == json);
                }
                let drawn = run(folder.path(), "lab", "plot file -o chart.svg");
                let message = text(&drawn.stderr);
                match is_sweep || format != "kit" || *file == json {
                    true => assert!(drawn.status.success(), "{what}: {message}"),
                    false => {
                        assert_eq!(
                            (drawn.status.code(), message.lines().count()),
                            (Some(1), 1),
                            "{what}: {message}"
                        );
                        assert!(message.contains("line 1 is neither a row of cm1"), "{what}: {message}");
                    }
                }
            }
        }
    }
}

/// CSV has the figures of the record, each with its source or its reason: numbers, or nothing.
fn has_the_figures(csv: &str, record: &Record, what: &str) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let table: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(table.len(), record.rows.len(), "{what}");
    for (row, cells) in record.rows.iter().zip(&table) {
        let cell = |column: &str| {
            let at = header.iter().position(|header| header == column);
            &cells[at.unwrap_or_else(|| panic!("{what}: no column {column}"))]
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

#[test]
fn no_output_takes_the_place_of_an_input_or_of_another_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let sweep = "--machine i5-7500 --counters model --max 8K --repeats 1";
    for (name, args) in [
        ("cm1", format!("{sweep} --record l1.json")),
        ("mm1", "--size 8 --machine i5-7500 --record one.json".to_owned()),
    ] {
        assert!(run(path, name, &args).status.success());
    }
    let machine = run(path, "lab", "machines i5-7500").stdout;
    assert!(!machine.is_empty());
    std::fs::write(path.join("mine.toml"), machine).unwrap();
    let sweep = "cache_size=8192\tstride=1\tavg_misses=0.5\tavg_time=0.1\n";
    std::fs::write(path.join("x.svg"), sweep).unwrap();
    let inputs = ["l1.json", "one.json", "mine.toml", "x.svg"].map(|name| path.join(name));
    let before = inputs.each_ref().map(|input| std::fs::read(input).unwrap());
    let lines = [
        ("cm1", "--machine mine.toml --max 8K --repeats 1 --record ./mine.toml", "mine.toml"),
        ("cm1", "--machine mine.toml --max 8K --repeats 1 --record a.svg --chart ./a.svg", "a.svg"),
        ("lab", "plot l1.json -o ./l1.json", "l1.json"),
        ("lab", "plot x.svg", "x.svg"),
        ("lab", "plot x.svg -o ./x.svg", "x.svg"),
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
