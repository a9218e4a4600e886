//! The core's own clock, by instructions of known latency.

use crate::stats;
use crate::units::Hertz;

/// How fast the core runs now, where a dependent chain of multiplications
/// tells: 3 cycles each on every x86-64 core since Intel's Nehalem and AMD's
/// Zen (Fog, instruction tables). `None` on other architectures.
pub fn core_clock() -> Option<Hertz> {
    let rates: Vec<f64> =
        (0..9).filter_map(|_| multiplications().map(|(cycles, nanos)| cycles / nanos * 1e9)).collect();
    // an interrupt only makes it look slower
    stats::quantile(&rates, 0.9).map(Hertz)
}

/// Cycles and nanoseconds of a chain of multiplications.
#[cfg(target_arch = "x86_64")]
fn multiplications() -> Option<(f64, f64)> {
    use crate::clock;
    const ROUNDS: u64 = 4000;
    let from = clock::ticks();
    let (mut value, mut left) = (3u64, ROUNDS);
    // SAFETY: changes two registers only; touches no memory.
    unsafe {
        std::arch::asm!(
            "2:",
            "imul {v}, {v}", "imul {v}, {v}", "imul {v}, {v}", "imul {v}, {v}",
            "imul {v}, {v}", "imul {v}, {v}", "imul {v}, {v}", "imul {v}, {v}",
            "dec {n}",
            "jnz 2b",
            v = inout(reg) value,
            n = inout(reg) left,
            options(nomem, nostack)
        );
    }
    std::hint::black_box((value, left));
    let passed = crate::units::Ticks(clock::ticks().0.saturating_sub(from.0));
    Some((3.0 * 8.0 * ROUNDS as f64, clock::tick_rate().duration(passed).nanos()))
}

#[cfg(not(target_arch = "x86_64"))]
fn multiplications() -> Option<(f64, f64)> {
    None
}
