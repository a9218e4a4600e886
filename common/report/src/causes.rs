//! What decides the time of a product: misses, or steps that wait for each
//! other. Read from a record of `lab causes`, with a row for each kernel.

use figures::table::{columns, four};
use figures::value::Reading;
use records::record::{Record, Row};
use serde::Serialize;

use crate::sweep::source;

/// A kernel's row of the table.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct BarPair {
    kernel: String,
    c: String,
    waits_for: String,
    /// Accesses of one inner step.
    accesses: String,
    /// Misses of one inner step.
    misses: String,
    /// With one instruction for each access: milliseconds, spread.
    counted: [String; 2],
    /// With free choice of the compiler.
    free: [String; 2],
}

/// A processor time in milliseconds, and its spread in per cent.
fn time(row: &Row, figure: &str) -> [String; 2] {
    let median = row.amount(figure);
    let spread = row.reading(figure).and_then(Reading::spread).zip(median);
    let spread = spread.map(|(s, median)| 50.0 * (s.max - s.min) / median);
    [
        median.map_or_else(|| "–".to_owned(), |seconds| four(1e3 * seconds)),
        spread.map_or_else(String::new, |s| format!("{s:.0} %")),
    ]
}

/// What the table's figures make worth a question.
pub(crate) const QUESTIONS: [&str; 4] = [
    "Transposing saves as many misses with the sum in a register as with it in memory. Compare mm2 with mm1 both times. What else does a step of mm1 and mm2 wait for?",
    "mm2 has the same misses with its sum in a register. Is it as fast?",
    "Compare the order i, k, j without blocks with mm2, and mm3 with that order. Which of the two changes saves misses, which one saves waiting?",
    "With full compiler optimisation, which product with its sum in a register becomes faster? In which are the elements for consecutive k adjacent in memory? (Collecting elements one by one for a vector register can take longer than it saves.)",
];

/// The table and the questions.
pub fn text(record: &Record) -> String {
    let head = ["kernel", "accesses", "misses", "ms", "+/-", "free ms", "+/-", "waits for"]
        .map(str::to_owned)
        .to_vec();
    let row = |line: BarPair| {
        let times = line.counted.into_iter().chain(line.free);
        let cells = [line.kernel, line.accesses, line.misses].into_iter().chain(times);
        cells.chain([line.waits_for]).collect()
    };
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(lines(record).into_iter().map(row)).collect();
    let source = source(record, "PAPI_L1_DCM");
    let questions = QUESTIONS.map(|question| format!("- {question}\n")).concat();
    format!(
        "{}accesses and misses of one inner step (misses: {source}); CPU time, runs in turns\n\
         ms: an instruction for each access; free ms: full compiler optimisation\n{questions}",
        columns(&rows)
    )
}

/// The table's rows.
pub(crate) fn lines(record: &Record) -> Vec<BarPair> {
    record.rows.iter().map(line).collect()
}

fn line(row: &Row) -> BarPair {
    let steps = row.whole("size").unwrap_or(1).pow(3) as f64;
    let each = |amount: Option<f64>| amount.map_or_else(|| "–".to_owned(), |a| four(a / steps));
    let accesses = row.amount("PAPI_LD_INS").zip(row.amount("PAPI_SR_INS")).map(|(l, s)| l + s);
    BarPair {
        kernel: row.text("kernel").to_owned(),
        c: row.text("c").to_owned(),
        waits_for: row.text("waits_for").to_owned(),
        accesses: each(accesses),
        misses: each(row.amount("PAPI_L1_DCM")),
        counted: time(row, "cpu_s"),
        free: time(row, "free_cpu_s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Reading, Source};

    #[test]
    fn the_table_counts_by_inner_step() {
        let row = Row::at([("kernel", "mm1".into()), ("size", 100.into())]);
        let counts = [("PAPI_LD_INS", 3e6), ("PAPI_SR_INS", 1e6), ("PAPI_L1_DCM", 1e6)];
        let row = counts
            .iter()
            .fold(row, |row, (name, amount)| row.with(*name, Reading::new(*amount, Source::Model)));
        let times = [("cpu_s", 0.6), ("free_cpu_s", 0.1)];
        let row = times
            .iter()
            .fold(row, |row, (name, s)| row.with(*name, Reading::from_runs(&[*s; 3], Source::Timing)));
        let mut record = Record::new("causes", "a machine");
        record.rows.push(row);
        let text = text(&record);
        let first = text.lines().nth(1).unwrap();
        assert!(
            first.starts_with("mm1 ") && first.ends_with("  4.000   1.000  600.0  0 %    100.0  0 %"),
            "{text}"
        );
    }
}
