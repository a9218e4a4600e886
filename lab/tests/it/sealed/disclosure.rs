//! What a command says about a sealed machine: nothing that it did not measure.

use std::fs;
use std::path::Path;

use common::machine::Machine;

use super::{LINES, place, run, secret};
use crate::questions::readable;

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
