//! What decides the time of a product: misses, or steps that wait for each
//! other. Read from a record of `lab causes`, with a row for each kernel.

mod gains;

use chart::{Axis, Chart};
use figures::table::{columns, four};
use figures::value::Reading;
use records::record::{Record, Row};
use serde::Serialize;

use gains::Gains;

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

/// The comparisons, with this record's own figures: the question, not the answer.
pub fn hints(record: &Record) -> Vec<String> {
    let Some(gains) = Gains::of(record) else {
        return vec!["These kernels were not timed; run `lab causes` on a real machine.".to_owned()];
    };
    let mut hints = vec![
        format!(
            "Transposing makes the product {} with the sum in memory, {} with it in a register. It saves the same misses. What else does a step of mm1 and mm2 wait for?",
            gains.transposing.speed(),
            gains.transposing_sum.speed()
        ),
        format!("With its sum in a register mm2 has the same misses and is {}.", gains.register.speed()),
        format!(
            "The order i, k, j without any block is {} as mm2; mm3, the same order in blocks, is {} as that order without blocks. Which of the two changes saves misses, which one saves waiting?",
            gains.order.speed(),
            gains.blocks.speed()
        ),
    ];
    hints.extend(gains.free.map(|[mm1, mm2]| {
        format!(
            "With full compiler optimisation and the sum in a register, mm2 becomes {} and mm1 {}, although both read the same elements as before. In which of them are the elements for consecutive k adjacent in memory?",
            mm2.speed(),
            mm1.speed()
        )
    }));
    hints.push(format!(
        "These runs do not distinguish ratios between {:.2} and {:.2}: such kernels are equally fast here.",
        gains::CLEAR.recip(),
        gains::CLEAR
    ));
    hints
}

/// What the figures show on the measured machine.
pub fn verdicts(record: &Record) -> Vec<String> {
    Gains::of(record).map_or_else(Vec::new, |gains| gains.verdicts())
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
    let told: String = sentences.iter().map(|sentence| format!("- {sentence}\n")).collect();
    format!(
        "{}accesses and misses of one inner step (misses: {source}); CPU time, runs in turns\n\
         ms: an instruction for each access; free ms: full compiler optimisation\n{told}",
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
    fn the_cause_is_the_one_that_the_figures_show() {
        let told = |seconds| verdicts(&record(seconds)).join(" ");
        // A modern core: waiting for results hides the misses.
        let modern = told([0.60, 0.24, 0.61, 0.12, 0.15, 0.15]);
        assert!(modern.contains("That wait hides the misses") && modern.contains("order"), "{modern}");
        assert!(modern.contains("with its sum in a register gains 1.20"), "{modern}");
        // A core that hardly waits for results, whose misses take time.
        let plain = told([3.0, 2.9, 1.0, 0.95, 1.3, 1.0]);
        assert!(plain.contains("costs little") && plain.contains("Blocks gain"), "{plain}");
        // So small that nothing misses; no SIMD.
        let small = told([0.2, 0.1, 0.2, 0.1, 0.2, 0.2]);
        assert!(small.contains("larger --size") && small.contains("Neither mm3's order"), "{small}");
        assert!(small.contains("does not multiply several elements at once"), "{small}");
        assert!(verdicts(&Record::new("causes", "nothing timed")).is_empty());
    }

    #[test]
    fn no_cause_is_named_where_medians_and_fastest_runs_contradict_each_other() {
        let seconds = [0.60, 0.24, 0.61, 0.12, 0.15, 0.15];
        // Most runs of both sums were disturbed: only the fastest show the gain of
        // transposing.
        let told =
            verdicts(&scattering([0.60, 0.24, 0.61, 0.24, 0.15, 0.15], [1.0, 1.0, 1.0, 2.0, 1.0, 1.0]));
        assert!(
            told[1].contains("do not show whether") && told[1].contains("1.00 (2.00 by the fastest runs)"),
            "{told:?}"
        );
        // Spread that changes no answer changes only the figures in the sentences.
        let told = verdicts(&scattering(seconds, [1.0, 1.0, 1.0, 1.3, 1.0, 1.0]));
        assert!(told[0].contains("is 5.08 (6.61 by the fastest runs) times as fast"), "{told:?}");
    }

    #[test]
    fn no_cause_is_named_from_one_run() {
        let mut once = record([0.60, 0.24, 0.61, 0.12, 0.15, 0.15]);
        for figure in once.rows.iter_mut().flat_map(|row| &mut row.figures) {
            if let Some((amount, source)) = figure.reading.amount().zip(figure.reading.source()) {
                figure.reading = Reading::new(amount, source);
            }
        }
        let told = verdicts(&once);
        assert!(told.len() == 4 && told.iter().all(|told| told.contains("too few")), "{told:?}");
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
        let told = verdicts(&record).join(" ");
        for gain in [mm2 / sum2, mm1 / mm2, sum1 / sum2, mm2 / ikj, ikj / mm3, sum2 / free[3], sum1 / free[1]]
        {
            assert!(told.contains(&format!("{gain:.2}")), "{gain}: {told}");
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
