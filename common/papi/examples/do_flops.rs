//! The lecture's first program: count, read, accumulate, stop.
//!
//! `reset` gives the counts and sets them back to zero, `accum` adds them to what is in the
//! array: the second line shows about twice the first.

use std::hint::black_box;
use std::process::ExitCode;

use events::Event;
use papi::{CounterError, EventSet};

const FLOPS: u64 = 10_000;

fn do_flops(times: u64) {
    let mut sum = black_box(0.0);
    for _ in 0..times {
        sum += black_box(1.1) * black_box(1.01);
    }
    black_box(sum);
}

fn count() -> Result<(), CounterError> {
    let mut set = EventSet::create();
    set.add(&[Event::TOT_INS])?;
    set.start()?;
    do_flops(FLOPS);

    let mut values = set.reset()?;
    println!("After reading the counters:  {:.0}", values[0]);
    do_flops(FLOPS);

    set.accum(&mut values)?;
    println!("After adding the counters:   {:.0}", values[0]);
    do_flops(FLOPS);

    let values = set.stop()?;
    println!("After stopping the counters: {:.0}", values[0]);
    Ok(())
}

fn main() -> ExitCode {
    match count() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("do_flops: {error}");
            ExitCode::FAILURE
        }
    }
}
