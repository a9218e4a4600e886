//! The sweep of spark: its cells, repetitions and output.

use std::collections::BTreeMap;

use clap::Args;
use common::cli::Counters;
use common::failure::Failure;
use common::measure::{self, Sample, Session, Walks};
use common::note::Note;
use common::record::{Record, Row};
use common::sweep::{self, Cell, Range};
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

    /// The cells, in order.
    /// Fails if the range is impossible.
    pub fn cells(&self) -> Result<Vec<Cell>, Failure> {
        self.range.cells(Bytes(CACHE_MIN), Bytes(CACHE_MAX))
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
    let cells = options.cells()?;
    if session.measures_host && matches!(counters, Counters::Hardware | Counters::Model) {
        return Err(Failure::usage(
            "spark only takes the time of this machine: cm1 counts its misses with --counters hardware, \
             and a described machine (--machine i5-7500) has modelled times",
        ));
    }
    let plan = session.plan(&[], true)?;
    let mut record = session.record("spark").set("repeats", options.repeats);
    let largest = cells.iter().map(|cell| cell.size).max().unwrap_or_default();
    let mut dependent = match counters {
        Counters::Timing => Some(Cells::new(Bytes(largest as u64), 1).map_err(Failure::could_not)?),
        _ => None,
    };
    if let Some(timer) = &dependent {
        timer.notes().into_iter().for_each(|note| session.note(&mut record, Note::Counts(note)));
    }
    let expected = sweep::expected(&cells, options.repeats, dependent.is_some(), session.measures_host);
    session.announce("this sweep", expected * session.runs as f64)?;
    session.finish_cell_on_signal();
    let arena = measure::arena(largest)?;
    let runs = session.runs;
    let mut timed =
        dependent.as_mut().map(|timer| move |cell: Cell, accesses: f64| timed(timer, runs, cell, accesses));
    let mut walks = Walks {
        native: walk,
        modelled: walk,
        passes: &|cell| options.repeats * cell.stride as u64,
        array: arena.array("array", largest).map_err(Failure::could_not)?,
        arena: &arena,
        plan: &plan,
        timer: timed.as_mut().map(|timed| timed as &mut dyn FnMut(Cell, f64) -> Result<Sample, Failure>),
        row: &mut |cell, accesses, sample| {
            let row = row(cell, accesses, sample);
            each(&row);
            row
        },
    };
    session.sweep(&mut walks, &cells, &mut record)?;
    disturbed(&record).into_iter().for_each(|note| session.note(&mut record, note));
    Ok(record)
}

/// Names the cells that take far longer than those of both adjacent strides.
fn disturbed(record: &Record) -> Vec<String> {
    let mut arrays: BTreeMap<u64, Vec<(u64, f64)>> = BTreeMap::new();
    for row in &record.rows {
        let place = row.whole("size_bytes").zip(row.whole("stride_bytes"));
        if let Some(((size, stride), nanos)) = place.zip(row.amount("ns_per_access")) {
            arrays.entry(size).or_default().push((stride, nanos));
        }
    }
    let named = |(size, cells): (u64, Vec<(u64, f64)>)| {
        let spikes = geometry::spikes(&cells.iter().map(|cell| cell.1).collect::<Vec<_>>());
        spikes.into_iter().map(move |at| {
            let (stride, nanos) = cells[at];
            format!(
                "{} at stride {} took {nanos:.2} ns, far more than at the strides before and after: another program may \
                 have disturbed this cell; measure it again (--sizes {size} --strides {stride})",
                Bytes(size),
                Bytes(stride)
            )
        })
    };
    arrays.into_iter().flat_map(named).collect()
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
pub fn kit_header() -> &'static str {
    "size\tstride\telapsed(s)\tcycles"
}

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
        None => format!("{size}\t{stride}\t{elapsed}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_far_above_both_adjacent_ones_is_named() {
        let mut record = Record::new("spark", "a machine");
        // a step to another level is none
        for (size, cells) in [(4096, [1.0, 1.1, 26.0, 1.0, 1.2]), (1 << 20, [1.0, 1.0, 9.0, 9.0, 9.5])] {
            for (stride, nanos) in [1, 2, 4, 8, 16].into_iter().zip(cells) {
                let row = Row::at([("size_bytes", size.into()), ("stride_bytes", stride.into())]);
                record.rows.push(row.with("ns_per_access", Reading::new(nanos, Source::Timing)));
            }
        }
        let notes = disturbed(&record);
        assert!(notes.len() == 1 && notes[0].starts_with("4 KiB at stride 4 B took 26.00 ns"), "{notes:?}");
    }
}
