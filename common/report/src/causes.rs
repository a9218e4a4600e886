//! What decides the time of a product: misses, or steps that wait for each
//! other. Read from a record of `lab causes`, with a row for each kernel.

use std::fmt;

use chart::{Axis, Chart};
use figures::stats::quantile;
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
    /// With one instruction for each access.
    counted: Time,
    /// With free choice of the compiler.
    free: Time,
}

/// A processor time.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Time {
    milliseconds: String,
    spread: String,
}

impl Time {
    fn of(row: &Row, figure: &str) -> Time {
        let median = row.amount(figure);
        let spread = row.reading(figure).and_then(Reading::spread).zip(median);
        let spread = spread.map(|(s, median)| 50.0 * (s.max - s.min) / median);
        Time {
            milliseconds: median.map_or_else(|| "–".to_owned(), |seconds| four(1e3 * seconds)),
            spread: spread.map_or_else(String::new, |s| format!("{s:.0} %")),
        }
    }
}

/// A smaller gain is not taken for a difference.
const CLEAR: f64 = 1.15;
/// With fewer runs, the spread is unknown.
const ENOUGH: usize = 3;

const SUM_1: &str = "mm1, sum in a register";
const SUM_2: &str = "mm2, sum in a register";
const UNBLOCKED: &str = "ikj, without blocks";

/// A change of a product, and the kernels before and after it. The last two are of the
/// compiler: the same kernel with full optimisation.
const CHANGES: [(&str, &str, &str); 7] = [
    ("A register for the sum, so that no step of mm2 waits for the one before", "mm2", SUM_2),
    ("Transposing, with the sum in memory", "mm1", "mm2"),
    ("Transposing, with the sum in a register", SUM_1, SUM_2),
    ("The order i, k, j, in which no step waits, compared with mm2", "mm2", UNBLOCKED),
    ("Blocks in that order", UNBLOCKED, "mm3"),
    ("Several elements in one instruction (SIMD) in mm2, whose elements are adjacent", SUM_2, SUM_2),
    ("The same in mm1, whose column elements are not adjacent", SUM_1, SUM_1),
];

/// The speed-up by one of the [`CHANGES`].
#[derive(Debug, Clone, Copy)]
struct Gain {
    /// By the medians.
    median: f64,
    /// By the fastest run of each: disturbances only slow a run down.
    fastest: f64,
    /// The number of runs; of the kernel that has fewer.
    runs: usize,
}

impl Gain {
    /// `slow` and `fast` are the seconds of each run, above 0.
    fn of(slow: &[f64], fast: &[f64]) -> Gain {
        let ratio = |at| quantile(slow, at).zip(quantile(fast, at)).map_or(1.0, |(slow, fast)| slow / fast);
        Gain { median: ratio(0.5), fastest: ratio(0.0), runs: slow.len().min(fast.len()) }
    }

    /// `1.31 times as fast`; below 1 for a loss.
    fn speed(self) -> String {
        format!("{self} times as fast")
    }

    /// What the runs show: a gain, none, or nothing if there are too few, or if their medians
    /// and fastest runs contradict each other.
    fn verdict(self, change: &str) -> String {
        let [median, fastest] = [self.median, self.fastest].map(|gain| gain >= CLEAR);
        if self.runs < ENOUGH {
            format!("{change}: too few runs show whether it gains ({self}); give --runs {ENOUGH} or more.")
        } else if median != fastest {
            format!(
                "{change}: the runs scatter too much to show whether it gains ({self}); try again when the machine is idle."
            )
        } else if median {
            format!("{change} gains {self}.")
        } else {
            format!("{change} has no visible gain at this size ({self}).")
        }
    }
}

/// Rounded to a precision with which such runs repeat.
impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if (self.median / self.fastest).ln().abs() < 0.1 {
            return write!(f, "{:.2}", self.median);
        }
        write!(f, "{:.2} ({:.2} by the fastest runs)", self.median, self.fastest)
    }
}

/// The gains by the [`CHANGES`], without the last two where they were not timed; none if
/// another one was not timed.
fn gains(record: &Record) -> Vec<Gain> {
    let time = |kernel: &str, figure: &str| {
        let row = record.rows.iter().find(|row| text_of(row, "kernel") == kernel)?;
        let runs = row.reading(figure)?.runs();
        Some(runs).filter(|runs| runs.iter().all(|seconds| *seconds > 0.0) && !runs.is_empty())
    };
    let gain = |(_, before, after): (&str, &str, &str)| {
        let figure = if before == after { "free_cpu_s" } else { "cpu_s" };
        Some(Gain::of(time(before, "cpu_s")?, time(after, figure)?))
    };
    let [changes @ .., mm2, mm1] = CHANGES.map(gain);
    let Some(mut gains) = changes.into_iter().collect::<Option<Vec<Gain>>>() else { return Vec::new() };
    gains.extend(mm2.zip(mm1).into_iter().flat_map(|(mm2, mm1)| [mm2, mm1]));
    gains
}

/// The comparisons, with this record's own figures: the question, not the answer.
pub fn hints(record: &Record) -> Vec<String> {
    let gains: Vec<String> = gains(record).into_iter().map(Gain::speed).collect();
    let [register, transposing, transposing_sum, order, blocks, free @ ..] = gains.as_slice() else {
        return vec!["These kernels were not timed; run `lab causes` on a real machine.".to_owned()];
    };
    let mut hints = vec![
        format!(
            "Transposing makes the product {transposing} with the sum in memory, {transposing_sum} with it in a register. It saves the same misses. What else does a step of mm1 and mm2 wait for?"
        ),
        format!("With its sum in a register mm2 has the same misses and is {register}."),
        format!(
            "The order i, k, j without any block is {order} as mm2; mm3, the same order in blocks, is {blocks} as that order without blocks. Which of the two changes saves misses, which one saves waiting?"
        ),
    ];
    if let [mm2, mm1] = free {
        hints.push(format!(
            "With full compiler optimisation and the sum in a register, mm2 becomes {mm2} and mm1 {mm1}, although both read the same elements as before. In which of them are the elements for consecutive k adjacent in memory?"
        ));
    }
    hints.push(format!(
        "These runs do not distinguish ratios between {:.2} and {CLEAR:.2}: such kernels are equally fast here.",
        CLEAR.recip()
    ));
    hints
}

/// What the figures show on the measured machine.
pub fn verdicts(record: &Record) -> Vec<String> {
    gains(record).into_iter().zip(CHANGES).map(|(gain, (change, ..))| gain.verdict(change)).collect()
}

/// The table, and with `verdicts` what its figures show.
pub fn text(record: &Record, with_verdicts: bool) -> String {
    let head = ["kernel", "accesses", "misses", "ms", "+/-", "free ms", "+/-", "waits for"]
        .map(str::to_owned)
        .to_vec();
    let row = |line: BarPair| {
        let [counted, free] = [line.counted, line.free];
        vec![
            line.kernel,
            line.accesses,
            line.misses,
            counted.milliseconds,
            counted.spread,
            free.milliseconds,
            free.spread,
            line.waits_for,
        ]
    };
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(lines(record).into_iter().map(row)).collect();
    let source = lines(record).into_iter().next().map(|line| line.source).unwrap_or_default();
    let sentences = if with_verdicts { verdicts(record) } else { Vec::new() };
    let message: String = sentences.iter().map(|sentence| format!("- {sentence}\n")).collect();
    format!(
        "{}accesses and misses of one inner step (misses: {source}); CPU time, runs in turns\n\
         ms: an instruction for each access; free ms: full compiler optimisation\n{message}",
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
        counted: Time::of(row, "cpu_s"),
        free: Time::of(row, "free_cpu_s"),
    }
}

/// The distance of a kernel's two bars from the middle between them.
const BAR_OFFSET: f64 = 0.21;

/// Nanoseconds of an inner step, two bars for each kernel that was timed twice.
pub fn chart(record: &Record) -> Chart {
    let names = record.rows.iter().map(|row| text_of(row, "kernel")).collect();
    let chart = Chart::new("Time of an inner step", Axis::named("kernel", names), Axis::linear("ns"));
    let chart = if record.rows.iter().any(|row| row.amount("free_cpu_s").is_some()) {
        let chart = bars(chart, record, "cpu_s", "left: an instruction for each access", -BAR_OFFSET);
        bars(chart, record, "free_cpu_s", "right: full optimisation", BAR_OFFSET)
    } else {
        bars(chart, record, "cpu_s", "", 0.0)
    };
    chart.caption(&record.machine)
}

/// The times under `key` of all kernels, drawn `offset` to the right of the middle.
fn bars(chart: Chart, record: &Record, key: &str, name: &str, offset: f64) -> Chart {
    let step = |row: &Row| Some(row.amount(key)? * 1e9 / row.whole("size")?.pow(3) as f64);
    let places = || (1..).map(|place| f64::from(place) + offset).zip(&record.rows);
    let bars: Vec<(f64, f64)> = places().filter_map(|(at, row)| Some((at, step(row)?))).collect();
    let spreads = places().filter_map(|(at, row)| {
        let of = |seconds: f64| Some(step(row)? * seconds / row.amount(key)?);
        let spread = row.reading(key)?.spread()?;
        Some((at, of(spread.min)?, of(spread.max)?))
    });
    chart.curve(name, bars).spread(spreads)
}

fn text_of(row: &Row, key: &str) -> String {
    row.keys.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Reading, Source};

    const NAMES: [&str; 6] =
        ["mm1", "mm1, sum in a register", "mm2", "mm2, sum in a register", "ikj, without blocks", "mm3"];

    /// Times of the kernels in order, in seconds; the fastest run of each is shorter by the
    /// factor `scattered`.
    fn scattering(seconds: [f64; 6], scattered: [f64; 6]) -> Record {
        let mut record = Record::new("causes", "a machine");
        for ((name, seconds), scattered) in NAMES.into_iter().zip(seconds).zip(scattered) {
            let row = Row::new([("kernel", name.into()), ("size", 100.into())]);
            let runs = [seconds / scattered, seconds, seconds];
            record.rows.push(
                row.with("PAPI_LD_INS", Reading::new(3e6, Source::Model))
                    .with("PAPI_SR_INS", Reading::new(1e6, Source::Model))
                    .with("PAPI_L1_DCM", Reading::new(1e6, Source::Model))
                    .with("cpu_s", Reading::from_runs(&runs, Source::Timing))
                    .with("free_cpu_s", Reading::from_runs(&[0.1; 3], Source::Timing)),
            );
        }
        record
    }

    fn record(seconds: [f64; 6]) -> Record {
        scattering(seconds, [1.0; 6])
    }

    #[test]
    fn a_gain_is_named_only_where_medians_and_fastest_runs_show_it() {
        let seconds = [0.60, 0.24, 0.61, 0.12, 0.15, 0.15];
        let sentences = verdicts(&record(seconds));
        for (sentence, says) in sentences.iter().zip([
            "no step of mm2 waits for the one before gains 5.08.",
            "Transposing, with the sum in memory has no visible gain at this size (0.98).",
            "Transposing, with the sum in a register gains 2.00.",
            "compared with mm2 gains 4.07.",
            "Blocks in that order has no visible gain at this size (1.00).",
            "whose elements are adjacent gains 1.20.",
            "not adjacent gains 2.40.",
        ]) {
            assert!(sentence.ends_with(says), "{sentence}");
        }
        assert_eq!(sentences.len(), 7);
        // Most runs of mm2's sum were disturbed: only the fastest show the gain.
        let sentences =
            verdicts(&scattering([0.60, 0.24, 0.61, 0.24, 0.15, 0.15], [1.0, 1.0, 1.0, 2.0, 1.0, 1.0]));
        assert!(
            sentences[2].contains("scatter too much")
                && sentences[2].contains("1.00 (2.00 by the fastest runs)")
        );
        // Spread that changes no answer changes only the figures in the sentences.
        let sentences = verdicts(&scattering(seconds, [1.0, 1.0, 1.0, 1.3, 1.0, 1.0]));
        assert!(sentences[0].ends_with("gains 5.08 (6.61 by the fastest runs)."), "{sentences:?}");
        let mut once = record(seconds);
        for figure in once.rows.iter_mut().flat_map(|row| &mut row.figures) {
            if let Some((amount, source)) = figure.reading.amount().zip(figure.reading.source()) {
                figure.reading = Reading::new(amount, source);
            }
        }
        assert!(verdicts(&once).iter().all(|sentence| sentence.contains("too few runs")));
        assert!(verdicts(&Record::new("causes", "nothing timed")).is_empty());
    }

    /// Each sentence names rows of the table; its numbers must be ratios of their times.
    #[test]
    fn every_number_of_a_sentence_is_a_ratio_of_the_rows_that_it_names() {
        let seconds = [0.60, 0.24, 0.63, 0.12, 0.15, 0.17];
        let free = [0.59, 0.20, 0.50, 0.06, 0.14, 0.10];
        let mut record = record(seconds);
        for (row, free) in record.rows.iter_mut().zip(free) {
            row.figures.retain(|figure| figure.name != "free_cpu_s");
            *row = row.clone().with("free_cpu_s", Reading::from_runs(&[free; 3], Source::Timing));
        }
        let speed = |slow: f64, fast: f64| format!("{:.2} times as fast", slow / fast);
        let [mm1, sum1, mm2, sum2, ikj, mm3] = seconds;
        let [transposing, register, order, optimised, _] = &hints(&record)[..] else { panic!() };
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
    }

    #[test]
    fn the_table_counts_by_inner_step() {
        let text = text(&record([0.6; 6]), true);
        let first = text.lines().nth(1).unwrap();
        assert!(
            first.starts_with("mm1 ") && first.ends_with("  4.000   1.000  600.0  0 %    100.0  0 %"),
            "{text}"
        );
    }
}
