//! How fast the core really runs now: tick counters keep their own pace, and
//! what the system reports is often the nominal clock.

use crate::clock;
use figures::stats;
use figures::units::Hertz;

/// Additions in the chain.
const CHAIN: u32 = 200_000;

/// The core's clock, from a chain of additions each of which needs the one
/// before: one cycle each on every core this kit meets. Takes about a
/// millisecond; the fastest of several chains counts, since an interruption can
/// only make one slower.
pub fn measure() -> Hertz {
    let rates: Vec<f64> = (0..15)
        .map(|_| {
            let from = clock::wall();
            chain(CHAIN / 8);
            f64::from(CHAIN) / (clock::wall().0 - from.0)
        })
        .collect();
    Hertz(stats::quantile(&rates, 1.0).unwrap_or(1e9))
}

/// `turns` times eight additions of one register to another; the loop's own
/// instructions run beside the chain.
#[inline(never)]
fn chain(turns: u32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: registers only.
    unsafe {
        std::arch::asm!(
            "2:",
            "add {x}, {y}", "add {x}, {y}", "add {x}, {y}", "add {x}, {y}",
            "add {x}, {y}", "add {x}, {y}", "add {x}, {y}", "add {x}, {y}",
            "dec {turns:e}", "jnz 2b",
            x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) turns => _,
            options(nomem, nostack)
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: registers only.
    unsafe {
        std::arch::asm!(
            "2:",
            "add {x}, {x}, {y}", "add {x}, {x}, {y}", "add {x}, {x}, {y}", "add {x}, {x}, {y}",
            "add {x}, {x}, {y}", "add {x}, {x}, {y}", "add {x}, {x}, {y}", "add {x}, {x}, {y}",
            "subs {turns:w}, {turns:w}, #1", "b.ne 2b",
            x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) turns => _,
            options(nomem, nostack)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let mut x = 1u64;
        for _ in 0..turns {
            for _ in 0..8 {
                x = std::hint::black_box(x).wrapping_add(3);
            }
        }
        std::hint::black_box(x);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_core_runs_at_a_plausible_pace() {
        let clock = super::measure().0;
        assert!((1e6..2e10).contains(&clock), "{clock}");
    }
}
