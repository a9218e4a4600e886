//! What decides the time of a product: misses, or steps that wait for each
//! other. Read from a record of `lab causes`, with a row for each kernel.

use chart::{Axis, Chart};
use figures::table::{columns, four};
use figures::value::Reading;
use records::record::{Record, Row};
use serde::Serialize;

/// From this gain on, a difference is taken for one.
const CLEAR: f64 = 1.15;

/// A kernel's row of the table.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Line {
    kernel: String,
    c: String,
    waits_for: String,
    /// Accesses of one inner step.
    accesses: String,
    /// Misses of one inner step.
    misses: String,
    source: String,
    milliseconds: String,
    spread: String,
}

/// What the times say of each other; `None` where they were not taken.
struct Gains {
    /// Of transposing, with the sum in memory.
    transposing: f64,
    /// Of transposing, with the sum in a register.
    transposing_sum: f64,
    /// Of a register for mm2's sum.
    register: f64,
    /// Of blocks.
    blocks: f64,
    /// Of an order in which no step waits, over mm2.
    order: f64,
}

impl Gains {
    fn of(record: &Record) -> Option<Gains> {
        let time = |kernel: &str| {
            let row = record.rows.iter().find(|row| text_of(row, "kernel") == kernel)?;
            row.amount("cpu_s").filter(|seconds| *seconds > 0.0)
        };
        let [mm1, mm2, mm3] = [time("mm1")?, time("mm2")?, time("mm3")?];
        let [sum1, sum2] = [time("mm1, sum in a register")?, time("mm2, sum in a register")?];
        let unblocked = time("ikj, without blocks")?;
        Some(Gains {
            transposing: mm1 / mm2,
            transposing_sum: sum1 / sum2,
            register: mm2 / sum2,
            blocks: unblocked / mm3,
            order: mm2 / unblocked,
        })
    }
}

/// A gain, as finely as such runs repeat.
fn times(gain: f64) -> String {
    format!("{gain:.2}")
}

/// What to compare, with this record's own figures: the question, not the
/// answer.
pub fn hints(record: &Record) -> Vec<String> {
    let Some(gains) = Gains::of(record) else {
        return vec!["These kernels were not timed; run `lab causes` on a real machine.".to_owned()];
    };
    vec![
        format!(
            "Transposing makes the product {} times as fast with the sum in memory, {} times with it in a register. The misses that it saves are the same. What else does a step of mm1 and mm2 wait for?",
            times(gains.transposing),
            times(gains.transposing_sum)
        ),
        format!(
            "mm2 misses as rarely with its sum in a register, and is {} times as fast then.",
            times(gains.register)
        ),
        format!(
            "The order i, k, j without any block is {} times as fast as mm2; mm3's blocks make it {} times as fast again. Which of the two steps saves misses, which one waiting?",
            times(gains.order),
            times(gains.blocks)
        ),
    ]
}

/// What the figures show on the machine that was measured.
pub fn verdicts(record: &Record) -> Vec<String> {
    let Some(gains) = Gains::of(record) else { return Vec::new() };
    let clear = |gain: f64| gain >= CLEAR;
    let waits = if clear(gains.register) {
        format!(
            "In mm1 and mm2 each step loads what the step before has stored, and waits for it: without that wait mm2 takes {} times less.",
            times(gains.register)
        )
    } else {
        format!(
            "The wait for the stored sum costs little here: without it mm2 gains {}.",
            times(gains.register)
        )
    };
    let misses = match (clear(gains.transposing), clear(gains.transposing_sum)) {
        (false, true) => format!(
            "The misses of mm1 hide behind that wait: transposing gains {}, but {} as soon as the sum is in a register.",
            times(gains.transposing),
            times(gains.transposing_sum)
        ),
        (true, _) => format!(
            "The misses of mm1 cost more than that wait hides: transposing gains {}.",
            times(gains.transposing)
        ),
        (false, false) => format!(
            "The misses of mm1 cost nothing that can be seen at this size ({} and {}): the next level answers before the arithmetic needs it. Try a larger --size.",
            times(gains.transposing),
            times(gains.transposing_sum)
        ),
    };
    let blocks = if clear(gains.blocks) {
        format!("Blocks gain {} over the same order without them: there misses count.", times(gains.blocks))
    } else {
        format!(
            "What makes mm3 fast is its order, in which no step waits: it gains {} over mm2, the blocks {} beside that at this size.",
            times(gains.order),
            times(gains.blocks)
        )
    };
    vec![waits, misses, blocks]
}

/// The table, and with `verdicts` what its figures show.
pub fn text(record: &Record, with_verdicts: bool) -> String {
    let head = ["kernel", "accesses", "misses", "ms", "+/-", "waits for"].map(str::to_owned).to_vec();
    let row = |line: Line| {
        vec![line.kernel, line.accesses, line.misses, line.milliseconds, line.spread, line.waits_for]
    };
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(lines(record).into_iter().map(row)).collect();
    let source = lines(record).into_iter().next().map(|line| line.source).unwrap_or_default();
    let sentences = if with_verdicts { verdicts(record) } else { Vec::new() };
    let told: String = sentences.iter().map(|sentence| format!("- {sentence}\n")).collect();
    format!(
        "{}accesses and misses of one inner step (misses: {source}); processor time, runs in turns\n{told}",
        columns(&rows)
    )
}

/// The table's rows.
pub(crate) fn lines(record: &Record) -> Vec<Line> {
    record.rows.iter().map(line).collect()
}

fn line(row: &Row) -> Line {
    let steps = row.whole("size").unwrap_or(1).pow(3) as f64;
    let each = |amount: Option<f64>| amount.map_or_else(|| "–".to_owned(), |a| four(a / steps));
    let accesses = row.amount("PAPI_LD_INS").zip(row.amount("PAPI_SR_INS")).map(|(l, s)| l + s);
    let misses = row.reading("PAPI_L1_DCM").and_then(Reading::value);
    let time = row.reading("cpu_s").and_then(Reading::value);
    let spread = time.and_then(|t| t.spread.map(|s| 50.0 * (s.max - s.min) / t.amount));
    Line {
        kernel: text_of(row, "kernel"),
        c: text_of(row, "c"),
        waits_for: text_of(row, "waits_for"),
        accesses: each(accesses),
        misses: each(row.amount("PAPI_L1_DCM")),
        source: misses.map_or_else(|| "not counted".to_owned(), |m| m.source.to_string()),
        milliseconds: time.map_or_else(|| "–".to_owned(), |t| four(1e3 * t.amount)),
        spread: spread.map_or_else(String::new, |s| format!("{s:.0} %")),
    }
}

/// Nanoseconds of an inner step, a bar for each kernel.
pub fn chart(record: &Record) -> Chart {
    let step = |row: &Row| Some(row.amount("cpu_s")? * 1e9 / row.whole("size")?.pow(3) as f64);
    let places = || (1..).map(f64::from).zip(&record.rows);
    let bars: Vec<(f64, f64)> = places().filter_map(|(at, row)| Some((at, step(row)?))).collect();
    let spreads = places().filter_map(|(at, row)| {
        let (value, nanos) = (row.reading("cpu_s")?.value()?, step(row)?);
        let of = |seconds: f64| nanos * seconds / value.amount;
        value.spread.map(|spread| (at, of(spread.min), of(spread.max)))
    });
    let names = record.rows.iter().map(|row| text_of(row, "kernel")).collect();
    Chart::new("Time of an inner step", Axis::named("kernel", names), Axis::linear("ns"))
        .curve("", bars)
        .spread(spreads)
        .caption(&record.machine)
}

fn text_of(row: &Row, key: &str) -> String {
    row.keys.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Source, Value};

    /// Times in the order of the kernels, in seconds.
    fn record(seconds: [f64; 6]) -> Record {
        let names =
            ["mm1", "mm1, sum in a register", "mm2", "mm2, sum in a register", "ikj, without blocks", "mm3"];
        let mut record = Record::new("causes", "a machine");
        for (name, seconds) in names.into_iter().zip(seconds) {
            let row = Row::new([("kernel", name.into()), ("size", 100.into())]);
            record.rows.push(
                row.with("PAPI_LD_INS", Value::new(3e6, Source::Model))
                    .with("PAPI_SR_INS", Value::new(1e6, Source::Model))
                    .with("PAPI_L1_DCM", Value::new(1e6, Source::Model))
                    .with("cpu_s", Value::new(seconds, Source::Timing)),
            );
        }
        record
    }

    #[test]
    fn the_cause_is_the_one_that_the_figures_show() {
        let told = |seconds| verdicts(&record(seconds)).join(" ");
        // A modern core: the wait hides the misses.
        let modern = told([0.60, 0.24, 0.61, 0.12, 0.15, 0.15]);
        assert!(modern.contains("hide behind that wait") && modern.contains("order"), "{modern}");
        // One without a wait worth the name, whose misses cost.
        let plain = told([3.0, 2.9, 1.0, 0.95, 1.3, 1.0]);
        assert!(plain.contains("costs little") && plain.contains("Blocks gain"), "{plain}");
        // So small that nothing misses.
        let small = told([1.0, 0.5, 1.0, 0.5, 0.5, 0.5]);
        assert!(small.contains("larger --size"), "{small}");
        assert!(verdicts(&Record::new("causes", "nothing timed")).is_empty());
    }

    #[test]
    fn the_table_counts_by_inner_step() {
        let text = text(&record([0.6; 6]), true);
        let first = text.lines().nth(1).unwrap();
        assert!(first.starts_with("mm1 ") && first.ends_with("  4.000   1.000  600.0"), "{text}");
    }
}
