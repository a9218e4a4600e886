//! The present frequency of the core: timers have a fixed rate of their own, and the system
//! often reports the nominal frequency.

use crate::clock;
use figures::stats;
use figures::units::Hertz;

/// Additions in the chain.
const CHAIN: u32 = 200_704;
/// Additions in an iteration of the loop, whose own two instructions then hardly matter,
/// even on a core that does not run them in parallel with the chain.
const TURN: u32 = 64;

/// The core's frequency, from a chain of dependent additions: one cycle each on every usual
/// core (of two registers, because recent Intel cores add small constants during register
/// renaming). Takes about a millisecond; the fastest of several chains counts, because
/// interrupts only make one slower.
pub fn measure() -> Hertz {
    let rates: Vec<f64> = (0..15)
        .map(|_| {
            let from = clock::fine();
            let cycles = wait(CHAIN);
            f64::from(cycles) / (clock::fine().0 - from.0)
        })
        .collect();
    Hertz(stats::quantile(&rates, 1.0).unwrap_or(1e9))
}

/// Runs a busy loop for about this many cycles of its own clock without memory accesses;
/// returns the number of cycles.
#[inline]
pub fn wait(cycles: u32) -> u32 {
    let turns = cycles.div_ceil(TURN).max(1);
    chain(turns);
    turns * TURN
}

/// The loop of [`chain`] in a processor's own instructions: an addition, and the lines that count down
/// and branch.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
macro_rules! iterations {
    ($turns:expr, $add:literal, $down:literal, $branch:literal) => {
        // SAFETY: registers only.
        unsafe {
            std::arch::asm!(
                "2:", ".rept {turn}", $add, ".endr", $down, $branch,
                x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) u64::from($turns) => _,
                turn = const TURN, options(nomem, nostack)
            );
        }
    };
}

/// `turns` times [`TURN`] additions of one register to another.
#[inline(never)]
fn chain(turns: u32) {
    #[cfg(target_arch = "x86_64")]
    iterations!(turns, "add {x}, {y}", "dec {turns}", "jnz 2b");
    #[cfg(target_arch = "aarch64")]
    iterations!(turns, "add {x}, {x}, {y}", "subs {turns}, {turns}, #1", "b.ne 2b");
    #[cfg(target_arch = "riscv64")]
    iterations!(turns, "add {x}, {x}, {y}", "addi {turns}, {turns}, -1", "bnez {turns}, 2b");
    // For other processors, the compiler's instructions: about a cycle each.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
    {
        let mut x = u64::from(turns);
        for step in 0..u64::from(turns * TURN / 2) {
            x = (x ^ step).wrapping_add(step);
        }
        std::hint::black_box(x);
    }
}
