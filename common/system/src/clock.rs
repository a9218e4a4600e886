//! The clocks: wall-clock time, processor time, and the processor's own timer.

use std::sync::OnceLock;

use crate::os;
use figures::stats;
use figures::units::{Hertz, Seconds, Ticks};

/// Wall-clock time since some fixed moment (monotonic).
pub fn wall() -> Seconds {
    os::wall()
}

/// Processor time that this process has used, all threads, user and system.
pub fn process_cpu() -> Seconds {
    os::process_cpu()
}

/// Processor time that this thread has used, user and system.
pub fn thread_cpu() -> Seconds {
    os::thread_cpu()
}

/// The processor's timer, which has a fixed rate whatever the core's clock: the TSC on
/// x86-64 (`rdtsc`, with fences so that adjacent work stays on its side), `cntvct_el0` on
/// Arm, `time` on RISC-V, nanoseconds on others.
#[inline]
pub fn ticks() -> Ticks {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has these instructions.
    let now = unsafe {
        use std::arch::x86_64::{_mm_lfence, _rdtsc};
        _mm_lfence();
        let now = _rdtsc();
        _mm_lfence();
        now
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: Linux and macOS let user programs read the virtual counter.
    let now = unsafe {
        let now: u64;
        std::arch::asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) now, options(nostack));
        now
    };
    #[cfg(target_arch = "riscv64")]
    // SAFETY: Linux lets user programs read `time`; `rdcycle` it may refuse.
    let now = unsafe {
        let now: u64;
        std::arch::asm!("fence", "rdtime {}", out(reg) now, options(nostack));
        now
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
    let now = wall().nanos() as u64;
    Ticks(now)
}

/// The rate of [`ticks`], calibrated once against [`wall`] (about 20 ms): in many virtual
/// machines CPUID does not give it, or gives a wrong one.
pub fn tick_rate() -> Hertz {
    static RATE: OnceLock<Hertz> = OnceLock::new();
    *RATE.get_or_init(|| {
        let rates: Vec<f64> = (0..5).map(|_| calibrate(Seconds(0.004))).collect();
        Hertz(stats::median(&rates).unwrap_or(1e9))
    })
}

fn calibrate(window: Seconds) -> f64 {
    let (from, ticks_from) = (wall(), ticks());
    loop {
        let (now, ticks_now) = (wall(), ticks());
        let passed = now.0 - from.0;
        if passed >= window.0 {
            return ticks_now.0.saturating_sub(ticks_from.0) as f64 / passed;
        }
    }
}

/// The beginning of a measured region on both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    wall: Seconds,
    cpu: Seconds,
}

/// The time of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elapsed {
    /// Wall-clock time.
    pub wall: Seconds,
    /// Processor time of the process.
    pub cpu: Seconds,
}

impl Stopwatch {
    /// Starts now.
    #[inline]
    pub fn start() -> Stopwatch {
        Stopwatch { cpu: process_cpu(), wall: wall() }
    }

    /// The time since the start.
    #[inline]
    pub fn stop(self) -> Elapsed {
        let now = wall();
        Elapsed { wall: Seconds(now.0 - self.wall.0), cpu: Seconds(process_cpu().0 - self.cpu.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_run_forward_and_agree_on_the_order_of_things() {
        let (watch, from) = (Stopwatch::start(), ticks());
        let mut x = 1u64;
        while watch.stop().wall.0 < 0.02 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        let (took, to) = (watch.stop(), ticks());
        assert!(took.cpu.0 > 0.0 && to > from, "{took:?}");
        let by_ticks = tick_rate().duration(Ticks(to.0 - from.0));
        assert!((0.5..2.0).contains(&(by_ticks.0 / took.wall.0)), "{took:?} at {:?}", tick_rate());
    }

    #[test]
    fn a_thread_is_not_charged_for_what_others_compute() {
        let (process, own) = (process_cpu(), thread_cpu());
        let others = std::thread::spawn(|| {
            let from = thread_cpu();
            while thread_cpu().0 - from.0 < 0.03 {
                std::hint::black_box(from);
            }
        });
        others.join().unwrap();
        let (process, own) = (process_cpu().0 - process.0, thread_cpu().0 - own.0);
        assert!(process >= 0.03 && own < process - 0.02, "{process} s, of which {own} s in this thread");
    }
}
