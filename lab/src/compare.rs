//! `lab compare`: two runs, two machines, or measured and modelled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use common::failure::Failure;
use common::record::{Record, Row};
use common::table::{columns, four};
use common::text::{clean, shorten};
use common::value::{Reading, Source};
use common::{authentic, input, output};
use serde_json::Value as Json;

/// Print what differs between two runs: results and settings first, then figures
///
/// A figure is in the table if its runs in A and in B do not overlap, or if both are
/// exact and differ.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A record (written with --record), or the folder of a report
    #[arg(value_name = "A")]
    a: PathBuf,

    /// Another of the same kind
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Print all differences as comma-separated values
    #[arg(long)]
    csv: bool,
}

/// Keys of a row that are computed: if they differ, the two did not compute the same.
const RESULTS: [&str; 4] = ["checksum", "check", "residual", "c"];
/// A key of a row that explains it.
const EXPLANATION: &str = "waits_for";
/// More differences of one figure are counted, unless all are asked for.
const MAX_SHOWN: usize = 12;

/// The same experiment in A and in B.
struct Pair {
    name: String,
    a: Record,
    b: Record,
}

/// One line of the table.
#[derive(Debug, PartialEq)]
struct Difference {
    experiment: String,
    /// A result, a setting or a figure.
    name: String,
    /// The row of a sweep: `size_bytes=65536 stride_bytes=64`; or empty.
    place: String,
    a: String,
    b: String,
    /// B divided by A, or what the difference means.
    note: String,
}

/// Reads both and prints the table.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (pairs, mut alone) = pairs(&args.a, &args.b)?;
    let (mut all, mut once, mut common) = (Vec::new(), 0, 0);
    for pair in &pairs {
        all.extend(results(pair));
    }
    all.extend(settings_of_all(&pairs));
    alone.extend(pairs.iter().flat_map(rows_alone));
    for pair in &pairs {
        common += rows(pair).len();
        let (found, unrepeated) = figures(pair);
        all.extend(found);
        once += unrepeated;
    }
    if common == 0 {
        return Err(Failure::could_not(format!("the two have no row in common: {}", alone.join("; "))));
    }
    if args.csv {
        return output::print(&csv(&all));
    }
    let mut notes = alone;
    if once > 0 {
        notes.push(format!(
            "{once} times or counts were measured once, so their spread is unknown: --runs 5 gives it"
        ));
    }
    if all.is_empty() {
        notes.insert(0, "nothing differs beyond its spread".to_owned());
    }
    let notes: String = notes.iter().map(|note| format!("{note}\n")).collect();
    output::print(&(table(&all) + &notes))
}

/// The experiments that both have, and a sentence for each that only one has.
fn pairs(a: &Path, b: &Path) -> Result<(Vec<Pair>, Vec<String>), Failure> {
    if let Some(absent) = [a, b].into_iter().find(|path| !path.exists()) {
        return Err(input::unreadable(absent, &io::ErrorKind::NotFound.into()));
    }
    if a.is_dir() != b.is_dir() {
        return Err(Failure::usage("give two records, or the folders of two reports: not one of each"));
    }
    let (mut of_a, mut of_b) = (records(a)?, records(b)?);
    let names = |of: &BTreeMap<String, Record>| of.keys().cloned().collect::<Vec<_>>().join(", ");
    let both: Vec<String> = of_a.keys().filter(|name| of_b.contains_key(*name)).cloned().collect();
    if both.is_empty() {
        return Err(Failure::could_not(format!(
            "{} has {}, {} has {}: nothing to compare; give records of the same program",
            input::name(a),
            names(&of_a),
            input::name(b),
            names(&of_b)
        )));
    }
    let pair = |name: String| Some(Pair { a: of_a.remove(&name)?, b: of_b.remove(&name)?, name });
    let pairs = both.into_iter().filter_map(pair).collect();
    let alone = [("A", of_a), ("B", of_b)].into_iter().filter(|(_, of)| !of.is_empty());
    Ok((pairs, alone.map(|(side, of)| format!("only {side} has {}", names(&of))).collect()))
}

/// The record of a file under its program's name, or those of a report's folder
/// under their files' names.
fn records(path: &Path) -> Result<BTreeMap<String, Record>, Failure> {
    if !path.is_dir() {
        let record = record(path)?;
        return Ok(BTreeMap::from([(record.program.clone(), record)]));
    }
    let inner = path.join("records");
    let entries = fs::read_dir(if inner.is_dir() { &inner } else { path }).map_err(|error| {
        Failure::could_not(format!("cannot read the folder {}: {error}", input::name(path)))
    })?;
    let mut found = BTreeMap::new();
    for file in entries.flatten().map(|entry| entry.path()) {
        if file.extension().is_some_and(|extension| extension == "json") {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            found.insert(stem, record(&file)?);
        }
    }
    if found.is_empty() {
        return Err(Failure::could_not(format!(
            "{} has no record; give the folder that lab run has written, or files written with --record",
            input::name(path)
        )));
    }
    Ok(found)
}

fn record(path: &Path) -> Result<Record, Failure> {
    let refused = |error| Failure::could_not(format!("{}: {error}", input::name(path)));
    authentic::read(&input::text(path)?).map_err(refused)
}

fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| shorten(text, 60))
}

/// What identifies a row: its keys, without results and, where the two counted different
/// events, without the event.
fn place(row: &Row, with_event: bool) -> String {
    let is_place =
        |key: &str| !RESULTS.contains(&key) && key != EXPLANATION && (with_event || key != "event");
    let keys = row.keys.iter().filter(|(key, _)| is_place(key));
    keys.map(|(key, value)| format!("{}={}", clean(key), shown(value))).collect::<Vec<_>>().join(" ")
}

fn event_of(record: &Record) -> BTreeSet<String> {
    let setting = record.settings.get("event").or_else(|| record.settings.get("events"));
    record.rows.iter().filter_map(|row| row.keys.get("event")).chain(setting).map(shown).collect()
}

fn by_place(record: &Record, with_event: bool) -> BTreeMap<String, &Row> {
    record.rows.iter().map(|row| (place(row, with_event), row)).collect()
}

/// The rows that both have, in A's order.
fn rows(pair: &Pair) -> Vec<(String, &Row, &Row)> {
    let with_event = event_of(&pair.a) == event_of(&pair.b);
    let of_b = by_place(&pair.b, with_event);
    let both = pair.a.rows.iter().filter_map(|row| {
        let place = place(row, with_event);
        let other = of_b.get(&place)?;
        Some((place, row, *other))
    });
    both.collect()
}

/// A sentence for each side that has rows which the other lacks.
fn rows_alone(pair: &Pair) -> Vec<String> {
    let with_event = event_of(&pair.a) == event_of(&pair.b);
    let (a, b) = (by_place(&pair.a, with_event), by_place(&pair.b, with_event));
    let sentence = |(side, one, other): (&str, &BTreeMap<String, &Row>, &BTreeMap<String, &Row>)| {
        let alone: Vec<&String> = one.keys().filter(|place| !other.contains_key(*place)).collect();
        let first = shorten(alone.first()?, 100);
        Some(format!(
            "{}: {} of {} rows are in {side} only, such as {first}",
            pair.name,
            alone.len(),
            one.len()
        ))
    };
    [("A", &a, &b), ("B", &b, &a)].into_iter().filter_map(sentence).collect()
}

/// Results that differ.
fn results(pair: &Pair) -> Vec<Difference> {
    let mut found = Vec::new();
    for (place, a, b) in rows(pair) {
        for name in RESULTS {
            let of = |row: &Row| row.keys.get(name).filter(|value| !value.is_null()).map(shown);
            if let (Some(a), Some(b)) = (of(a), of(b))
                && a != b
            {
                let note = "the two did not compute the same".to_owned();
                found.push(pair.difference(name, &place, a, b, note));
            }
        }
    }
    found
}

impl Pair {
    fn difference(&self, name: &str, place: &str, a: String, b: String, note: String) -> Difference {
        Difference { experiment: self.name.clone(), name: clean(name), place: place.to_owned(), a, b, note }
    }
}

/// Settings that differ: the machine, the version, the options.
fn settings(pair: &Pair) -> Vec<Difference> {
    let of = |record: &Record| {
        let mut all: BTreeMap<String, String> =
            record.settings.iter().map(|(name, value)| (name.clone(), shown(value))).collect();
        all.insert("machine".to_owned(), shorten(&record.machine, 60));
        all.insert("version".to_owned(), record.version.clone());
        all
    };
    let (a, b) = (of(&pair.a), of(&pair.b));
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let differs = |name: &String| {
        let [a, b] = [&a, &b].map(|of| of.get(name).cloned().unwrap_or_else(|| "–".to_owned()));
        (a != b).then(|| pair.difference(name, "", a, b, "a setting".to_owned()))
    };
    names.into_iter().filter_map(differs).collect()
}

/// The settings that differ in any pair; in one line those that differ alike in all.
fn settings_of_all(pairs: &[Pair]) -> Vec<Difference> {
    let key = |one: &Difference| (one.name.clone(), one.a.clone(), one.b.clone());
    let each: Vec<Vec<Difference>> = pairs.iter().map(settings).collect();
    let is_common =
        |one: &Difference| each.len() > 1 && each.iter().all(|of| of.iter().any(|o| key(o) == key(one)));
    let mut found: Vec<Difference> = Vec::new();
    for one in each.iter().flatten() {
        let experiment = if is_common(one) { "all".to_owned() } else { one.experiment.clone() };
        if !found.iter().any(|known| known.experiment == experiment && key(known) == key(one)) {
            let (name, a, b) = key(one);
            found.push(Difference { experiment, name, place: String::new(), a, b, note: one.note.clone() });
        }
    }
    found
}

/// Figures that differ beyond their spread, or that one of the two lacks; and the number of
/// those that differ and have no spread.
fn figures(pair: &Pair) -> (Vec<Difference>, usize) {
    let (mut found, mut once) = (Vec::new(), 0);
    for (place, a, b) in rows(pair) {
        let names = a.figures.iter().chain(&b.figures).map(|figure| &figure.name);
        for name in names.collect::<BTreeSet<_>>() {
            let (of_a, of_b) = (a.reading(name), b.reading(name));
            let amounts = (of_a.and_then(Reading::amount), of_b.and_then(Reading::amount));
            let note = match (amounts, of_a.zip(of_b)) {
                ((None, None), _) => continue,
                ((Some(a), Some(b)), _) if a == b => continue,
                ((Some(amount_a), Some(amount_b)), Some((a, b))) => match apart(a, b) {
                    Some(true) => ratio(amount_a, amount_b),
                    Some(false) => continue,
                    None => {
                        once += 1;
                        continue;
                    }
                },
                _ => "only one has it".to_owned(),
            };
            found.push(pair.difference(name, &place, figure_text(of_a), figure_text(of_b), note));
        }
    }
    (found, once)
}

/// Whether the runs of the two do not overlap; `None` if another run could give anything.
fn apart(a: &Reading, b: &Reading) -> Option<bool> {
    let exact = |reading: &Reading| matches!(reading.source(), Some(Source::Model | Source::Analytic));
    if !(exact(a) && exact(b)) && a.spread().is_none() && b.spread().is_none() {
        return None;
    }
    let ends = |reading: &Reading| {
        let amount = reading.amount().unwrap_or_default();
        reading.spread().map_or((amount, amount), |spread| (spread.min, spread.max))
    };
    let ((low_a, high_a), (low_b, high_b)) = (ends(a), ends(b));
    Some(high_a < low_b || high_b < low_a)
}

fn ratio(a: f64, b: f64) -> String {
    let ratio = b / a;
    if ratio.is_finite() { format!("B / A = {ratio:.3}") } else { "–".to_owned() }
}

/// `134.5e6 model ±2 %`
fn figure_text(reading: Option<&Reading>) -> String {
    let Some(reading) = reading else { return "–".to_owned() };
    let Some((amount, source)) = reading.amount().zip(reading.source()) else {
        return shorten(&reading.to_string(), 60);
    };
    let share = reading.spread().map(|spread| 50.0 * (spread.max - spread.min) / amount.abs());
    let spread = share.filter(|share| share.is_finite()).map(|share| format!(" ±{share:.0} %"));
    format!("{} {source}{}", four(amount), spread.unwrap_or_default())
}

/// The table for people.
fn table(all: &[Difference]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let head = ["experiment", "what", "A", "B", "", "where"].map(str::to_owned).to_vec();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut lines = vec![head];
    for one in all {
        let count = counts.entry((&one.experiment, &one.name)).or_default();
        *count += 1;
        if *count <= MAX_SHOWN {
            let Difference { experiment, name, place, a, b, note } = one;
            lines.push([experiment, name, a, b, note, place].map(Clone::clone).to_vec());
        }
    }
    let more = counts.iter().filter(|(_, count)| **count > MAX_SHOWN);
    let more: String = more
        .map(|((experiment, name), count)| {
            format!("{experiment}: {} more of {name}: --csv\n", count - MAX_SHOWN)
        })
        .collect();
    columns(&lines) + &more
}

/// Every difference, for scripts.
fn csv(all: &[Difference]) -> String {
    let mut record = Record::new("compare", "");
    let row = |one: &Difference| {
        let [name, place, a, b, note] =
            [&one.name, &one.place, &one.a, &one.b, &one.note].map(|t| t.as_str());
        Row::new([
            ("experiment", one.experiment.as_str().into()),
            ("what", name.into()),
            ("where", place.into()),
            ("a", a.into()),
            ("b", b.into()),
            ("note", note.into()),
        ])
    };
    record.rows = all.iter().map(row).collect();
    record.csv()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mm1(seconds: &[f64], checksum: i64, misses: Option<f64>) -> Record {
        let misses = misses.map_or(Reading::missing("no counters"), |m| Reading::new(m, Source::Model));
        let row = Row::new([("size", 64.into()), ("checksum", checksum.into()), ("residual", 0.into())]);
        let runs = Reading::from_runs(seconds, Source::Timing);
        let mut record = Record::new("mm1", "one").set("runs", seconds.len());
        record.rows.push(row.with("cpu_s", runs).with("PAPI_L1_DCM", misses));
        record
    }

    fn lines(a: Record, b: Record) -> Vec<String> {
        let pair = Pair { name: "mm1".to_owned(), a, b };
        let (figures, once) = figures(&pair);
        let all = results(&pair).into_iter().chain(settings(&pair)).chain(figures);
        let mut lines: Vec<String> =
            all.map(|one| format!("{} {} | {} {}", one.name, one.a, one.b, one.note)).collect();
        lines.extend(rows_alone(&pair));
        lines.extend((once > 0).then(|| format!("{once} once")));
        lines
    }

    #[test]
    fn what_differs_is_a_line_and_what_may_be_chance_is_none() {
        let base = || mm1(&[1.0, 1.2], 7, Some(1.0));
        assert_eq!(lines(base(), base()), Vec::<String>::new());
        assert_eq!(lines(base(), mm1(&[1.1, 1.4], 7, Some(1.0))), Vec::<String>::new());
        for (other, expected) in [
            (mm1(&[2.0, 2.0], 7, Some(1.0)), "cpu_s 1.100 timing ±9 % | 2.000 timing ±0 % B / A = 1.818"),
            (mm1(&[1.0, 1.2], 8, Some(1.0)), "checksum 7 | 8 the two did not compute the same"),
            (mm1(&[1.0, 1.2], 7, Some(2.0)), "PAPI_L1_DCM 1.000 model | 2.000 model B / A = 2.000"),
            (
                mm1(&[1.0, 1.2], 7, None),
                "PAPI_L1_DCM 1.000 model | not counted (no counters) only one has it",
            ),
            (mm1(&[1.0, 1.1, 1.2], 7, Some(1.0)), "runs 2 | 3 a setting"),
        ] {
            assert_eq!(lines(base(), other), [expected]);
        }
        assert_eq!(lines(mm1(&[1.0], 7, Some(1.0)), mm1(&[2.0], 7, Some(1.0))), ["1 once"]);
        let mut residual = base();
        residual.rows[0].keys["residual"] = 1.into();
        assert_eq!(lines(base(), residual), ["residual 0 | 1 the two did not compute the same"]);
        let mut larger = base();
        larger.rows[0].keys["size"] = 128.into();
        let alone = lines(base(), larger);
        assert!(
            alone.len() == 2 && alone[0].contains("1 of 1 rows are in A only, such as size=64"),
            "{alone:?}"
        );
    }

    #[test]
    fn many_differences_of_one_figure_are_counted_and_all_are_in_the_csv() {
        let sweep = |scale: f64, event: &str| {
            let mut record = Record::new("cm1", "one").set("event", event);
            for stride in 1..=20u64 {
                let row = Row::new([("stride_bytes", stride.into()), ("event", event.into())]);
                record.rows.push(row.with("avg_misses", Reading::new(scale * stride as f64, Source::Model)));
            }
            record
        };
        let pair = Pair { name: "cm1".to_owned(), a: sweep(1.0, "A"), b: sweep(2.0, "B") };
        let found = figures(&pair).0;
        assert_eq!((found.len(), settings(&pair)[0].name.as_str()), (20, "event"));
        let table = table(&found);
        assert!(
            table.lines().count() == 14 && table.ends_with("cm1: 8 more of avg_misses: --csv\n"),
            "{table}"
        );
        assert_eq!(csv(&found).lines().count(), 21);
    }
}
