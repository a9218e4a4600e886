//! `lab compare`: two runs, two machines, or measured and modelled.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

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

    /// Print all differences of each figure, not only the first 12
    #[arg(long)]
    all: bool,
}

/// Beginnings of settings that follow from the machine, unless they were given as options.
const OF_MACHINES: [&str; 7] = ["bandwidth_", "base", "block_", "isa", "line_size", "peak_", "threads"];
/// More differences of one figure are counted, unless all are asked for.
const MAX_SHOWN: usize = 12;

/// The same experiment in A and in B.
struct Pair {
    name: String,
    a: Record,
    b: Record,
}

/// One line of the table: the experiment; the result, setting or figure; A; B; their ratio, or
/// what the difference means; the row, such as `size_bytes=65536 stride_bytes=64`.
type Line = [String; 6];

/// Reads both and prints the table.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (pairs, mut notes) = pairs(&args.a, &args.b)?;
    notes.extend(rows_alone(&pairs));
    if pairs.iter().all(|pair| rows(pair).is_empty()) {
        return Err(Failure::could_not(format!("the two have no row in common: {}", notes.join("; "))));
    }
    let mut all: Vec<Line> = pairs.iter().flat_map(given).collect();
    all.extend(settings(&pairs));
    let mut once = 0;
    for pair in &pairs {
        let (found, unrepeated) = figures(pair);
        all.extend(found);
        once += unrepeated;
    }
    if once > 0 {
        notes.push(format!(
            "{once} times or counts were measured once, so their spread is unknown: --runs 5 gives it"
        ));
    }
    if all.is_empty() {
        notes.insert(0, "nothing differs beyond its spread".to_owned());
    }
    let notes: String = notes.iter().map(|note| format!("{note}\n")).collect();
    output::print(&(table(&all, if args.all { usize::MAX } else { MAX_SHOWN }) + &notes))
}

/// The experiments that both have, and a sentence for each that only one has.
fn pairs(a: &Path, b: &Path) -> Result<(Vec<Pair>, Vec<String>), Failure> {
    let (mut of_a, mut of_b) = (records(a)?, records(b)?);
    let names = |of: &BTreeMap<String, Record>| of.keys().cloned().collect::<Vec<_>>().join(", ");
    let both: Vec<String> = of_a.keys().filter(|name| of_b.contains_key(*name)).cloned().collect();
    if both.is_empty() {
        let (a, b, in_a, in_b) = (input::name(a), input::name(b), names(&of_a), names(&of_b));
        return Err(Failure::could_not(format!(
            "{a} has {in_a}, {b} has {in_b}: nothing to compare; give records of the same program"
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
    let record = |path: &Path| {
        let refused = |error| Failure::could_not(format!("{}: {error}", input::name(path)));
        authentic::read(&input::text(path)?).map_err(refused)
    };
    if !path.is_dir() {
        let record = record(path)?;
        return Ok(BTreeMap::from([(record.program.clone(), record)]));
    }
    let mut found = BTreeMap::new();
    for file in fs::read_dir(path.join("records")).into_iter().flatten().flatten().map(|entry| entry.path()) {
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

fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| shorten(text, 60))
}

/// What identifies a row: `size_bytes=65536 stride_bytes=64`.
fn place(row: &Row) -> String {
    let fields = row.place.iter().map(|(key, value)| format!("{}={}", clean(key), shown(value)));
    Vec::from_iter(fields).join(" ")
}

fn by_place(record: &Record) -> BTreeMap<String, &Row> {
    record.rows.iter().map(|row| (place(row), row)).collect()
}

/// The rows that both have, in A's order.
fn rows(pair: &Pair) -> Vec<(String, &Row, &Row)> {
    let of_b = by_place(&pair.b);
    let both = pair.a.rows.iter().map(|row| (place(row), row));
    both.filter_map(|(place, row)| of_b.get(&place).map(|other| (place.clone(), row, *other))).collect()
}

/// Sentences on rows that only one has; one for all experiments that have no row in common.
fn rows_alone(pairs: &[Pair]) -> Vec<String> {
    let (mut sentences, mut different) = (Vec::new(), Vec::new());
    for pair in pairs {
        let (a, b) = (by_place(&pair.a), by_place(&pair.b));
        if let Some((a, b)) = a.keys().next().zip(b.keys().next())
            && rows(pair).is_empty()
        {
            different.push(format!("{} ({} in A, {} in B)", pair.name, shorten(a, 60), shorten(b, 60)));
            continue;
        }
        for (side, one, other) in [("A", &a, &b), ("B", &b, &a)] {
            let alone: Vec<&String> = one.keys().filter(|place| !other.contains_key(*place)).collect();
            if let [first, ..] = alone[..] {
                let (name, count, first) = (&pair.name, alone.len(), shorten(first, 100));
                let all = one.len();
                sentences.push(format!("{name}: {count} of {all} rows are in {side} only, such as {first}"));
            }
        }
    }
    if !different.is_empty() {
        sentences.push(format!("other rows in A than in B: {}", different.join(", ")));
    }
    sentences
}

/// Results and settings of rows that differ.
fn given(pair: &Pair) -> Vec<Line> {
    let mut found = Vec::new();
    for (place, a, b) in rows(pair) {
        for (a, b, note) in [
            (&a.results, &b.results, "the two did not compute the same"),
            (&a.settings, &b.settings, "a setting"),
        ] {
            let names = BTreeSet::from_iter(a.iter().chain(b.iter()).map(|(name, _)| name));
            for name in names.into_iter().filter(|name| a.get(name) != b.get(name)) {
                let [a, b] = [a, b].map(|of| of.get(name).map_or_else(|| "–".to_owned(), shown));
                found.push([pair.name.clone(), clean(name), a, b, note.to_owned(), place.clone()]);
            }
        }
    }
    found
}

/// Settings that differ: the machine, the version, the options. Equal differences of several
/// experiments are one line; what follows from another machine is none.
fn settings(pairs: &[Pair]) -> Vec<Line> {
    let of = |record: &Record, name: &str| match name {
        "machine" => shorten(&record.machine, 60),
        "version" => record.version.clone(),
        name => record.settings.get(name).map_or_else(|| "–".to_owned(), shown),
    };
    let mut found: BTreeMap<(String, String, String), Vec<&str>> = BTreeMap::new();
    for pair in pairs {
        let sides = [&pair.a, &pair.b];
        let follows = |name: &str| {
            let option = format!("--{}", name.replace('_', "-"));
            let mut words = sides.iter().flat_map(|record| &record.arguments);
            pair.a.machine != pair.b.machine
                && OF_MACHINES.iter().any(|start| name.starts_with(start))
                && !words.any(|word| word.starts_with(&option))
        };
        let names = sides.iter().flat_map(|record| record.settings.iter().map(|(name, _)| name));
        let names: BTreeSet<&str> = names.chain(["machine", "version"]).collect();
        for name in names.into_iter().filter(|name| !follows(name)) {
            let [a, b] = sides.map(|record| of(record, name));
            if a != b {
                found.entry((clean(name), a, b)).or_default().push(&pair.name);
            }
        }
    }
    let named = |((name, a, b), experiments): ((String, String, String), Vec<&str>)| {
        let all = experiments.len() == pairs.len() && pairs.len() > 1;
        let experiment = if all { "all".to_owned() } else { experiments.join(", ") };
        [experiment, name, a, b, "a setting".to_owned(), String::new()]
    };
    found.into_iter().map(named).collect()
}

/// Figures that differ beyond their spread, or that one of the two lacks; and the number of
/// those that differ and have no spread.
fn figures(pair: &Pair) -> (Vec<Line>, usize) {
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
                    Some(true) if amount_a == 0.0 => "–".to_owned(),
                    Some(true) => format!("B / A = {:.3}", amount_b / amount_a),
                    Some(false) => continue,
                    None => {
                        once += 1;
                        continue;
                    }
                },
                _ => "only one has it".to_owned(),
            };
            let [a, b] = [of_a, of_b].map(figure_text);
            found.push([pair.name.clone(), clean(name), a, b, note, place.clone()]);
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

/// `134.5e6 model ±2 %`
fn figure_text(reading: Option<&Reading>) -> String {
    let Some(reading) = reading else { return "–".to_owned() };
    let Some((amount, source)) = reading.amount().zip(reading.source()) else {
        return shorten(&reading.to_string(), 60);
    };
    let spread = reading.spread().filter(|_| amount != 0.0).map_or_else(String::new, |spread| {
        format!(" ±{:.0} %", 50.0 * (spread.max - spread.min) / amount.abs())
    });
    format!("{} {source}{spread}", four(amount))
}

/// The table; more than `most` differences of one figure are counted.
fn table(all: &[Line], most: usize) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut counts: BTreeMap<[&str; 2], usize> = BTreeMap::new();
    let mut lines = vec![["experiment", "what", "A", "B", "", "where"].map(str::to_owned).to_vec()];
    for line in all {
        let count = counts.entry([&line[0], &line[1]]).or_default();
        *count += 1;
        if *count <= most {
            lines.push(line.to_vec());
        }
    }
    let mut text = columns(&lines);
    for ([experiment, name], count) in counts.into_iter().filter(|(_, count)| *count > most) {
        text += &format!("{experiment}: {} more of {name}: --all\n", count - most);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mm1(seconds: &[f64], checksum: i64, misses: Option<f64>) -> Record {
        let misses = misses.map_or(Reading::missing("no counters"), |m| Reading::new(m, Source::Model));
        let row = Row::at([("size", 64.into())]).result("checksum", checksum);
        let runs = Reading::from_runs(seconds, Source::Timing);
        let mut record = Record::new("mm1", "one").set("runs", seconds.len());
        record.rows.push(row.with("cpu_s", runs).with("PAPI_L1_DCM", misses));
        record
    }

    fn lines(a: Record, b: Record) -> Vec<String> {
        let pairs = [Pair { name: "mm1".to_owned(), a, b }];
        let (figures, once) = figures(&pairs[0]);
        let all = given(&pairs[0]).into_iter().chain(settings(&pairs)).chain(figures);
        let mut lines: Vec<String> =
            all.map(|[_, name, a, b, note, _]| format!("{name} {a} | {b} {note}")).collect();
        lines.extend(rows_alone(&pairs));
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
        let mut larger = base();
        larger.rows[0].place.set("size", 128);
        assert_eq!(lines(base(), larger), ["other rows in A than in B: mm1 (size=64 in A, size=128 in B)"]);
        let mut wider = base().set("line_size", 128);
        wider.machine = "two".to_owned();
        assert_eq!(lines(base().set("line_size", 64), wider.clone()), ["machine one | two a setting"]);
        wider.arguments = vec!["--line-size".to_owned(), "128".to_owned()];
        assert_eq!(lines(base().set("line_size", 64), wider).len(), 2);
    }

    #[test]
    fn many_differences_of_one_figure_are_counted() {
        let sweep = |scale: f64| {
            let mut record = Record::new("cm1", "one").set("repeats", scale);
            for stride in 1..=20u64 {
                let row = Row::at([("stride_bytes", stride.into())]);
                record.rows.push(row.with("avg_misses", Reading::new(scale * stride as f64, Source::Model)));
            }
            record
        };
        let pairs = [Pair { name: "cm1".to_owned(), a: sweep(1.0), b: sweep(2.0) }];
        let found = figures(&pairs[0]).0;
        assert_eq!((found.len(), settings(&pairs)[0][1].as_str()), (20, "repeats"));
        let few = table(&found, MAX_SHOWN);
        assert!(few.lines().count() == 14 && few.ends_with("cm1: 8 more of avg_misses: --all\n"), "{few}");
        assert_eq!(table(&found, usize::MAX).lines().count(), 21);
    }
}
