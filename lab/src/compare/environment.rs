//! Differences between the environments of two runs.

use std::collections::{BTreeMap, BTreeSet};

use common::record::Record;
use common::text::shorten;

use super::pair::Pair;

/// One sentence with all differences.
pub(crate) fn sentence(pairs: &[Pair]) -> String {
    let mut differ: BTreeMap<String, (String, String)> = BTreeMap::new();
    for pair in pairs {
        let (a, b) = (facts(&pair.a), facts(&pair.b));
        let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for name in names {
            let of = |facts: &BTreeMap<String, String>| facts.get(name).cloned().unwrap_or("none".into());
            if of(&a) != of(&b) {
                differ.entry(name.clone()).or_insert_with(|| (of(&a), of(&b)));
            }
        }
    }
    if differ.is_empty() {
        return "The environments do not differ: machine, kit, settings, sources and notes are the same."
            .to_owned();
    }
    let told = |(name, (a, b)): (&String, &(String, String))| format!("{name} (A: {a}; B: {b})");
    let all: Vec<String> = differ.iter().map(told).collect();
    format!("The environments differ in {}.", all.join(", "))
}

/// What is known of a run's environment, by name.
fn facts(record: &Record) -> BTreeMap<String, String> {
    let short = |text: &str| shorten(text, 100);
    let mut facts = BTreeMap::from([
        ("machine".to_owned(), short(&record.machine)),
        ("kit".to_owned(), record.version.clone()),
        ("sources".to_owned(), sources(record)),
    ]);
    let notes: Vec<String> = record.notes.iter().map(ToString::to_string).collect();
    let notes = if notes.is_empty() { "none".to_owned() } else { notes.join("; ") };
    facts.insert("notes".to_owned(), short(&notes));
    for (name, value) in &record.settings {
        facts.insert(format!("setting {name}"), short(&value.to_string()));
    }
    facts
}

/// The source of its figures.
fn sources(record: &Record) -> String {
    let figures = record.rows.iter().flat_map(|row| &row.figures);
    let sources = figures.filter_map(|figure| figure.reading.source());
    let names: BTreeSet<String> = sources.map(|source| source.to_string()).collect();
    names.into_iter().collect::<Vec<_>>().join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_what_differs_and_only_that() {
        let record = |machine: &str, runs: u32| Record::new("mm1", machine).set("runs", runs).set("size", 64);
        let pair = |a, b| [Pair { name: "mm1".into(), a, b }];
        let told = sentence(&pair(record("i5-7500", 1), record("zen3", 3)));
        assert_eq!(
            told,
            "The environments differ in machine (A: i5-7500; B: zen3), setting runs (A: 1; B: 3)."
        );
        assert!(sentence(&pair(record("zen3", 3), record("zen3", 3))).contains("do not differ"));
    }
}
