//! What programs write, in each of their formats: `lab plot` reads it; a sweep comes back cell for cell.

use std::path::Path;
use std::process::{Command, Output};

use common::record::Record;
use common::saved::Saved;

use crate::kit::program;

const I5: &str = "--machine i5-7500 --counters model";

/// Program and command line; `I5` is replaced by the modelled machine. Those of spark and cm1 are sweeps.
const TABLE: [(&str, &str); 8] = [
    ("spark", "I5 --sizes 4K,6K,40K --repeats 100"),
    ("spark", "--max 8K --repeats 200 --runs 3"),
    ("cm1", "I5 --sizes 24K,40K --event PAPI_L2_DCM --repeats 1"),
    ("cm1", "--counters none --max 8K --repeats 2"),
    ("mm2", "I5 --size 16 --time-transpose"),
    ("ge1", "24"),
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

/// A sweep is read back as it was measured, from its lines, its CSV and its record, and drawn; of other programs the
/// record and CSV are drawn, and lines for people are refused.
#[test]
fn what_programs_write_comes_back_or_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, args) in TABLE {
        let is_sweep = ["spark", "cm1"].contains(&name);
        for format in ["kit", "csv", "json"] {
            let what = format!("{name} {args} {format}");
            let output = run(path, name, &format!("{args} --format {format} --record r.json"));
            assert!(output.status.success(), "{what}: {}", text(&output.stderr));
            let written = text(&output.stdout);
            let record = std::fs::read_to_string(path.join("r.json")).unwrap();
            let record: Record = serde_json::from_str(&record).unwrap();
            std::fs::write(path.join("file"), &written).unwrap();
            if is_sweep {
                let read =
                    Saved::parse(&written).unwrap_or_else(|error| panic!("{what}: {error}\n{written}"));
                same(&read, &Saved::of(&record), &record, format != "kit");
            }
            let drawn = run(path, "lab", "plot file -o chart.svg");
            let message = text(&drawn.stderr);
            if is_sweep || format != "kit" {
                assert!(drawn.status.success(), "{what}: {message}");
            } else {
                let is_one_line = drawn.status.code() == Some(1) && message.lines().count() == 1;
                assert!(
                    is_one_line && message.contains("line 1 is neither a row of cm1"),
                    "{what}: {message}"
                );
            }
        }
    }
}

#[test]
fn no_output_takes_the_place_of_an_input_or_of_another_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join("mine.toml"), run(path, "lab", "machines i5-7500").stdout).unwrap();
    let sweep = "cache_size=8192\tstride=1\tavg_misses=0.5\tavg_time=0.1\n";
    std::fs::write(path.join("x.svg"), sweep).unwrap();
    let inputs = ["mine.toml", "x.svg"].map(|name| path.join(name));
    let before = inputs.each_ref().map(|input| std::fs::read(input).unwrap());
    let lines = [
        ("cm1", "--machine mine.toml --max 8K --repeats 1 --record ./mine.toml", "mine.toml"),
        ("cm1", "--machine mine.toml --max 8K --repeats 1 --record a.svg --chart ./a.svg", "a.svg"),
        ("lab", "plot x.svg", "x.svg"),
        ("lab", "plot x.svg -o ./x.svg", "x.svg"),
    ];
    for (name, args, named) in lines {
        let refused = run(path, name, args);
        let message = text(&refused.stderr);
        assert!(!refused.status.success() && message.contains(named), "{name} {args}: {message}");
    }
    assert_eq!(inputs.each_ref().map(|input| std::fs::read(input).unwrap()), before);
    assert!(!path.join("a.svg").exists());
}
