//! What only one of two records has, and results that differ. One sentence for each,
//! printed before the tables of figures.

use std::collections::{BTreeMap, BTreeSet};

use common::record::{Record, Row};
use common::text::{clean, shorten};
use common::units::Bytes;
use common::value::Reading;
use serde_json::Value as Json;

use super::differences::place;
use super::pair::Pair;

/// Keys of a row with computed results: different values are different results.
const RESULTS: [&str; 2] = ["checksum", "check"];
/// Keys that give the size of the problem.
const SIZES: [&str; 4] = ["size_bytes", "size", "n", "m"];
/// Longest list of names in a sentence.
const NAMED: usize = 4;

/// All sentences about a pair, the most serious first.
pub(crate) fn sentences(pair: &Pair) -> Vec<String> {
    let told = results(pair).into_iter().chain(events(pair)).chain(cells(pair)).chain(figures(pair));
    told.map(|sentence| format!("{}: {sentence}", pair.name)).collect()
}

/// Where results differ: the two programs did not compute the same.
fn results(pair: &Pair) -> Vec<String> {
    let rows = by_place(&pair.b, false);
    let differs = |result: &str| {
        let mut at = Vec::new();
        for row in &pair.a.rows {
            let place = place(row);
            let Some(other) = rows.get(&place) else { continue };
            if let (Some(a), Some(b)) = (key(row, result), key(other, result))
                && a != b
            {
                at.push((place, a, b));
            }
        }
        let (place, a, b) = at.first()?;
        let by = a.as_f64().zip(b.as_f64()).map(|(a, b)| ((b - a) / a).abs()).filter(|by| by.is_finite());
        let by = by.map_or(String::new(), |by| format!(", a difference of {by:.1e} of it"));
        Some(format!(
            "the {result} differs in {} of {} cells, first at {}: A {a}, B {b}{by}; the two did not compute the \
             same, so their speeds cannot be compared",
            at.len(),
            pair.a.rows.len(),
            shorten(place, 100)
        ))
    };
    RESULTS.iter().filter_map(|result| differs(result)).collect()
}

/// The value of a key of a row, if it is not null.
fn key<'r>(row: &'r Row, name: &str) -> Option<&'r Json> {
    row.keys.get(name).filter(|value| !value.is_null())
}

/// A sentence if the two counted different events.
fn events(pair: &Pair) -> Option<String> {
    let (a, b) = (events_of(&pair.a), events_of(&pair.b));
    (a != b).then(|| format!("A counted {}, B {}: these figures are not of one kind", listed(&a), listed(&b)))
}

fn events_of(record: &Record) -> BTreeSet<String> {
    let setting = record.settings.get("event").or_else(|| record.settings.get("events"));
    let of_rows = record.rows.iter().filter_map(|row| row.keys.get("event"));
    of_rows.chain(setting).map(shown).collect()
}

/// Rows by what identifies them; the event of a sweep may be ignored.
fn by_place(record: &Record, without_event: bool) -> BTreeMap<String, &Row> {
    let of = |row: &Row| {
        let mut row = row.clone();
        if without_event {
            row.keys.retain(|key, _| key != "event");
        }
        place(&row)
    };
    record.rows.iter().map(|row| (of(row), row)).collect()
}

/// Sizes and other cells that only one of the two has.
fn cells(pair: &Pair) -> Vec<String> {
    let mut told = Vec::new();
    let other_events = events(pair).is_some();
    let (a, b) = (by_place(&pair.a, other_events), by_place(&pair.b, other_events));
    let mut explained: Vec<(&str, BTreeSet<String>)> = Vec::new();
    for name in SIZES {
        let of = |record: &Record| -> BTreeSet<(u64, String)> {
            let sizes = record.rows.iter().filter_map(|row| row.keys.get(name));
            sizes.map(|size| (size.as_u64().unwrap_or_default(), shown(size))).collect()
        };
        let (of_a, of_b) = (of(&pair.a), of(&pair.b));
        let only = |one: &BTreeSet<(u64, String)>, other: &BTreeSet<(u64, String)>| {
            one.difference(other).map(|(size, text)| (*size, text.clone())).collect::<Vec<_>>()
        };
        for (side, alone) in [("A", only(&of_a, &of_b)), ("B", only(&of_b, &of_a))] {
            if alone.is_empty() {
                continue;
            }
            let written = alone.iter().map(|(size, text)| match name {
                "size_bytes" => Bytes(*size).to_string(),
                _ => text.clone(),
            });
            told.push(format!("only {side} has {name} {}", listed(&written.collect::<Vec<_>>())));
            explained.push((name, alone.into_iter().map(|(_, text)| text).collect()));
        }
    }
    for (side, one, other) in [("A", &a, &b), ("B", &b, &a)] {
        let is_explained = |row: &Row| {
            explained
                .iter()
                .any(|(name, sizes)| row.keys.get(*name).is_some_and(|s| sizes.contains(&shown(s))))
        };
        let alone: Vec<String> = one
            .iter()
            .filter(|(place, row)| !other.contains_key(*place) && !is_explained(row))
            .map(|(place, _)| shorten(place, 100))
            .collect();
        if let Some(first) = alone.first() {
            let of = one.len();
            told.push(format!("{} of {of} cells are in {side} alone, first {first}", alone.len()));
        }
    }
    told
}

/// Figures of common cells that are missing in one of the two.
fn figures(pair: &Pair) -> Vec<String> {
    let rows = by_place(&pair.b, false);
    let mut missing: BTreeMap<(String, &str), (usize, String)> = BTreeMap::new();
    for (row, other) in pair.a.rows.iter().filter_map(|row| Some((row, *rows.get(&place(row))?))) {
        let names = row.figures.iter().chain(&other.figures).map(|figure| &figure.name);
        for name in names.collect::<BTreeSet<_>>() {
            let of = |row: &Row| row.reading(name).cloned();
            let (side, without) = match (of(row), of(other)) {
                (a, Some(b)) if value(&a) && b.amount().is_none() => ("B", Some(b)),
                (a, None) if value(&a) => ("B", None),
                (Some(a), b) if value(&b) && a.amount().is_none() => ("A", Some(a)),
                (None, b) if value(&b) => ("A", None),
                _ => continue,
            };
            let why = without.as_ref().and_then(Reading::reason);
            let why = why.map_or_else(String::new, |reason| format!(" ({})", shorten(reason, 100)));
            missing.entry((clean(name), side)).or_insert((0, why)).0 += 1;
        }
    }
    let told = |((figure, side), (cells, why)): ((String, &str), (usize, String))| {
        let s = if cells == 1 { "" } else { "s" };
        format!("{side} has no {figure} in {cells} cell{s} where the other has{why}")
    };
    missing.into_iter().map(told).collect()
}

fn value(reading: &Option<Reading>) -> bool {
    reading.as_ref().is_some_and(|reading| reading.amount().is_some())
}

fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| shorten(text, 60))
}

/// The first names, and how many more there are.
fn listed<'s>(all: impl IntoIterator<Item = &'s String>) -> String {
    let all: Vec<&String> = all.into_iter().collect();
    let named: Vec<&str> = all.iter().take(NAMED).map(|name| name.as_str()).collect();
    match all.len().saturating_sub(NAMED) {
        _ if all.is_empty() => "none".to_owned(),
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::value::{Reading, Source};

    fn mm(size: u64, checksum: i64, misses: Option<f64>) -> Row {
        let row = Row::new([("size", size.into()), ("checksum", checksum.into())]);
        let misses = misses.map_or(Reading::missing("no counters"), |m| Reading::new(m, Source::Model));
        row.with("cpu_s", Reading::new(1.0, Source::Timing)).with("PAPI_L1_DCM", misses)
    }

    fn sweep(sizes: &[u64], strides: &[u64], event: &str) -> Vec<Row> {
        let cell = |size: u64, stride: u64| {
            let keys =
                [("size_bytes", size.into()), ("stride_bytes", stride.into()), ("event", event.into())];
            Row::new(keys).with("avg_misses", Reading::new(0.5, Source::Model))
        };
        sizes.iter().flat_map(|size| strides.iter().map(move |stride| cell(*size, *stride))).collect()
    }

    fn mismatch_lines(name: &str, a: Vec<Row>, b: Vec<Row>) -> Vec<String> {
        let record = |rows| Record { rows, ..Record::new(name, "a machine") };
        sentences(&Pair { name: name.to_owned(), a: record(a), b: record(b) })
    }

    #[test]
    fn each_mismatch_is_a_sentence() {
        let same = vec![mm(64, 7, Some(1.0))];
        assert_eq!(mismatch_lines("mm1", same.clone(), same.clone()), Vec::<String>::new());
        let ge =
            |check: f64| Row::new([("variant", "ge1".into()), ("size", 100.into()), ("check", check.into())]);
        let l1 = "PAPI_L1_DCM";
        for (name, a, b, expected) in [
            (
                "mm1",
                same.clone(),
                vec![mm(64, 8, Some(1.0))],
                "mm1: the checksum differs in 1 of 1 cells, first at size=64: A 7, B 8",
            ),
            (
                "ge",
                vec![ge(-8.5)],
                vec![ge(-8.25)],
                "ge: the check differs in 1 of 1 cells, first at variant=ge1 size=100: A -8.5, B -8.25, a difference of 2.9e-2 of it",
            ),
            (
                "mm1",
                same.clone(),
                vec![mm(64, 7, None)],
                "mm1: B has no PAPI_L1_DCM in 1 cell where the other has (no counters)",
            ),
            (
                "mm1",
                vec![Row::new([("size", 64.into())])],
                vec![mm(64, 7, None)],
                "mm1: A has no cpu_s in 1 cell where the other has",
            ),
            ("mm1", same.clone(), vec![mm(128, 7, Some(1.0))], "mm1: only A has size 64"),
            (
                "cm1",
                sweep(&[8192], &[1, 2], l1),
                sweep(&[8192], &[1, 2], "PAPI_L2_DCM"),
                "cm1: A counted PAPI_L1_DCM, B PAPI_L2_DCM",
            ),
            (
                "cm1",
                sweep(&[8192, 65536], &[1], l1),
                sweep(&[8192], &[1], l1),
                "cm1: only A has size_bytes 64 KiB",
            ),
            (
                "cm1",
                sweep(&[8192], &[1, 2], l1),
                sweep(&[8192], &[1, 4, 8], l1),
                "cm1: 2 of 3 cells are in B alone, first size_bytes=8192 stride_bytes=4",
            ),
        ] {
            let found = mismatch_lines(name, a, b);
            assert!(found.iter().any(|sentence| sentence.starts_with(expected)), "{expected}: {found:?}");
        }
        // Sizes that differ for another event are reported once for each event.
        let found = mismatch_lines("cm1", sweep(&[8192], &[1], l1), sweep(&[16384], &[1], "PAPI_L2_DCM"));
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("counted"));
    }
}
