//! What it costs to create an event set, in cycles of the tick counter and in
//! microseconds: why one creates it before the loop and not in it.

use std::process::ExitCode;

use counters::CounterError;
use counters::papi::EventSet;
use events::Event;
use figures::stats;
use system::clock;

const TIMES: usize = 1000;

fn create() -> Result<(), CounterError> {
    let mut set = EventSet::create();
    // Where the hardware counts nothing, the kernel's own clock is an event too.
    if set.add(&Event::TOT_CYC).is_err()
        && let Ok(clock) = Event::parse("task-clock")
    {
        set.add(&clock)?;
    }
    set.destroy()
}

fn measure() -> Result<(), CounterError> {
    let mut ticks = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let before = clock::ticks();
        create()?;
        ticks.push((clock::ticks().0 - before.0) as f64);
    }
    let median = stats::median(&ticks).unwrap_or(f64::NAN);
    println!(
        "Creating an event set takes {median:.0} ticks, {:.3} microseconds (median of {TIMES})",
        median / clock::tick_rate().0 * 1e6
    );
    Ok(())
}

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("set_cost: {error}");
            ExitCode::FAILURE
        }
    }
}
