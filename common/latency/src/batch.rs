//! Timing a walk in batches: what an interrupt, another process or the
//! hypervisor took is in single batches, which are dropped and counted.

use std::sync::OnceLock;

use super::chain::Chain;
use figures::stats;
use figures::units::Seconds;
use system::{clock, cpu};

/// A batch shall last about this long: far above the clock's resolution, far
/// below the time slice of another process.
const BATCH: Seconds = Seconds(25e-6);

/// ... and in any case so many steps of the clock: one of them is then a hundredth.
const STEPS: f64 = 100.0;

/// Chains up to this round are timed in whole rounds: the fastest part of a
/// round would be that which hits.
const WHOLE: usize = 1 << 16;

/// Batches of whole rounds, at most: they are long.
const LONG_BATCHES: usize = 7;

/// A batch this much slower than an undisturbed one was disturbed itself.
const DISTURBED: f64 = 1.5;

/// How long to measure.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Batches to take, at least.
    pub batches: usize,
    /// Rounds through the whole chain to take, at least.
    pub rounds: f64,
    /// When to stop although there are fewer, once three batches are there.
    pub limit: Seconds,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { batches: 21, rounds: 2.0, limit: Seconds(0.05) }
    }
}

/// The time of one access.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed {
    /// Nanoseconds per access: the median of the batches kept.
    pub nanos: f64,
    /// The fastest batch.
    pub fastest: f64,
    /// Batches kept.
    pub kept: usize,
    /// Batches dropped: slow, or on another processor than they began.
    pub dropped: usize,
}

/// Times accesses of a chain that has been walked at least once.
pub fn time(chain: &mut Chain, effort: Effort) -> Timed {
    let round = chain.round();
    let began = clock::wall();
    // the first rounds bring the elements where they will stay
    let mut warm = 0;
    while warm < 2 * round && (warm < round || clock::wall().0 - began.0 < effort.limit.0 / 3.0) {
        warm += chain.walk(round.min(1 << 14));
    }
    let trial = clock::wall();
    let made = chain.walk(256);
    let each = ((clock::wall().0 - trial.0) / made as f64).max(1e-10);
    let batch = BATCH.0.max(STEPS * clock_step().0);
    let accesses = ((batch / each) as usize).clamp(256, 1 << 24);
    let (accesses, batches) = match round.min(WHOLE) {
        whole if whole > accesses => (whole, effort.batches.min(LONG_BATCHES)),
        _ => (accesses, effort.batches),
    };
    let wanted = (effort.rounds * round as f64) as usize;
    let rate = clock::tick_rate();
    let (mut nanos, mut moved, mut total) = (Vec::new(), 0, 0);
    let began = clock::wall();
    loop {
        let before = cpu::current();
        let from = clock::ticks();
        let made = chain.walk(accesses);
        let passed = clock::ticks().0.saturating_sub(from.0);
        if cpu::current() == before {
            nanos.push(rate.duration(figures::units::Ticks(passed)).nanos() / made as f64);
        } else {
            moved += 1;
        }
        total += made;
        let enough = nanos.len() >= batches && total >= wanted;
        if enough || (nanos.len() >= 3 && clock::wall().0 - began.0 > effort.limit.0) || moved > 1000 {
            break;
        }
    }
    summary(&nanos, moved)
}

/// The least time that the clock shows: some tell only 100 us.
fn clock_step() -> Seconds {
    static STEP: OnceLock<Seconds> = OnceLock::new();
    *STEP.get_or_init(|| {
        let steps = (0..5).map(|_| {
            let from = clock::wall().0;
            (0..1 << 20).map(|_| clock::wall().0 - from).find(|passed| *passed > 0.0).unwrap_or(BATCH.0)
        });
        Seconds(steps.fold(f64::INFINITY, f64::min))
    })
}

fn summary(nanos: &[f64], moved: usize) -> Timed {
    // More than half of the batches may be disturbed, seldom seven in ten.
    let undisturbed = stats::quantile(nanos, 0.3).unwrap_or(f64::NAN);
    let kept: Vec<f64> = nanos.iter().copied().filter(|t| *t <= DISTURBED * undisturbed).collect();
    Timed {
        nanos: stats::median(&kept).unwrap_or(f64::NAN),
        fastest: stats::quantile(&kept, 0.0).unwrap_or(f64::NAN),
        kept: kept.len(),
        dropped: moved + nanos.len() - kept.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_batches_are_dropped_and_counted() {
        let timed = summary(&[1.0, 1.1, 1.0, 9.0, 1.05, 50.0], 2);
        assert_eq!((timed.kept, timed.dropped), (4, 4));
        assert!((timed.nanos - 1.025).abs() < 1e-9 && timed.fastest == 1.0);
    }
}
