//! A machine to discover, and all spellings of the right answers.

use std::collections::BTreeMap;

use common::machine::Machine;
use common::units::Bytes;

/// Its sizes, ways and latencies occur in no doubling sweep, and in no machine of the
/// catalogue.
pub(crate) const DESCRIPTION: &str = r#"name = "ada"
description = "to be found out"
clock = "2 GHz"
[memory]
latency = "93 ns"
[[cache]]
level = 1
size = 24576
line = 512
ways = 6
index = "virtual"
latency = "3 cycles"
[[cache]]
level = 2
size = 917504
line = 512
ways = 14
index = "virtual"
latency = "13 cycles"
[[tlb]]
level = 1
entries = 84
ways = 6
penalty = "23 cycles"
"#;

/// Every spelling of the answers about `machine`, under the rubric's names: `l1.size`,
/// `memory_ns`.
pub(crate) fn of_machine(machine: &Machine) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for cache in &machine.levels {
        let mut set = |what: &str, spelled| all.insert(format!("l{}.{what}", cache.level), spelled);
        set("size", bytes(cache.size.0));
        set("line", line(cache.line.0));
        set("ways", ways(cache.ways));
        set("sets", vec![format!("{} sets", cache.sets())]);
        if let Some(latency) = cache.latency {
            set("hit_ns", nanos(latency.0));
        }
    }
    if let Some(latency) = machine.memory_latency {
        all.insert("memory_ns".to_owned(), nanos(latency.0));
    }
    for tlb in &machine.tlbs {
        all.insert(format!("tlb{}", tlb.level), vec![format!("{} entries", tlb.entries)]);
    }
    all
}

/// `24 KiB`, `24K`, `24576`, `24 576` …
pub(crate) fn bytes(bytes: u64) -> Vec<String> {
    let mut spelled = whole(bytes);
    spelled.push(Bytes(bytes).to_string());
    for (unit, letter) in [(1 << 10, "K"), (1 << 20, "M")] {
        if bytes.is_multiple_of(unit) && bytes >= unit {
            let small = letter.to_lowercase();
            for ending in [letter, &small] {
                for rest in ["", "B", "iB", " B", "b"] {
                    spelled.push(format!("{}{ending}{rest}", bytes / unit));
                    spelled.push(format!("{} {ending}{rest}", bytes / unit));
                }
            }
        }
    }
    spelled
}

/// A number without and with separators between thousands.
pub(crate) fn whole(number: u64) -> Vec<String> {
    let digits = number.to_string();
    let apart = |sign: &str| {
        let groups: Vec<&str> =
            digits.as_bytes().rchunks(3).rev().filter_map(|g| str::from_utf8(g).ok()).collect();
        groups.join(sign)
    };
    [",", ".", " ", "\u{a0}", "\u{202f}", ""].map(apart).to_vec()
}

/// `32 B`, `32-byte`, `line = 32`, `"line_bytes": 32` …
pub(crate) fn line(line: u64) -> Vec<String> {
    let forms = "# B|#B|#-byte|# byte|#byte|line #|lines of #|line of #|line size #|block #|line: #|line = #|\
                 line_size #|line_bytes #|\"line\":#|\"line\": #|\"line_size\": #|\"line_bytes\":#|\"line_bytes\": #";
    spelled(forms, line)
}

fn ways(ways: usize) -> Vec<String> {
    spelled("#-way|# way|# ways|# vias|ways #|ways: #|ways = #|\"ways\":#|\"ways\": #", ways as u64)
}

fn spelled(forms: &str, number: u64) -> Vec<String> {
    forms.split('|').map(|form| form.replace('#', &number.to_string())).collect()
}

fn nanos(seconds: f64) -> Vec<String> {
    let nanos = (seconds * 1e12).round() / 1e3;
    vec![format!("{nanos} ns"), format!("{nanos:.1} ns"), format!("{nanos:.2} ns"), format!("{nanos}ns")]
}

/// Whether `text` contains `word`, not as a part of another word.
pub(crate) fn holds(text: &str, word: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || c == '.';
    text.match_indices(word).any(|(at, _)| {
        let behind = text[at + word.len()..].chars().next();
        !text[..at].ends_with(inner) && !behind.is_some_and(char::is_alphanumeric)
    })
}
