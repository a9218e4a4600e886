//! The one processor that a measurement stays on, and its clock.

use std::time::Duration;

use crate::failure::Failure;
use counters::Platform;
use system::{clock, cpu};

/// Whether the thread now stays on one processor: the one given as an option, else the
/// present one or, where cores differ, one whose events can be counted.
pub(super) fn pin(wanted: Option<usize>, allowed: &[usize]) -> Result<bool, Failure> {
    match wanted.or_else(|| home(cpu::current()?, Platform::host().counted_on(), allowed)) {
        Some(cpu) if allowed.contains(&cpu) => Ok(cpu::pin(&[cpu])),
        Some(cpu) if wanted.is_some() => Err(Failure::usage(format!(
            "--cpu {cpu} is not available to this process; it may run on {allowed:?}"
        ))),
        _ => Ok(false),
    }
}

fn home(current: usize, counted_on: Option<Vec<usize>>, allowed: &[usize]) -> Option<usize> {
    let Some(good) = counted_on.filter(|good| !good.contains(&current)) else { return Some(current) };
    allowed.iter().copied().find(|cpu| good.contains(cpu)).or(Some(current))
}

/// Runs a busy loop, so that the core's clock is up to speed when the first run starts.
pub(super) fn warm_up(time: Duration) {
    let from = clock::wall();
    let mut x = 1u64;
    while clock::wall().0 - from.0 < time.as_secs_f64() {
        for _ in 0..100_000 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1);
        }
        std::hint::black_box(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_cores_differ_a_program_goes_to_those_that_count() {
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(home(5, None, &all), Some(5));
        assert_eq!(home(5, Some(vec![0, 1, 2, 3]), &all), Some(0));
        assert_eq!(home(2, Some(vec![0, 1, 2, 3]), &all), Some(2));
        // If only efficiency cores are allowed, one of them is used.
        assert_eq!(home(5, Some(vec![0, 1]), &[4, 5]), Some(5));
    }
}
