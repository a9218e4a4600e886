//! Counting on played kernels.

mod families;
mod refusals;
mod samples;
mod simpler;

use super::played::{Described, Machine, Settings};
use crate::Counting;
use events::{Event, Preset};
use figures::value::Reading;

fn described(key: &str) -> Described {
    Described::keyed(key)
}

fn preset(name: &str) -> Event {
    Event::Preset(Preset::named(name).unwrap())
}

/// The readings of `events` while `body` runs.
fn count(events: &[Event], body: impl FnMut()) -> Vec<Reading> {
    count_in(events, &mut 0, body)
}

/// The same, and the number of runs.
fn count_in(events: &[Event], runs: &mut usize, mut body: impl FnMut()) -> Vec<Reading> {
    Counting::open(events).count(&mut || *runs += 1, &mut body).unwrap()
}

/// A machine on which each event happens a number of times of its own in a turn.
fn machine(described: &Described, settings: Settings) -> Machine {
    described.machine(settings, rate)
}

/// What [`machine`] counts in a turn of each config and config1: 1 to 1024, by Fibonacci hashing.
fn rate(code: u64, with: u64) -> u64 {
    ((code ^ with).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) + 1
}
