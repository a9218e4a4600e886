//! What decides the time of a product: misses, or steps that wait for each
//! other. Read from a record of `lab causes`, with a row for each kernel.

use chart::{Axis, Chart};
use figures::table::{columns, four};
use figures::value::Reading;
use records::record::{Record, Row};
use serde::Serialize;

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
    source: String,
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

/// With fewer runs, the spread is unknown.
const ENOUGH: usize = 3;

const SUM_1: &str = "mm1, sum in a register";
const SUM_2: &str = "mm2, sum in a register";
const UNBLOCKED: &str = "ikj, without blocks";

/// How much faster `after` is than `before`, or slower, by their medians; and the runs, made in turns, if they do not
/// agree on which is faster.
fn speed(before: &Reading, after: &Reading) -> Option<String> {
    let ratio = before.amount()? / after.amount()?;
    let turns = || before.runs().iter().zip(after.runs()).map(|(before, after)| before / after);
    let (least, most) = turns().reduce(f64::min).zip(turns().reduce(f64::max))?;
    let speed = match ratio < 1.0 {
        true => format!("{:.2} times as slow", ratio.recip()),
        false => format!("{ratio:.2} times as fast"),
    };
    let is_open = turns().count() >= ENOUGH && least <= 1.0 && most >= 1.0;
    let chance = if is_open { ", which may be chance: some runs show the opposite" } else { "" };
    ratio.is_finite().then(|| speed + chance)
}

/// The comparisons, with the ratios of this record's medians: the question, not the answer.
pub(crate) fn hints(record: &Record) -> Vec<String> {
    let cpu = |name: &str, figure: &str| {
        let row = record.rows.iter().find(|row| text_of(row, "kernel") == name);
        row.and_then(|row| row.reading(figure))
    };
    let times = |before: &str, after: &str, figure: &str| speed(cpu(before, "cpu_s")?, cpu(after, figure)?);
    let [transposing, transposing_sum, register, order, blocks] =
        [("mm1", "mm2"), (SUM_1, SUM_2), ("mm2", SUM_2), ("mm2", UNBLOCKED), (UNBLOCKED, "mm3")]
            .map(|(before, after)| times(before, after, "cpu_s").unwrap_or_default());
    if [&transposing, &transposing_sum, &register, &order, &blocks].iter().any(|text| text.is_empty()) {
        return vec!["These kernels were not timed; run `lab causes` on a real machine.".to_owned()];
    }
    let mut hints = vec![
        format!(
            "Transposing makes the product {} with the sum in memory, {} with it in a register. Both times it saves as many misses. What else does a step of mm1 and mm2 wait for?",
            transposing, transposing_sum
        ),
        format!("With its sum in a register mm2 has the same misses and is {}.", register),
        format!(
            "The order i, k, j without any block is {} as mm2; mm3, the same order in blocks, is {} as that order without blocks. Which of the two changes saves misses, which one saves waiting?",
            order, blocks
        ),
    ];
    let free = |kernel: &str| times(kernel, kernel, "free_cpu_s");
    if let Some((mm2, mm1)) = free(SUM_2).zip(free(SUM_1)) {
        hints.push(format!("With full compiler optimisation and the sum in a register, mm2 becomes {} and mm1 {}, although both read the same elements as before. In which of them are the elements for consecutive k adjacent in memory?", mm2, mm1));
        let seconds = |figure: &str| cpu(SUM_1, figure).and_then(Reading::amount);
        if seconds("free_cpu_s") > seconds("cpu_s") {
            hints.push("mm1 becomes slower because the compiler still computes with several elements at a time: it collects them one by one in a register, and these instructions take longer than they save.".to_owned());
        }
    }
    let runs = record.rows.iter().filter_map(|row| Some(row.reading("cpu_s")?.runs().len()));
    if runs.min().unwrap_or_default() < ENOUGH {
        hints.push(format!(
            "Give --runs {ENOUGH} or more: with fewer, nothing shows whether a ratio is chance."
        ));
    }
    hints
}

/// The table, and what its figures make worth a question.
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
    let source = lines(record).into_iter().next().map(|line| line.source).unwrap_or_default();
    let hints: String = hints(record).iter().map(|hint| format!("- {hint}\n")).collect();
    format!(
        "{}accesses and misses of one inner step (misses: {source}); CPU time, runs in turns\n\
         ms: an instruction for each access; free ms: full compiler optimisation\n{hints}",
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
    let misses = row.reading("PAPI_L1_DCM").and_then(Reading::source);
    BarPair {
        kernel: text_of(row, "kernel"),
        c: text_of(row, "c"),
        waits_for: text_of(row, "waits_for"),
        accesses: each(accesses),
        misses: each(row.amount("PAPI_L1_DCM")),
        source: misses.map_or_else(|| "not counted".to_owned(), |source| source.to_string()),
        counted: time(row, "cpu_s"),
        free: time(row, "free_cpu_s"),
    }
}

/// The distance of a kernel's two bars from the middle between them.
const BAR_OFFSET: f64 = 0.21;

/// Nanoseconds of an inner step, two bars for each kernel.
pub fn chart(record: &Record) -> Chart {
    let names = record.rows.iter().map(|row| text_of(row, "kernel")).collect();
    let chart = Chart::new("Time of an inner step", Axis::named("kernel", names), Axis::linear("time (ns)"));
    let chart = bars(chart, record, "cpu_s", "an instruction for each access", -BAR_OFFSET);
    let chart = bars(chart, record, "free_cpu_s", "full compiler optimisation", BAR_OFFSET);
    chart.caption(&record.machine)
}

/// The times under `key` of all kernels, drawn `offset` to the right of the middle.
fn bars(chart: Chart, record: &Record, key: &str, name: &str, offset: f64) -> Chart {
    let step = |row: &Row| Some(row.reading(key)?.scaled(1e9 / row.whole("size")?.pow(3) as f64));
    let places = (1..).map(|place| f64::from(place) + offset).zip(&record.rows);
    chart.readings(name, &Vec::from_iter(places.filter_map(|(at, row)| Some((at, step(row)?)))))
}

fn text_of(row: &Row, key: &str) -> String {
    row.text(key).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Reading, Source};

    const NAMES: [&str; 6] =
        ["mm1", "mm1, sum in a register", "mm2", "mm2, sum in a register", "ikj, without blocks", "mm3"];

    /// Times of the kernels in order, in seconds.
    fn record(seconds: [f64; 6], free: [f64; 6]) -> Record {
        let mut record = Record::new("causes", "a machine");
        for ((name, seconds), free) in NAMES.into_iter().zip(seconds).zip(free) {
            let row = Row::at([("kernel", name.into()), ("size", 100.into())]);
            record.rows.push(
                row.with("PAPI_LD_INS", Reading::new(3e6, Source::Model))
                    .with("PAPI_SR_INS", Reading::new(1e6, Source::Model))
                    .with("PAPI_L1_DCM", Reading::new(1e6, Source::Model))
                    .with("cpu_s", Reading::from_runs(&[seconds; 3], Source::Timing))
                    .with("free_cpu_s", Reading::from_runs(&[free; 3], Source::Timing)),
            );
        }
        record
    }

    /// Each sentence names rows of the table; its numbers must be ratios of their times.
    #[test]
    fn every_number_of_a_sentence_is_a_ratio_of_the_rows_that_it_names() {
        let seconds = [0.60, 0.24, 0.63, 0.12, 0.15, 0.17];
        let free = [0.59, 0.20, 0.50, 0.06, 0.14, 0.10];
        let mut record = record(seconds, free);
        let speed = |before: f64, after: f64| match before >= after {
            true => format!("{:.2} times as fast", before / after),
            false => format!("{:.2} times as slow", after / before),
        };
        let [mm1, sum1, mm2, sum2, ikj, mm3] = seconds;
        let [transposing, register, order, optimised] = &hints(&record)[..] else { panic!() };
        for (sentence, parts) in [
            (
                transposing,
                [speed(mm1, mm2) + " with the sum in memory", speed(sum1, sum2) + " with it in a register"],
            ),
            (register, [format!("mm2 has the same misses and is {}", speed(mm2, sum2)), String::new()]),
            (order, [speed(mm2, ikj) + " as mm2", speed(ikj, mm3) + " as that order without blocks"]),
            (
                optimised,
                [
                    format!("the sum in a register, mm2 becomes {}", speed(sum2, free[3])),
                    format!("and mm1 {}", speed(sum1, free[1])),
                ],
            ),
        ] {
            assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}: {parts:?}");
        }
        let slower = [free[0], 0.30, free[2], free[3], free[4], free[5]];
        let hints_then = hints(&self::record(seconds, slower));
        assert!(hints_then[3].contains("mm1 1.25 times as slow"), "{hints_then:?}");
        assert!(hints_then[4].contains("collects them one by one"), "{hints_then:?}");
        for figure in record.rows.iter_mut().flat_map(|row| &mut row.figures) {
            figure.reading = Reading::new(1.0, Source::Timing);
        }
        assert!(hints(&record)[4].contains("Give --runs 3"));
        record.rows.truncate(3);
        assert!(hints(&record)[0].contains("were not timed"));
    }

    /// The runs say which ratios may be chance: mm2 is faster than mm1 in two turns of three.
    #[test]
    fn runs_that_do_not_agree_say_so() {
        let mut record = record([0.6, 0.3, 0.6, 0.2, 0.4, 0.3], [0.1; 6]);
        let figures = record.rows.iter_mut().flat_map(|row| &mut row.figures);
        let [mm1, mm2] = [[0.60, 0.50, 0.60], [0.55, 0.56, 0.54]];
        for (figure, runs) in figures.filter(|figure| figure.name == "cpu_s").step_by(2).zip([mm1, mm2]) {
            figure.reading = Reading::from_runs(&runs, Source::Timing);
        }
        let [transposing, register, ..] = &hints(&record)[..] else { panic!() };
        let open =
            "1.09 times as fast, which may be chance: some runs show the opposite with the sum in memory";
        assert!(transposing.contains(open), "{transposing}");
        assert!(!register.contains("chance"), "{register}");
    }

    #[test]
    fn the_table_counts_by_inner_step() {
        let text = text(&record([0.6; 6], [0.1; 6]));
        let first = text.lines().nth(1).unwrap();
        assert!(
            first.starts_with("mm1 ") && first.ends_with("  4.000   1.000  600.0  0 %    100.0  0 %"),
            "{text}"
        );
    }
}
