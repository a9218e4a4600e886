//! No command of the kit reveals anything about a sealed machine that was not measured.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::machine::{self, Machine};

use crate::command_lines::programs;
use crate::kit::program;
use crate::questions::readable;
use crate::secret;

/// The command lines to try for each program and each command of `lab`, in order; later
/// ones read the records of the first. `M` is the sealed machine's file; the program that `lab cc` makes
/// counts on it: `run` names it. A command without a line fails the test.
const LINES: &str = "\
spark --max 64K --machine M --record spark.json --chart spark.svg
spark --max 8K --machine M --format csv
spark --max 8K --machine M --counters timing
spark --max 3G --machine M
cm1 --max 64K --machine M --record cm1.json --chart cm1.svg
cm1 --max 64K --machine M --format csv
cm1 --max 16K --machine M --format json --event PAPI_L2_DCM
cm1 --max 16K --machine M --event PAPI_L3_DCM
cm1 --max 16K --machine M --event PAPI_TLB_DM
cm1 --max 16K --machine M --counters hardware
cm1 --event nonsense --machine M
mm1 --size 32 --machine M --record mm1.json --format json
mm1 --size 32 --machine M --events PAPI_L1_DCM,PAPI_L2_DCM,PAPI_L3_TCM,PAPI_TLB_DM
mm2 --size 32 --machine M --time-transpose
mm3 --size 32 --machine M --format json
mm3 --size 32 --machine M --line-size 1
ge ge7 40 --machine M --format json
ge1 40 --machine M
ge4 40 2 --machine M --chart ge.svg
dgemm block-l1 40 --machine M
dgemm all 40 --machine M --record dgemm.json
dgemm recursive 40 --machine M --counters hardware
flops avx 32 --machine M
avail -e M
avail --mem
exercises check M
lab run --quick --hasten 1000 --size 40 --machine M --output report
lab run --quick --hasten 1000 --size 40 --machine M --output report --assignment own.toml
lab assignment
lab causes 32 --machine M --format json --chart causes.svg
lab trace accesses.trace --machine M --record trace.json
lab trace accesses.trace --machine M --verbose
lab dgemm --machine M --sizes 32,48 --variants ijk,block-l1 --output drawn
lab ge --machine M --sizes 40
lab plot cm1.json -o cm1-again.svg
lab plot cm1.json report/records/cm1-l2.json -o both.svg
lab plot report/records/cm1-l1.csv -o of-csv.svg
lab plot mm1.json
lab handin report
lab handin report --answers cm1.json
lab machines M
lab machines
lab cc run -O1 walk.c
lab c++ run -O1 walk.c
lab help
lab --quick --machine M --hasten 1000 --size 40 --output bare
";

fn run(folder: &Path, line: &str) -> Output {
    let mut words = line.split_whitespace().map(|word| match word {
        "M" => "sealed.toml",
        other => other,
    });
    let name = words.next().unwrap();
    Command::new(program(name))
        .current_dir(folder)
        .args(words)
        .stdin(Stdio::null())
        .env("RUST_BACKTRACE", "full")
        .envs([("LAB_MACHINE", "sealed.toml"), ("LAB_RECORD", "cc.json")])
        .output()
        .unwrap()
}

/// A folder with the sealed machine, and an assignment with its own programs.
fn place(description: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sealed.toml"), machine::seal("ada", description)).unwrap();
    fs::write(folder.path().join("accesses.trace"), "r 0x7ff0 8\nw 0x7ff8 8\nr 0x17ff0 8\n").unwrap();
    let own = "\n[[section]]\nid = \"own\"\ntitle = \"Own\"\nrun = [\"dgemm block-l1 40 --machine {machine}\", \"mm3 --size 32 --machine {machine}\"]\n";
    program("dgemm");
    crate::cc::library();
    fs::write(folder.path().join("walk.c"), include_str!("c/walk.c")).unwrap();
    fs::write(folder.path().join("own.toml"), report::GUIDE.to_owned() + own).unwrap();
    folder
}

#[test]
fn every_command_of_the_kit_is_tried() {
    for name in programs() {
        let starts = format!("{name} ");
        let mut tried = LINES.lines().filter(|line| format!("{line} ").starts_with(&starts));
        let models = run(Path::new("."), &format!("{name} --help"));
        let models = String::from_utf8(models.stdout).unwrap().contains("--machine <");
        assert!(
            tried.any(|line| !models || line.contains("--machine M")),
            "{name}: add lines with a sealed machine"
        );
    }
}

/// All readable content of a folder, by name.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_none_or(|ending| ending != "png") {
                found.push((
                    path.display().to_string(),
                    String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
                ));
            }
        }
    }
    found
}

/// The files with the sweeps of `lab run`, whose cells approach the size of a cache as they
/// find it. (`questions.rs` checks the page itself.)
fn is_measured(name: &str) -> bool {
    ["cm1-l1.", "cm1-l2.", "both.svg", "of-csv.svg", "report.html"].iter().any(|part| name.contains(part))
}

/// The secrets that `text` reveals, a line each.
fn revealed(secrets: &[(String, Vec<String>)], what: &str, text: &str) -> Vec<String> {
    // Without the strides and sizes of a picture's curves.
    let text = if text.contains("<svg") { readable(text) } else { text.to_owned() };
    let found = |(name, spelled): &(String, Vec<String>)| {
        let line = text.lines().find(|line| spelled.iter().any(|word| secret::holds(line, word)))?;
        Some(format!("{what} reveals {name}: {line:.200}"))
    };
    secrets.iter().filter_map(found).collect()
}

#[test]
fn no_output_says_what_was_not_measured() {
    let machine = Machine::from_toml(secret::DESCRIPTION, "ada").unwrap();
    let secrets: Vec<(String, Vec<String>)> = secret::of_machine(&machine).into_iter().collect();
    assert!(secrets.len() >= 12, "{secrets:?}");
    let folder = place(secret::DESCRIPTION);
    let mut leaks = Vec::new();
    for line in LINES.lines() {
        let output = run(folder.path(), line);
        assert!(matches!(output.status.code(), Some(0..=2)), "{line}: {output:?}");
        for stream in [&output.stdout, &output.stderr] {
            leaks.extend(revealed(&secrets, line, &String::from_utf8_lossy(stream)));
        }
    }
    for (name, text) in files(folder.path()).iter().filter(|(name, _)| !is_measured(name)) {
        leaks.extend(revealed(&secrets, name, text));
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

/// Sweeps of random replacement are bounded, and say so; of a sealed machine neither.
#[test]
fn a_policy_is_not_revealed() {
    let random = "index = \"virtual\"\nreplacement = \"random\"";
    let text = secret::DESCRIPTION.replacen("index = \"virtual\"", random, 1);
    assert!(text.contains("random"));
    let folder = place(&text);
    for command in ["cm1", "spark"] {
        let output = run(folder.path(), &format!("{command} --max 8K --repeats 1 --machine M --format json"));
        assert!(output.status.success(), "{output:?}");
        let said = [output.stdout, output.stderr].concat();
        assert!(!String::from_utf8_lossy(&said).contains("random"), "{command}");
    }
}
