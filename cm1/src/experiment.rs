//! The sweep of cm1: its cells, event and output.

use clap::Args;
use common::cli::Counters;
use common::counters;
use common::events::Event;
use common::failure::Failure;
use common::machine::Machine;
use common::measure::{self, Plan, Sample, Session, Timer, Walks, average_load};
use common::note::Note;
use common::record::{Record, Row};
use common::sweep::{Cell, Range};
use common::units::Bytes;
use common::value::{Reading, Source};

use crate::deciding::decide;
use crate::{CACHE_MAX, CACHE_MIN, EVENT, timing, walk};

/// A model of this machine can only repeat its description.
const CIRCULAR: &str = "these misses repeat the geometry that the system reports, they do not discover it";

/// Options of cm1.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    range: Range,

    /// Set the passes per stride: each cell makes N * stride + 1 passes, as the C kit
    #[arg(long, value_name = "N", default_value = "200", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    repeats: u64,

    /// Count this event: PAPI_L1_DCM, or PAPI_L2_DCM (with --max four times L2, like 8M)
    #[arg(long, value_name = "EVENT", default_value = EVENT)]
    event: String,

    /// Measure extra cells until only one cache geometry fits; timed ones again, up to 10 s, if they were disturbed
    #[arg(long)]
    until_decided: bool,
}

impl Options {
    /// Sizes from 8 KiB to `max`, counting `event`, and as many more cells as it takes to distinguish the possible caches.
    pub fn new(event: &str, max: Bytes, repeats: u64) -> Options {
        let range = Range::between(Bytes::kib(8), max);
        Options { range, repeats, event: event.to_owned(), until_decided: true }
    }
}

/// Measures every cell; calls `each` with every row at once.
/// Fails if the range or the event is impossible, there is not enough memory, or nothing counts.
pub fn measure(session: &Session, options: &Options, each: &mut dyn FnMut(&Row)) -> Result<Record, Failure> {
    let event = counters::event(&options.event).map_err(Failure::usage)?;
    let cells = options.range.cells(Bytes(CACHE_MIN), Bytes(CACHE_MAX))?;
    let largest = cells.iter().map(|cell| cell.size).max().unwrap_or_default();
    let mut record = session.record("cm1").set("repeats", options.repeats).set("event", event.name());
    let plan = session.plan(std::slice::from_ref(&event), true)?;
    let timer = timer(session, &plan, &event, largest, &mut record)?;
    // The C kit's loop is `repeat <= 200 * stride`: one more pass.
    let passes = |cell: Cell| options.repeats * cell.stride as u64 + 1;
    let arena = measure::arena(largest)?;
    let mut walks = Walks {
        native: walk,
        modelled: walk,
        passes: &passes,
        array: arena.array("array", largest).map_err(Failure::could_not)?,
        arena: &arena,
        plan: &plan,
        timer,
        row: &mut |cell, accesses, sample| {
            let row = row(cell, accesses, &event, sample, &session.machine);
            // rows that may be measured again are printed at the end
            if !options.until_decided {
                each(&row);
            }
            row
        },
    };
    session.sweep(&mut walks, &cells, &mut record)?;
    if options.until_decided {
        decide(session, &mut walks, &mut record)?;
        record.rows.iter().for_each(each);
    }
    Ok(record)
}

/// The timer, if it replaces a counter; the record says how and why.
fn timer(
    session: &Session,
    plan: &Plan,
    event: &Event,
    largest: usize,
    record: &mut Record,
) -> Result<Option<Timer>, Failure> {
    if timing::is_wanted(session, plan, event) {
        match timing::timer(session, event, largest) {
            Ok((timer, notes)) => {
                let what = format!("{} is derived from measured latency", event.name());
                session.note(record, Note::StandIn { what, since: plan.reason().map(str::to_owned) });
                notes.into_iter().for_each(|note| session.note(record, Note::Counts(note)));
                return Ok(Some(timer));
            }
            Err(failure) if session.counters == Counters::Timing => return Err(failure),
            Err(failure) => session.note(record, failure.to_string()),
        }
    }
    session.note(record, plan.note());
    if session.measures_host && plan.needs_model() {
        session.note(record, CIRCULAR);
    }
    Ok(None)
}

fn row(cell: Cell, accesses: f64, event: &Event, sample: &Sample, machine: &Machine) -> Row {
    let misses = sample.count(event);
    let mut row = Row::at([("size_bytes", cell.size.into()), ("stride_bytes", cell.stride.into())])
        .set("event", event.name())
        .with("avg_misses", misses.scaled(1.0 / accesses))
        .with("avg_time_us", sample.cpu.scaled(1e6 / accesses))
        .with("avg_cycles", sample.cycles.scaled(1.0 / accesses));
    if let Some(counts) = sample.model.as_ref().filter(|_| misses.source() == Some(Source::Model)) {
        if let Some(walks) = counts.walk_misses(event).filter(|walks| *walks > 0) {
            row = row.with("avg_walk_misses", Reading::new(walks as f64 / accesses, Source::Model));
        }
        if let Some((average, _)) = average_load(counts, machine) {
            row = row.with("average_load_ns", average);
        }
    }
    row
}

/// A line of the kit's output. `source` is that of the misses; the time and the cycles have
/// theirs after them, and repeated runs their spread at the end.
pub fn kit_row(row: &Row) -> String {
    let figure = |name| match row.reading(name) {
        Some(reading) => match reading.amount().zip(reading.source()) {
            Some((amount, source)) => (format!("{amount:.6}"), source.to_string()),
            None => (reading.to_string(), "none".to_owned()),
        },
        None => ("not counted".to_owned(), "none".to_owned()),
    };
    let whole = |key| row.whole(key).unwrap_or_default();
    let (misses, source) = figure("avg_misses");
    let (time, clock) = figure("avg_time_us");
    let (cycles, _) = figure("avg_cycles");
    let event = row.text("event");
    let spread = |name, short| {
        let spread = row.reading(name).and_then(Reading::spread);
        spread.map_or(String::new(), |s| format!("\t{short}_min={:.6}\t{short}_max={:.6}", s.min, s.max))
    };
    let own = |name, short| row.amount(name).map_or(String::new(), |amount| format!("\t{short}={amount:.6}"));
    let walks = own("avg_walk_misses", "of_them_by_page_walks");
    let average = own("average_load_ns", "average_load_ns");
    format!(
        "cache_size={}\tstride={}\tavg_misses={misses}\tavg_time={time}\tavg_cycles={cycles}\tevent={event}\tsource={source}\ttime_source={clock}{}{}{walks}{average}",
        whole("size_bytes"),
        whole("stride_bytes"),
        spread("avg_misses", "misses"),
        spread("avg_time_us", "time"),
    )
}
