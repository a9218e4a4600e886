//! Times a chain in batches: interrupts, other processes and the hypervisor disturb single
//! batches, which are dropped and counted.

use std::sync::OnceLock;

use super::chain::Chain;
use figures::stats;
use figures::units::{Hertz, Seconds, Ticks};
use system::{clock, core_clock, cpu};

/// Duration of a batch: far above the clock's resolution, and short enough to fit between
/// two frequent interrupts.
const BATCH: Seconds = Seconds(10e-6);

/// Fewest steps of the clock in a batch: one step is then a hundredth of its time.
const STEPS: f64 = 100.0;

/// Core cycles that are timed before and after each batch to measure the core's clock.
const BEAT: u32 = 8_192;
/// Most repetitions of these cycles, until one is as fast as the fastest before: an interrupt
/// only makes them slower.
const BEATS: usize = 3;

/// Shortest loop of these cycles, in steps of the timer, that can show the core's clock.
const BEAT_STEPS: f64 = 50.0;

/// Largest accepted difference of the core's clock before and after a batch.
const STEADY: f64 = 0.03;

/// Short runs before the batches, to estimate the time of an access.
const TRIALS: usize = 3;

/// Chains up to this length are timed in whole rounds: otherwise the fastest part of a
/// round would be the part that hits.
const WHOLE: usize = 1 << 16;

/// Fewest batches of long rounds.
const LONG_BATCHES: usize = 7;

/// Number of short batches that must be as fast as the fastest: an undisturbed time recurs.
const CONFIRMING: usize = 3;
/// Most batches, as a multiple of those asked for, until the fastest time recurs: times that
/// vary from round to round never do.
const MOST_BATCHES: usize = 5;

/// A batch that is slower than an undisturbed one by this factor was disturbed.
const DISTURBED: f64 = 1.5;

/// If a core seems to run at less than this share of its first clock, it is being
/// interrupted all the time.
const SLOWEST: f64 = 0.75;

/// Accesses up to so many cycles are by private caches, which the core's clock drives; the
/// levels below have a clock of their own.
const OWN_CYCLES: f64 = 20.0;

/// How long to measure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Fewest batches.
    pub batches: usize,
    /// Fewest rounds through the whole chain.
    pub rounds: f64,
    /// When to stop with fewer, but at least three batches.
    pub limit: Seconds,
}

/// The effort for a single measurement.
pub(super) const ONCE: Effort = Effort { batches: 41, rounds: 2.0, limit: Seconds(0.05) };

/// The time of one access.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Timed {
    /// Nanoseconds per access in real time: the median of the batches used.
    pub nanos: f64,
    /// `nanos` scaled to the [`reference_clock`]: a core whose clock slows down must not
    /// look like misses.
    pub typical: f64,
    /// The fastest batch, scaled to the reference clock too.
    pub fastest: f64,
    /// Batches used.
    pub kept: usize,
    /// Batches dropped: slow, or moved to another processor.
    pub dropped: usize,
}

/// Times accesses of a chain after at least one round.
pub(super) fn time(chain: &mut Chain, effort: Effort) -> Timed {
    let round = chain.round();
    let began = clock::wall();
    // the first rounds fill the caches
    let mut warm = 0;
    while warm < 2 * round && (warm < round || clock::wall().0 - began.0 < effort.limit.0 / 3.0) {
        warm += chain.walk(round.min(1 << 14));
    }
    let trials = (0..TRIALS).map(|_| {
        let from = clock::fine();
        let made = chain.walk(256);
        (clock::fine().0 - from.0) / made as f64
    });
    let each = trials.fold(f64::INFINITY, f64::min).max(1e-10);
    let batch = BATCH.0.max(STEPS * clock::fine_step().0);
    let accesses = ((batch / each) as usize).clamp(256, 1 << 24);
    let (accesses, batches, short) = match round.min(WHOLE) {
        whole if whole > accesses => (whole, (effort.batches * accesses / whole).max(LONG_BATCHES), false),
        _ => (accesses, effort.batches, true),
    };
    let wanted = (effort.rounds * round as f64) as usize;
    let rate = clock::tick_rate();
    let (mut kept, mut moved, mut total) = (Vec::new(), 0, 0);
    let began = clock::wall();
    let mut before = Pace::now(rate, Pace(None));
    let mut fastest = before;
    loop {
        let processor = cpu::current();
        let from = clock::ticks();
        let made = chain.walk(accesses);
        let passed = rate.duration(Ticks(clock::ticks().0.saturating_sub(from.0)));
        let after = Pace::now(rate, fastest);
        fastest = if after.0 > fastest.0 { after } else { fastest };
        if cpu::current() == processor {
            let nanos = passed.nanos() / made as f64;
            let of_core = nanos.min(OWN_CYCLES * 1e9 / reference_clock().0);
            kept.push(Batch { nanos, at_reference: nanos - of_core * (1.0 - Pace::between(before, after)) });
        } else {
            moved += 1;
        }
        before = after;
        total += made;
        let enough = kept.len() >= batches
            && total >= wanted
            && (!short || confirmed(&kept) || kept.len() >= MOST_BATCHES * batches);
        if enough || (kept.len() >= 3 && clock::wall().0 - began.0 > effort.limit.0) || moved > 1000 {
            break;
        }
    }
    summary(&kept, moved)
}

/// Whether enough batches are as fast as the fastest.
fn confirmed(batches: &[Batch]) -> bool {
    let fastest = batches.iter().map(|batch| batch.at_reference).fold(f64::INFINITY, f64::min);
    let as_fast = |batch: &&Batch| batch.at_reference <= (1.0 + STEADY) * fastest;
    batches.iter().filter(as_fast).count() >= CONFIRMING
}

/// A time: real, and scaled to the core's reference clock.
#[derive(Debug, Clone, Copy)]
struct Batch {
    nanos: f64,
    at_reference: f64,
}

/// The core's clock at one moment.
#[derive(Debug, Clone, Copy)]
struct Pace(Option<Hertz>);

impl Pace {
    /// Times a loop of a few microseconds, again if it is slower than the `fastest` so far;
    /// not at all if the timer is too coarse.
    fn now(rate: Hertz, fastest: Pace) -> Pace {
        if f64::from(BEAT) / reference_clock().0 < BEAT_STEPS * clock::fine_step().0 {
            return Pace(None);
        }
        let wanted = fastest.0.map_or(f64::INFINITY, |fastest| (1.0 - STEADY) * fastest.0);
        let mut seen: f64 = 0.0;
        for _ in 0..BEATS {
            let from = clock::ticks();
            let cycles = core_clock::wait(BEAT);
            let passed = rate.duration(Ticks(clock::ticks().0.saturating_sub(from.0)));
            seen = seen.max(f64::from(cycles) / passed.0);
            if seen >= wanted {
                break;
            }
        }
        Pace(Some(Hertz(seen)))
    }

    /// The core's clock between two moments as a share of the [`reference_clock`]; 1 if
    /// they differ, since then one was interrupted or the clock has changed.
    fn between(from: Pace, to: Pace) -> f64 {
        let (Some(from), Some(to)) = (from.0, to.0) else { return 1.0 };
        let share = (from.0 + to.0) / 2.0 / reference_clock().0;
        if (from.0 / to.0 - 1.0).abs() < STEADY && share > SLOWEST { share } else { 1.0 }
    }
}

/// The core's clock when it was first measured: times are scaled to it.
fn reference_clock() -> Hertz {
    static REFERENCE: OnceLock<Hertz> = OnceLock::new();
    *REFERENCE.get_or_init(core_clock::measure)
}

fn summary(batches: &[Batch], moved: usize) -> Timed {
    // More than half of the batches may be disturbed, rarely seven in ten.
    let times: Vec<f64> = batches.iter().map(|batch| batch.nanos).collect();
    let undisturbed = stats::quantile(&times, 0.3).unwrap_or(f64::NAN);
    let kept = || batches.iter().filter(|batch| batch.nanos <= DISTURBED * undisturbed);
    let (nanos, at_reference): (Vec<f64>, Vec<f64>) = kept().map(|b| (b.nanos, b.at_reference)).unzip();
    Timed {
        nanos: stats::median(&nanos).unwrap_or(f64::NAN),
        typical: stats::median(&at_reference).unwrap_or(f64::NAN),
        fastest: at_reference.into_iter().fold(f64::NAN, f64::min),
        kept: nanos.len(),
        dropped: moved + batches.len() - nanos.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_batches_are_dropped_and_counted() {
        let batches = [1.0, 1.1, 1.0, 9.0, 1.05, 50.0].map(|nanos| Batch { nanos, at_reference: nanos });
        let timed = summary(&batches, 2);
        assert_eq!((timed.kept, timed.dropped), (4, 4));
        assert!((timed.nanos - 1.025).abs() < 1e-9 && timed.fastest == 1.0);
    }

    #[test]
    fn a_core_that_clocks_down_is_distinguished_from_misses() {
        let pace = |share: f64| Pace(Some(Hertz(share * reference_clock().0)));
        assert!((Pace::between(pace(0.8), pace(0.81)) - 0.805).abs() < 1e-9);
        // interrupted, changed, or unknown: real time
        assert_eq!(Pace::between(pace(0.8), pace(1.0)), 1.0);
        assert_eq!(Pace::between(pace(0.8), Pace(None)), 1.0);
        assert_eq!(Pace::between(pace(0.5), pace(0.5)), 1.0);
    }
}
