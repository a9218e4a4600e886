//! The cost of an event set's calls, like papi_cost.

use common::clock;
use common::counters::CounterError;
use common::events::Event;
use common::failure::Failure;
use common::stats;
use papi::EventSet;
use serde::Serialize;

use crate::args::Format;
use crate::page::{Page, json};

const REPETITIONS: usize = 10_000;
/// Calls whose cost is in the file system's tables, not in the counters'.
const CREATIONS: usize = 200;

#[derive(Debug, Serialize)]
struct Costs {
    events: Vec<String>,
    unit: &'static str,
    calls: Vec<Cost>,
}

/// The cost of one call, in ticks of the processor's timer.
#[derive(Debug, Serialize)]
struct Cost {
    call: &'static str,
    repetitions: usize,
    min: f64,
    median: f64,
    p99: f64,
    max: f64,
    median_ns: f64,
}

impl Cost {
    fn of(call: &'static str, ticks: &[f64]) -> Cost {
        let quantile = |q| stats::quantile(ticks, q).unwrap_or(f64::NAN);
        let median = quantile(0.5);
        Cost {
            call,
            repetitions: ticks.len(),
            min: quantile(0.0),
            median,
            p99: quantile(0.99),
            max: quantile(1.0),
            median_ns: median / clock::tick_rate().0 * 1e9,
        }
    }
}

/// Ticks of each call, for this many calls.
fn timed(
    repetitions: usize,
    mut call: impl FnMut() -> Result<(), CounterError>,
) -> Result<Vec<f64>, CounterError> {
    let mut ticks = Vec::with_capacity(repetitions);
    for _ in 0..repetitions {
        let before = clock::ticks();
        call()?;
        ticks.push((clock::ticks().0 - before.0) as f64);
    }
    Ok(ticks)
}

/// Hardware events if there are any, else the kernel's own, whose calls cost nearly the
/// same.
fn set() -> Result<EventSet, CounterError> {
    let mut set = EventSet::create();
    if set.add(&[Event::TOT_CYC, Event::TOT_INS]).is_ok() {
        return Ok(set);
    }
    let own = ["task-clock", "page-faults"].into_iter().filter_map(|name| Event::parse(name).ok());
    set.add(&own.collect::<Vec<Event>>())?;
    Ok(set)
}

fn measure() -> Result<Costs, CounterError> {
    let mut set = set()?;
    let mut totals = set.zeros();
    let start_stop = timed(REPETITIONS, || set.start().and_then(|()| set.stop().map(drop)))?;
    set.start()?;
    let read = timed(REPETITIONS, || set.read().map(drop))?;
    let accum = timed(REPETITIONS, || set.accum(&mut totals))?;
    let reset = timed(REPETITIONS, || set.reset().map(drop))?;
    set.stop()?;
    let events: Vec<Event> = set.list_events().to_vec();
    let create = timed(CREATIONS, || EventSet::create().add(&events))?;
    Ok(Costs {
        events: events.iter().map(Event::to_string).collect(),
        unit: "ticks",
        calls: vec![
            Cost::of("start + stop", &start_stop),
            Cost::of("read", &read),
            Cost::of("accum", &accum),
            Cost::of("reset", &reset),
            Cost::of("create + add + destroy", &create),
        ],
    })
}

pub(crate) fn print(format: Format) -> Result<(), Failure> {
    let costs = measure().map_err(Failure::could_not)?;
    if format == Format::Json {
        return json(&costs);
    }
    let mut page = Page::default();
    page.say(format_args!(
        "Cost of the calls of an event set, in ticks of {:.3} ns.",
        1e9 / clock::tick_rate().0
    ));
    page.line("Events", costs.events.join(", "));
    page.rule();
    page.say(format_args!(
        "{:<24}{:>10}{:>10}{:>10}{:>12}{:>14}",
        "call", "min", "median", "99 %", "max", "median (ns)"
    ));
    for c in &costs.calls {
        page.say(format_args!(
            "{:<24}{:>10.0}{:>10.0}{:>10.0}{:>12.0}{:>14.0}",
            c.call, c.min, c.median, c.p99, c.max, c.median_ns
        ));
    }
    page.print()
}
