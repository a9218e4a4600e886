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
#[cfg(unix)]
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

/// The rate of [`ticks`], calibrated once against [`wall`] (about 20 ms, or five steps of a coarser
/// clock): in many virtual machines CPUID does not give it, or gives a wrong one.
pub fn tick_rate() -> Hertz {
    static RATE: OnceLock<Hertz> = OnceLock::new();
    *RATE.get_or_init(|| {
        let rates: Vec<f64> = (0..5).map(|_| calibrate(Seconds(0.004))).collect();
        Hertz(stats::median(&rates).unwrap_or(1e9))
    })
}

fn calibrate(window: Seconds) -> f64 {
    let edge = |before: f64| std::iter::repeat_with(|| (wall().0, ticks().0)).find(|(now, _)| *now > before);
    let start = wall().0;
    let Some((from, ticks_from)) = edge(start) else { return 1e9 };
    let Some((to, ticks_to)) = edge(from + window.0) else { return 1e9 };
    ticks_to.saturating_sub(ticks_from) as f64 / (to - from)
}

/// The time since some fixed moment by the processor's timer, which is finer than some systems'
/// [`wall`].
#[inline]
pub fn fine() -> Seconds {
    tick_rate().duration(ticks())
}

/// The step of [`fine`].
pub fn fine_step() -> Seconds {
    static STEP: OnceLock<Seconds> = OnceLock::new();
    *STEP.get_or_init(|| step_of(fine))
}

/// The step of the clocks of a [`Stopwatch`]: nanoseconds, or 1 to 16 ms in some virtual machines, on
/// Windows and on some boards.
pub fn step() -> Seconds {
    static STEP: OnceLock<Seconds> = OnceLock::new();
    *STEP.get_or_init(|| Seconds(step_of(wall).0.max(step_of(process_cpu).0)))
}

/// The smallest of some steps: a disturbance makes one longer.
fn step_of(clock: fn() -> Seconds) -> Seconds {
    let next = |before: f64| std::iter::repeat_with(|| clock().0).find(|now| *now > before).unwrap_or(before);
    let mut now = next(clock().0);
    let steps = (0..8).map(|_| {
        let before = now;
        now = next(before);
        now - before
    });
    Seconds(steps.fold(f64::INFINITY, f64::min))
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
    /// The share of the clocks' step in both.
    pub step: Seconds,
}

/// A sum of times has at least so many steps of the clock.
const STEPS: f64 = 100.0;
/// Time for short regions to be run again, in seconds.
const REPEATING_S: f64 = 3.0;

/// The mean time of `body`, with `prepare` before each run of it.
/// Fails if `body` does.
pub fn time<E>(mut prepare: impl FnMut(), mut body: impl FnMut() -> Result<(), E>) -> Result<Elapsed, E> {
    repeated(|| {
        prepare();
        let watch = Stopwatch::start();
        body()?;
        Ok(watch.stop())
    })
}

/// The mean time of the region that `once` runs and times: again, until the sum is a hundred steps of
/// the clock, or there is no time for that.
/// Fails if `once` does.
pub fn repeated<E>(once: impl FnMut() -> Result<Elapsed, E>) -> Result<Elapsed, E> {
    let began = wall().0;
    mean(step(), || wall().0 - began < REPEATING_S, once)
}

fn mean<E>(
    step: Seconds,
    has_time: impl Fn() -> bool,
    mut once: impl FnMut() -> Result<Elapsed, E>,
) -> Result<Elapsed, E> {
    let (mut wall, mut cpu, mut runs) = (0.0, 0.0, 0.0);
    while runs == 0.0 || f64::min(wall, cpu) < STEPS * step.0 && has_time() {
        let one = once()?;
        (wall, cpu, runs) = (wall + one.wall.0, cpu + one.cpu.0, runs + 1.0);
    }
    Ok(Elapsed { wall: Seconds(wall / runs), cpu: Seconds(cpu / runs), step: Seconds(step.0 / runs) })
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
        let cpu = Seconds(process_cpu().0 - self.cpu.0);
        Elapsed { wall: Seconds(now.0 - self.wall.0), cpu, step: step() }
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

    /// A region of 0.3 ms, which begins at any moment, on a clock with steps of 1 ms and of 15.6 ms.
    #[test]
    fn a_region_below_a_step_is_repeated_until_its_time_is_known() {
        for step in [1e-3, 15.6e-3] {
            let shown = |now: f64| (now / step).floor() * step;
            let (now, mut runs) = (std::cell::Cell::new(0.0), 0);
            let mut once = || {
                now.set(now.get() + 0.37 * step);
                let from = now.replace(now.get() + 0.3e-3);
                runs += 1;
                let took = Seconds(shown(now.get()) - shown(from));
                Ok::<_, ()>(Elapsed { wall: took, cpu: took, step: Seconds(step) })
            };
            let took = mean(Seconds(step), || true, &mut once).unwrap();
            assert!((took.wall.0 / 0.3e-3 - 1.0).abs() < 0.03, "{took:?} with steps of {step} s");
            let short = mean(Seconds(step), || false, &mut once).unwrap();
            assert_eq!(short.step, Seconds(step), "one run has the error of a whole step");
            assert!(runs > 100);
        }
        assert!((1e-10..1e-3).contains(&fine_step().0) && step().0 < 0.1, "{:?} {:?}", fine_step(), step());
    }
}
