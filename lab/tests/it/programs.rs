//! `lab` as a student runs it: the report, the charts, and the refusals.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::kit::{self, lab, stderr};

const RECORDED: &str = include_str!("../../../common/tests/data/i5-7500/cm1-l1-1.out");

/// Fails with one line that names `culprit`; clap's own messages have more.
fn refuses(folder: &Path, args: &str, code: i32, culprit: &str) {
    let output = lab(folder, args);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args}: {told}");
    assert!(told.lines().count() == 1 || told.starts_with("error: "), "{args}: {told}");
    assert!(told.contains(culprit), "{args}: {told}");
    assert!(output.stdout.is_empty(), "{args}");
}

#[test]
fn a_run_writes_a_report_that_is_self_contained() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        lab(folder.path(), "run --quick --hasten 4 --size 32 --answers --counters model --output r --quiet");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let told = String::from_utf8(output.stdout).unwrap();
    for part in ["N = 32, one run\n", "(10^6)", "mm3 ", "source", "L1 hit rate", "ikj, without blocks"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.lines().all(|line| line.chars().count() <= 150 && !line.contains('\t')), "{told}");

    let page = fs::read_to_string(folder.path().join("r/report.html")).unwrap();
    for section in ["2 Exercise", "3.1.1", "3.1.2", "3.2.1", "3.2.2", "3.2.3", "specification", "Checksum"] {
        assert!(page.to_lowercase().contains(&section.to_lowercase()), "{section}");
    }
    assert_eq!(page.matches("<svg").count(), 6);
    for outside in ["src=", "<link", "@import", "href=\"http", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(folder.path().join("r").join(name)).unwrap()).unwrap()
    };
    let loads = json("records/mm1.json");
    let loads = loads["rows"][0]["figures"].as_array().unwrap().iter().find(|f| f["name"] == "PAPI_LD_INS");
    assert_eq!(loads.unwrap()["amount"], 3.0 * 32f64.powi(3));
    assert_eq!(json("summary.json")["matrix_size"], 32);
    for (name, start) in [("cm1-l1.svg", &b"<svg"[..]), ("spark-stride.png", b"\x89PNG")] {
        assert!(fs::read(folder.path().join("r/pictures").join(name)).unwrap().starts_with(start), "{name}");
    }

    // The plot reads the run's records.
    let plotted = lab(folder.path(), "plot r/records/cm1-l1.out -o again.svg");
    assert!(plotted.status.success(), "{}", stderr(&plotted));
}

#[test]
fn a_chart_of_an_earlier_sweep_is_not_left_among_those_of_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = |more: &str| {
        let line = format!("dgemm --sizes 8..12 --variants ikj --output r {more}");
        let output = lab(folder.path(), &line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        stderr(&output)
    };
    let read = |name: &str| fs::read_to_string(folder.path().join("r").join(name)).unwrap_or_default();
    sweep("");
    let misses = read("dgemm-misses.svg");
    fs::write(folder.path().join("r/own.svg"), "mine").unwrap();
    let told = sweep("--counters none");
    assert!(
        told.contains("dgemm-misses.svg of an earlier run was moved to earlier/dgemm-misses-1.svg"),
        "{told}"
    );
    assert!(!misses.is_empty() && misses == read("earlier/dgemm-misses-1.svg"));
    assert_eq!([read("dgemm-misses.svg"), read("own.svg")], ["", "mine"]);
    sweep("--machine i5-7500");
    assert!(!read("dgemm-misses.svg").is_empty() && !read("earlier/dgemm-time-1.svg").is_empty());
    assert!(!folder.path().join("r/dgemm-time.svg").exists());
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
            && !["lab exercise ", "avail", "cargo "].iter().any(|own| command.starts_with(own))
    };
    for command in commands.into_iter().filter(own) {
        let (name, words) = command.split_once(' ').unwrap();
        let small = SMALL.iter().filter(|(begins, _)| command.starts_with(begins)).map(|(_, words)| *words);
        // Sizes have several digits; the rungs of ge have one.
        let size = |word: &str| word.len() > 1 && word.parse::<u32>().is_ok();
        let words = words.split(' ').map(|word| if size(word) { "32" } else { word });
        let program = if name == "lab" { env!("CARGO_BIN_EXE_lab").into() } else { kit::program(name) };
        let mut ran = Command::new(program);
        ran.current_dir(folder.path()).args(words).args(small.flat_map(|words| words.split(' ')));
        let ran = ran.output().unwrap();
        // Charts and records go into the folder, a table to the terminal.
        let drew = fs::remove_dir_all(folder.path().join("DIR")).is_ok();
        assert!(ran.status.success(), "{command}: {}", stderr(&ran));
        assert!(drew || !ran.stdout.is_empty(), "{command} gives nothing");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    refuses(folder.path(), "run --output file", 1, "'file'");
    refuses(folder.path(), "run --output file/r", 1, "'file/r'");
    refuses(folder.path(), "--quick --output file", 1, "'file'");
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "mine");
}

#[test]
fn wrong_usage_of_run_names_the_value() {
    let folder = tempfile::tempdir().unwrap();
    for (args, culprit) in [
        ("run --size 0", "'0'"),
        ("run --size 7X", "'7X'"),
        ("run --runs 0", "'0'"),
        ("run --machine nowhere", "'nowhere'"),
        ("run --counters papi", "'papi'"),
        ("run --cpu 123456", "123456"),
        ("walk", "'walk'"),
    ] {
        refuses(folder.path(), args, 2, culprit);
    }
    assert!(fs::read_dir(folder.path().join("report")).map_or(0, Iterator::count) == 0, "nothing is written");
}

#[test]
fn saved_sweeps_are_drawn_into_either_format() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cm1.out"), RECORDED).unwrap();
    for (args, picture, start) in [
        ("plot cm1.out", "cm1.svg", &b"<svg"[..]),
        ("plot cm1.out cm1.out -o two.png", "two.png", b"\x89PNG"),
        ("plot cm1.out --show time --over size --sizes 32K,64K -o t.svg", "t.svg", b"<svg"),
    ] {
        let output = lab(folder.path(), args);
        assert!(output.status.success(), "{args}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{args}");
        assert!(fs::read(folder.path().join(picture)).unwrap().starts_with(start), "{args}");
    }
}

#[test]
fn files_that_are_no_sweep_and_pictures_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("good.out", RECORDED);
    write("empty.out", "");
    write("half.out", &RECORDED[..RECORDED.len() / 2]);
    write("nan.out", &RECORDED.replacen("avg_misses=0.000294", "avg_misses=NaN", 1));
    write("prose.out", "It was a dark and stormy night.\n");
    refuses(folder.path(), "plot none.out", 1, "none.out");
    refuses(folder.path(), "plot empty.out", 1, "empty.out");
    refuses(folder.path(), "plot half.out", 1, "cut off");
    refuses(folder.path(), "plot nan.out", 1, "'NaN'");
    refuses(folder.path(), "plot prose.out", 1, "prose.out");
    refuses(folder.path(), "plot good.out -o chart.jpeg", 2, "'chart.jpeg'");
    refuses(folder.path(), "plot good.out -o no/chart.svg", 1, "'no/chart.svg'");
    refuses(folder.path(), "plot good.out --sizes 7X", 2, "'7X'");
    refuses(folder.path(), "plot good.out --sizes 3K", 2, "sizes");
    let tolerated = lab(folder.path(), "plot half.out nan.out --tolerate -o left.svg");
    assert!(tolerated.status.success(), "{}", stderr(&tolerated));
}

#[test]
fn machines_are_drawn_separately_and_never_mixed() {
    let folder = tempfile::tempdir().unwrap();
    for machine in ["i5-7500", "zen3"] {
        let args = format!("run --quick --hasten 1000 --size 16 --machine {machine} --output {machine}");
        assert!(lab(folder.path(), &args).status.success());
    }
    let files = "plot i5-7500/records/cm1-l1.json zen3/records/cm1-l1.json";
    refuses(folder.path(), &format!("{files} -o both.svg"), 2, "--overlay");
    let drawn = lab(folder.path(), &format!("{files} --overlay --sizes 32K,64K -o both.svg"));
    assert!(drawn.status.success(), "{}", stderr(&drawn));
    let picture = std::fs::read_to_string(folder.path().join("both.svg")).unwrap();
    assert!(picture.contains("i5-7500: 32 KiB") && picture.contains("zen3: 64 KiB"));
}

/// The misses of a 32 KiB cache with 8 ways of 64-byte lines, as cm1 prints them.
fn sweep(scale: f64) -> String {
    let mut text = String::new();
    for size in [8u64 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10] {
        for stride in (0..).map(|k| 1u64 << k).take_while(|s| *s <= size / 2) {
            let misses = size > 32 << 10 && size / stride > 8;
            let misses = if misses { scale * (stride as f64 / 64.0).min(1.0) } else { 0.0 };
            text += &format!("cache_size={size}\tstride={stride}\tavg_misses={misses:.6}\tavg_time=0.001\n");
        }
    }
    text
}

#[test]
fn a_sweep_is_read_and_one_that_cannot_say_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cm1.out"), sweep(1.0)).unwrap();
    let read = lab(folder.path(), "infer cm1.out --format json");
    assert_eq!(read.status.code(), Some(0), "{}", stderr(&read));
    let found: serde_json::Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!((&found["verdict"], &found["size"]), (&"ok".into(), &32768.into()));
    // doubling sizes show neither 32 KiB nor 8 ways
    assert_eq!(
        (&found["line"], &found["ways"], &found["size_below"]),
        (&64.into(), &serde_json::Value::Null, &65536.into())
    );
    assert_eq!((&found["ways_least"], &found["ways_most"]), (&8.into(), &15.into()));
    std::fs::write(folder.path().join("l2.out"), sweep(0.001)).unwrap();
    let refused = lab(folder.path(), "infer l2.out --format json");
    assert_eq!(refused.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!((&found["verdict"], &found["ways"]), (&"refused".into(), &serde_json::Value::Null));
    assert!(found["reason"].as_str().unwrap().len() > 20);
    refuses(folder.path(), "infer none.out", 1, "none.out");
}

#[test]
fn a_described_machine_is_discovered() {
    let folder = tempfile::tempdir().unwrap();
    let found = lab(folder.path(), "discover --machine i5-7500 --format json --chart found.svg");
    assert_eq!(found.status.code(), Some(0), "{}", stderr(&found));
    assert!(folder.path().join("found.svg").exists());
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    let [first, second] = [&found["levels"][0], &found["levels"][1]];
    assert_eq!((&first["size"], &first["line"], &first["ways"]), (&32768.into(), &64.into(), &8.into()));
    // Its pages are scattered, so the sets of L2 may stay unknown; what is said is right.
    let [low, high] = ["size_low", "size_high"].map(|key| second[key].as_u64().unwrap());
    assert!(low <= 262_144 && 262_144 <= high, "{low} to {high}");
    assert_eq!(second["size"].is_null(), low < high, "an interval has no single size");
    match second["ways"].as_u64() {
        Some(ways) => assert_eq!(ways, 4),
        None => assert!(second["ways_reason"].as_str().unwrap().contains("pages")),
    }
    refuses(folder.path(), "discover --machine none", 1, "none");
}
