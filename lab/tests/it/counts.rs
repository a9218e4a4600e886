//! What programs execute and access, line by line, next to what cachegrind counts of the same
//! programs as their compilers made them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use common::record::Record;

use crate::cc::{LAB, folder};

/// Compiler, its options, and the program. Not with -mfma: of a fused operation's operand of 32 bytes
/// cachegrind counts each element. Not clang's -Oz: of `andl $0` on memory cachegrind does not count the load.
const TABLE: [(&str, &str, &str); 22] = [
    ("gcc", "-O0", "language.c"),
    ("gcc", "-O1", "language.c"),
    ("gcc", "-O2", "language.c"),
    ("gcc", "-O2 -static", "language.c"),
    ("gcc", "-O3 -mavx2 -funroll-loops", "language.c"),
    ("gcc", "-Og -fcf-protection=full", "language.c"),
    ("gcc", "-O2 -fstack-protector-all -no-pie -pipe", "language.c"),
    ("gcc", "-Os -fno-plt", "language.c"),
    ("gcc", "-O2 -fPIC", "language.c"),
    ("gcc", "-O1 -fPIC -fno-plt", "language.c"),
    ("gcc", "-O2 -fPIC -mtls-dialect=gnu2", "language.c"),
    ("gcc", "-O2 -fPIC -mcmodel=large -static", "language.c"),
    ("gcc", "-O2 -static-pie", "language.c"),
    ("gcc", "-O2 -pthread", "parallel.c"),
    ("gcc", "-O2 -pthread -static", "parallel.c"),
    ("clang", "-O0", "language.c"),
    ("clang", "-O2", "language.c"),
    ("clang", "-O3 -mavx2", "language.c"),
    ("clang", "-Os -fPIC -fno-plt", "language.c"),
    ("g++", "-O0", "language.cpp"),
    ("g++", "-O2", "language.cpp"),
    ("clang++", "-O1", "language.cpp"),
];

/// Instructions, loads, stores.
type Lines = BTreeMap<String, [u64; 3]>;

/// Cachegrind's counts by `file:line`. It counts an instruction that loads and stores as one load.
fn native(program: &Path) -> Lines {
    let file = program.with_extension("cachegrind");
    let mut command = Command::new("valgrind");
    // Without the two shortcuts of its compiler it counts branches that leave a block as one would.
    command.args([
        "--tool=cachegrind",
        "--cache-sim=yes",
        "--vex-guest-chase=no",
        "--vex-iropt-unroll-thresh=0",
    ]);
    let out = command.arg(format!("--cachegrind-out-file={}", file.display())).arg(program).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = std::fs::read_to_string(file).unwrap();
    let (mut name, mut columns, mut lines) = (String::new(), Vec::new(), Lines::new());
    for row in text.lines() {
        if let Some(path) = ["fl=", "fi=", "fe="].iter().find_map(|start| row.strip_prefix(start)) {
            name = Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        } else if let Some(names) = row.strip_prefix("events: ") {
            columns = ["Ir", "Dr", "Dw"]
                .map(|wanted| names.split(' ').position(|name| name == wanted).unwrap())
                .into();
        } else if row.starts_with(|first: char| first.is_ascii_digit()) {
            let numbers: Vec<u64> = row.split(' ').map(|number| number.parse().unwrap()).collect();
            let sum = lines.entry(format!("{name}:{}", numbers[0])).or_default();
            sum.iter_mut().zip(&columns).for_each(|(sum, column)| *sum += numbers[1 + column]);
        }
    }
    lines
}

fn recorded(program: &Path) -> Lines {
    let file = program.with_extension("json");
    let mut command = Command::new(program);
    command.env("LAB_MACHINE", "i5-7500").env("LAB_REPORT", "off").env("LAB_RECORD", &file);
    let ran = command.output().unwrap();
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    let record: Record = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let figure = |row: &common::record::Row, name: &str| row.amount(name).unwrap() as u64;
    let lines = record.rows.iter().filter(|row| row.text("part") == "line");
    lines
        .map(|row| {
            let stores = figure(row, "stores") - figure(row, "updates");
            (row.text("line").to_owned(), [figure(row, "instructions"), figure(row, "loads"), stores])
        })
        .collect()
}

#[test]
fn every_line_counts_what_cachegrind_counts() {
    let Some(folder) = folder() else { return };
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !has("valgrind") {
        return skip::skip("there is no valgrind");
    }
    let source = std::fs::read_to_string(folder.path().join("language.c")).unwrap();
    // The processor counts a repeated instruction once, cachegrind each repetition.
    let repeated: Vec<String> = (1..)
        .zip(source.lines())
        .filter(|(_, text)| text.contains("rep stos") || text.contains("rep movs"))
        .map(|(line, _)| format!("language.c:{line}"))
        .collect();
    for (compiler, options, program) in TABLE {
        if !has(compiler) {
            skip::skip(&format!("there is no {compiler}"));
            continue;
        }
        let case = format!("{compiler} {options} {program}");
        let [plain, counted] = ["plain", "counted"].map(|name| folder.path().join(name));
        let words = || ["-g", program, "-lm"].into_iter().chain(options.split(' '));
        let mut native_build = Command::new(compiler);
        native_build.args(words()).arg("-o").arg(&plain).current_dir(folder.path());
        assert!(native_build.status().unwrap().success(), "{case}");
        let mut build = Command::new(LAB);
        build
            .args([if compiler.ends_with("++") { "c++" } else { "cc" }])
            .args(words())
            .arg("-o")
            .arg(&counted);
        let built = build
            .env("LAB_CC", compiler)
            .env("LAB_CXX", compiler)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(built.status.success(), "{case}: {}", String::from_utf8_lossy(&built.stderr));
        let (native, recorded) = (native(&plain), recorded(&counted));
        let files: Vec<&str> = recorded.keys().filter_map(|line| Some(line.rsplit_once(':')?.0)).collect();
        let is_compared = |line: &str| {
            let (file, number) = line.rsplit_once(':').unwrap_or(("", "0"));
            number != "0" && files.contains(&file)
        };
        let mut wrong = Vec::new();
        let names: std::collections::BTreeSet<&String> = native.keys().chain(recorded.keys()).collect();
        for line in names.into_iter().filter(|line| is_compared(line)) {
            let of = |lines: &Lines| lines.get(line).copied().unwrap_or_default();
            let ([theirs, their @ ..], [ours, our @ ..]) = (of(&native), of(&recorded));
            let is_repeated = repeated.contains(line);
            if our != their || !is_repeated && ours != theirs {
                wrong.push(format!("{line}: {ours} {our:?}, cachegrind {theirs} {their:?}"));
            }
        }
        assert!(wrong.is_empty(), "{case}: {wrong:#?}");
    }
}
