//! The sweep of spark: its cells, repetitions and output.

use clap::Args;
use common::cli::Counters;
use common::failure::Failure;
use common::measure::{self, Sample, Session, Timer, Walks};
use common::note::Note;
use common::record::{Record, Row};
use common::sweep::{Cell, Range};
use common::units::Bytes;
use common::value::{Reading, Source};
use latency::Cells;

use crate::{CACHE_MAX, CACHE_MIN, walk};

/// Options of spark.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    range: Range,

    /// Set the passes per stride: each cell makes N * stride passes, N * size accesses (the C kit: 100)
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    repeats: u64,
}

impl Options {
    /// Sizes from `min` to `max`, `repeats` times the stride passes each.
    pub fn new(min: Bytes, max: Bytes, repeats: u64) -> Options {
        Options { range: Range::between(min, max), repeats }
    }

    /// Restricts the sweep to one stride.
    #[must_use]
    pub fn at_stride(mut self, stride: Bytes) -> Options {
        self.range.strides = vec![stride];
        self
    }
}

/// Measures every cell; calls `each` with every row at once. With [`Counters::Timing`], each
/// access waits for the one before.
/// Fails if the range is impossible, there is not enough memory, or the source cannot time.
pub fn measure(
    session: &Session,
    counters: Counters,
    options: &Options,
    each: &mut dyn FnMut(&Row),
) -> Result<Record, Failure> {
    let cells = options.range.cells(Bytes(CACHE_MIN), Bytes(CACHE_MAX))?;
    if session.measures_host && matches!(counters, Counters::Hardware | Counters::Model) {
        return Err(Failure::usage(
            "spark only takes the time of this machine: cm1 counts its misses with --counters hardware, \
             and a described machine (--machine i5-7500) has modelled times",
        ));
    }
    let plan = session.plan(&[], true)?;
    let mut record = session.record("spark").set("repeats", options.repeats);
    let largest = cells.iter().map(|cell| cell.size).max().unwrap_or_default();
    let mut timer: Option<Timer> = None;
    if counters == Counters::Timing {
        let mut cells = Cells::new(Bytes(largest as u64), 1).map_err(Failure::could_not)?;
        cells.notes().into_iter().for_each(|note| session.note(&mut record, Note::Counts(note)));
        let runs = session.runs;
        timer = Some(Box::new(move |cell, accesses| timed(&mut cells, runs, cell, accesses)));
    }
    let arena = measure::arena(largest)?;
    let mut walks = Walks {
        native: walk,
        modelled: walk,
        passes: &|cell| options.repeats * cell.stride as u64,
        array: arena.array("array", largest).map_err(Failure::could_not)?,
        arena: &arena,
        plan: &plan,
        timer,
        row: &mut |cell, accesses, sample| {
            let row = row(cell, accesses, sample);
            each(&row);
            row
        },
    };
    session.sweep(&mut walks, &cells, &mut record)?;
    Ok(record)
}

/// The time of `accesses` dependent accesses.
fn timed(timer: &mut Cells, runs: usize, cell: Cell, accesses: f64) -> Result<Sample, Failure> {
    let nanos: Result<Vec<f64>, String> =
        (0..runs).map(|_| Ok(timer.time(cell.size, cell.stride)?.nanos)).collect();
    let nanos = nanos.map_err(Failure::could_not)?;
    Ok(Sample::of_accesses(&Reading::from_runs(&nanos, Source::Timing), accesses))
}

fn row(cell: Cell, accesses: f64, sample: &Sample) -> Row {
    Row::at([("size_bytes", cell.size.into()), ("stride_bytes", cell.stride.into())])
        .with("ns_per_access", sample.cpu.scaled(1e9 / accesses))
        .with("elapsed_s", sample.cpu.clone())
        .with("cycles", sample.cycles.clone())
        .with("accesses", Reading::new(accesses, Source::Analytic))
}

/// The header of the kit's table.
pub const KIT_HEADER: &str = "size\tstride\telapsed(s)\tcycles";

/// A row of the kit's table. After the kit's columns come the source, the spread of
/// repeated runs, and the passes per stride, which one needs to compute the time of an
/// access.
pub fn kit_row(row: &Row) -> String {
    let whole = |key| row.whole(key).unwrap_or_default();
    let (size, stride) = (whole("size_bytes"), whole("stride_bytes"));
    let Some(elapsed) = row.reading("elapsed_s") else { return String::new() };
    match elapsed.amount().zip(elapsed.source()) {
        Some((amount, source)) => {
            let cycles = row.amount("cycles").map_or("not counted".to_owned(), |c| format!("{c:.0}"));
            let mut line = format!("{size}\t{stride}\t{amount:.6}\t{cycles}\tsource={source}");
            if let Some(s) = elapsed.spread() {
                line += &format!("\tmedian of {} ({:.6} to {:.6})", s.runs, s.min, s.max);
            }
            let repeats =
                row.amount("accesses").unwrap_or_default() / (stride * (size / stride.max(1))).max(1) as f64;
            line + &format!("\trepeats={repeats}")
        }
        None => format!("{size}\t{stride}\t{elapsed}\tnot counted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_a_time_has_all_columns() {
        let row = Row::at([("size_bytes", 4096.into()), ("stride_bytes", 1.into())]);
        let row = row.with("elapsed_s", Reading::missing("too short"));
        assert_eq!(kit_row(&row), "4096\t1\tnot counted (too short)\tnot counted");
    }
}
