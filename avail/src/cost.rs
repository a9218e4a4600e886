//! The cost of the calls that count, like papi_cost.

use common::clock;
use common::counters::{CounterError, Counting};
use common::events::Event;
use common::failure::Failure;
use common::stats;
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

/// Hardware events if they can be counted together, else the kernel's own, whose calls cost
/// nearly the same.
fn events() -> Result<Vec<Event>, CounterError> {
    let hardware = [Event::TOT_CYC, Event::TOT_INS];
    if Counting::of_thread(&hardware).definitions().iter().all(Result::is_ok) {
        return Ok(hardware.to_vec());
    }
    let own = ["task-clock", "page-faults"].into_iter().filter_map(|name| Event::parse(name).ok());
    let own: Vec<Event> = own.collect();
    let refused = Counting::of_thread(&own).definitions().iter().find_map(|found| found.clone().err());
    refused.map_or(Ok(own), Err)
}

fn measure() -> Result<Costs, CounterError> {
    let events = events()?;
    let mut counting = Counting::of_thread(&events);
    let start_stop = timed(REPETITIONS, || counting.start().and_then(|()| counting.stop().map(drop)))?;
    counting.start()?;
    let read = timed(REPETITIONS, || counting.read().map(drop))?;
    let reset = timed(REPETITIONS, || counting.reset().map(drop))?;
    counting.stop()?;
    let create = timed(CREATIONS, || {
        drop(Counting::of_thread(&events));
        Ok(())
    })?;
    Ok(Costs {
        events: events.iter().map(Event::to_string).collect(),
        unit: "ticks",
        calls: vec![
            Cost::of("start + stop", &start_stop),
            Cost::of("read", &read),
            Cost::of("read and reset", &reset),
            Cost::of("open + close", &create),
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
        "Cost of the calls of counters, in ticks of {:.3} ns.",
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
