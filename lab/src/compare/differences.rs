//! The figures that two records have in common, and how they differ.

use std::collections::BTreeMap;

use common::record::{Record, Row};
use common::stats::quantile;
use common::table::{columns, four};
use common::text::clean;
use common::value::{Reading, Source};

use super::pair::Pair;

/// Keys of a row that are results or explain it.
const RESULTS: [&str; 5] = ["checksum", "check", "residual", "c", "waits_for"];
/// An experiment with at most this many cells is printed cell by cell.
const FEW: usize = 12;

/// A figure that both records have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Difference {
    experiment: String,
    /// The row: `size_bytes=65536 stride_bytes=64`.
    place: String,
    figure: String,
    a: Reading,
    b: Reading,
}

impl Difference {
    /// All differences of a pair of records.
    pub(crate) fn all(pair: &Pair) -> Vec<Difference> {
        let of_b: BTreeMap<String, &Row> = pair.b.rows.iter().map(|row| (place(row), row)).collect();
        let mut found = Vec::new();
        for row in &pair.a.rows {
            let place = place(row);
            let Some(other) = of_b.get(&place) else { continue };
            for figure in &row.figures {
                let there = other.reading(&figure.name).filter(|b| b.amount().is_some());
                let Some((a, b)) = Some(&figure.reading).filter(|a| a.amount().is_some()).zip(there) else {
                    continue;
                };
                found.push(Difference {
                    experiment: pair.name.clone(),
                    place: place.clone(),
                    figure: figure.name.clone(),
                    a: a.clone(),
                    b: b.clone(),
                });
            }
        }
        found
    }

    /// B divided by A, where that is a number.
    fn ratio(&self) -> Option<f64> {
        Some(self.b.amount()? / self.a.amount()?).filter(|ratio| ratio.is_finite())
    }

    /// Whether the runs of the two overlap; `None` where neither was repeated.
    fn within(&self) -> Option<bool> {
        let ends = |reading: &Reading| {
            let runs = reading.runs();
            Some((quantile(runs, 0.0)?, quantile(runs, 1.0)?))
        };
        let ((low_a, high_a), (low_b, high_b)) = (ends(&self.a)?, ends(&self.b)?);
        let repeated = [&self.a, &self.b].iter().any(|reading| reading.runs().len() > 1);
        repeated.then_some(low_a <= high_b && low_b <= high_a)
    }

    fn verdict(&self) -> &'static str {
        match self.within() {
            _ if self.a.amount() == self.b.amount() => "the same",
            Some(true) => "within the spread",
            Some(false) => "beyond the spread",
            None if exact(&self.a) && exact(&self.b) => "differs; both are exact",
            None => "no spread: --runs 5",
        }
    }
}

/// Whether another run would give exactly the same.
fn exact(reading: &Reading) -> bool {
    matches!(reading.source(), Some(Source::Model | Source::Analytic))
}

/// What identifies a row: its keys without the results.
pub(super) fn place(row: &Row) -> String {
    let keys = row.keys.iter().filter(|(key, _)| !RESULTS.contains(&key.as_str()));
    let told = keys.map(|(key, value)| match value.as_str() {
        Some(text) => format!("{key}={}", clean(text)),
        None => format!("{key}={value}"),
    });
    told.collect::<Vec<_>>().join(" ")
}

/// `134.5e6 model ±2 %`
fn figure_text(reading: &Reading) -> String {
    let amount = amount(reading);
    let share = reading.spread().map(|s| 50.0 * (s.max - s.min) / amount.abs());
    let spread = share.filter(|share| share.is_finite()).map(|share| format!(" ±{share:.0} %"));
    format!("{} {}{}", four(amount), source(reading), spread.unwrap_or_default())
}

fn amount(reading: &Reading) -> f64 {
    reading.amount().unwrap_or(f64::NAN)
}

fn source(reading: &Reading) -> String {
    reading.source().map_or_else(|| "none".to_owned(), |source| source.to_string())
}

/// The table for people: a few cells one by one, a sweep as one line for each figure.
pub(crate) fn table(all: &[Difference]) -> String {
    let head = ["experiment", "figure", "A", "B", "B / A", ""].map(str::to_owned).to_vec();
    let mut groups: Vec<Vec<&Difference>> = Vec::new();
    for one in all {
        let same = |group: &&mut Vec<&Difference>| {
            group[0].experiment == one.experiment && group[0].figure == one.figure
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let rows =
        groups.iter().flat_map(|group| if group.len() > FEW { vec![whole(group)] } else { each(group) });
    columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

fn each(group: &[&Difference]) -> Vec<Vec<String>> {
    let row = |one: &&Difference| {
        let ratio = one.ratio().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}"));
        let at = if group.len() > 1 { format!("; {}", one.place) } else { String::new() };
        let verdict = format!("{}{at}", one.verdict());
        vec![
            one.experiment.clone(),
            one.figure.clone(),
            figure_text(&one.a),
            figure_text(&one.b),
            ratio,
            verdict,
        ]
    };
    group.iter().map(row).collect()
}

/// Many cells: the medians, and the cell that differs most.
fn whole(group: &[&Difference]) -> Vec<String> {
    let median = |amounts: Vec<f64>| common::stats::median(&amounts).map_or_else(|| "–".to_owned(), four);
    let apart = |one: &Difference| (amount(&one.b) - amount(&one.a)).abs();
    let Some(most) = group.iter().max_by(|a, b| apart(a).total_cmp(&apart(b))) else { return Vec::new() };
    let ratios: Vec<f64> = group.iter().filter_map(|one| one.ratio()).collect();
    let verdict = if apart(most) == 0.0 {
        format!("medians of {} cells; all the same", group.len())
    } else {
        format!(
            "medians of {} cells; largest difference {} against {} at {}",
            group.len(),
            four(amount(&most.a)),
            four(amount(&most.b)),
            most.place
        )
    };
    vec![
        most.experiment.clone(),
        most.figure.clone(),
        format!("{} {}", median(group.iter().map(|one| amount(&one.a)).collect()), source(&most.a)),
        format!("{} {}", median(group.iter().map(|one| amount(&one.b)).collect()), source(&most.b)),
        median(ratios),
        verdict,
    ]
}

/// Every cell, for scripts.
pub(crate) fn csv(all: &[Difference]) -> String {
    let row = |one: &Difference| {
        Row::new([
            ("experiment", one.experiment.as_str().into()),
            ("place", one.place.as_str().into()),
            ("figure", one.figure.as_str().into()),
            ("b_over_a", one.ratio().into()),
            ("verdict", one.verdict().into()),
        ])
        .with("a", one.a.clone())
        .with("b", one.b.clone())
    };
    let mut record = Record::new("compare", "");
    record.rows = all.iter().map(row).collect();
    record.csv()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(seconds: &[f64], checksum: i64) -> Record {
        let mut record = Record::new("mm1", "a machine");
        let row = Row::new([("size", 64.into()), ("checksum", checksum.into())]);
        let runs = Reading::from_runs(seconds, Source::Timing);
        record.rows.push(row.with("cpu_s", runs).with("PAPI_LD_INS", Reading::new(786_432.0, Source::Model)));
        record
    }

    fn all(a: &[f64], b: &[f64]) -> Vec<Difference> {
        Difference::all(&Pair { name: "mm1".into(), a: record(a, 1), b: record(b, 2) })
    }

    #[test]
    fn a_difference_is_compared_with_the_spread_of_the_runs() {
        let verdict = |a: &[f64], b: &[f64]| all(a, b)[0].verdict();
        assert_eq!(verdict(&[1.0, 2.0], &[1.5, 2.5]), "within the spread");
        assert_eq!(verdict(&[1.0, 1.1], &[1.5, 2.5]), "beyond the spread");
        assert_eq!(verdict(&[1.0], &[1.5]), "no spread: --runs 5");
        assert_eq!(all(&[1.0], &[1.5])[1].verdict(), "the same");
        let told = table(&all(&[1.0, 1.0, 1.2], &[2.0, 2.0, 2.0]));
        let line = told.lines().nth(1).unwrap();
        assert!(
            line.contains("1.000 timing ±10 %")
                && line.contains("2.000")
                && line.ends_with("beyond the spread"),
            "{told}"
        );
    }

    #[test]
    fn a_sweep_is_reported_in_a_line_and_its_furthest_cell() {
        let sweep = |scale: f64| {
            let mut record = Record::new("cm1", "a machine");
            for stride in 1..=20u64 {
                let row = Row::new([("size_bytes", 64.into()), ("stride_bytes", stride.into())]);
                record.rows.push(row.with("avg_misses", Reading::new(scale * stride as f64, Source::Model)));
            }
            record
        };
        let pair = Pair { name: "cm1".into(), a: sweep(1.0), b: sweep(2.0) };
        let found = Difference::all(&pair);
        let told = table(&found);
        assert_eq!(told.lines().count(), 2);
        assert!(
            told.contains(
                "medians of 20 cells; largest difference 20.00 against 40.00 at size_bytes=64 stride_bytes=20"
            ),
            "{told}"
        );
        assert_eq!(csv(&found).lines().count(), 21);
    }
}
