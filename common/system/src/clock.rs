//! The clocks the course names: `clock_gettime`, `getrusage`, `gettimeofday`
//! and the processor's own tick counter, each in its own unit.

use std::sync::OnceLock;

use figures::stats;
use figures::units::{Hertz, Seconds, Ticks};

/// Time on the wall since some fixed moment (`CLOCK_MONOTONIC`): never set back.
pub fn wall() -> Seconds {
    posix(libc::CLOCK_MONOTONIC)
}

/// Processor time this process has used, all threads, user and system
/// (`CLOCK_PROCESS_CPUTIME_ID`).
pub fn process_cpu() -> Seconds {
    posix(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn posix(clock: libc::clockid_t) -> Seconds {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes the struct behind this valid pointer.
    let status = unsafe { libc::clock_gettime(clock, &mut time) };
    debug_assert_eq!(status, 0, "both clocks exist on every POSIX system");
    Seconds(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

/// Seconds since 1970 (`gettimeofday`, microsecond resolution). The date can be
/// set while a program runs: use [`wall`] to measure.
pub fn time_of_day() -> Seconds {
    let mut time = libc::timeval { tv_sec: 0, tv_usec: 0 };
    // SAFETY: the kernel writes the struct behind this valid pointer.
    unsafe { libc::gettimeofday(&mut time, std::ptr::null_mut()) };
    Seconds(time.tv_sec as f64 + time.tv_usec as f64 * 1e-6)
}

/// What the process has used so far, from `getrusage`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// Processor time in the program's own code.
    pub user: Seconds,
    /// Processor time in the kernel on its behalf.
    pub system: Seconds,
    /// Largest resident set so far, in KiB.
    pub max_resident_kib: u64,
    /// Pages brought in without reading a disk.
    pub minor_faults: u64,
    /// Times the process gave up the processor (waiting).
    pub voluntary_switches: u64,
    /// Times the processor was taken away from it: a disturbed measurement.
    pub involuntary_switches: u64,
}

/// What this process has used so far.
pub fn usage() -> Usage {
    // SAFETY: zero bytes are a valid `rusage`, which the kernel then fills.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut used);
        used
    };
    let seconds = |t: libc::timeval| Seconds(t.tv_sec as f64 + t.tv_usec as f64 * 1e-6);
    Usage {
        user: seconds(used.ru_utime),
        system: seconds(used.ru_stime),
        max_resident_kib: used.ru_maxrss as u64,
        minor_faults: used.ru_minflt as u64,
        voluntary_switches: used.ru_nvcsw as u64,
        involuntary_switches: used.ru_nivcsw as u64,
    }
}

/// The processor's tick counter now: the TSC on x86-64 (`rdtsc`, fenced so that
/// neighbouring work stays on its side), `cntvct_el0` on Arm, `time` on RISC-V,
/// elsewhere nanoseconds.
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
    // SAFETY: Linux lets user programs read the virtual counter.
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

/// How fast [`ticks`] run, calibrated once against [`wall`] (about 20 ms): what
/// CPUID says of it is missing or wrong in many virtual machines.
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
            return (ticks_now.0 - ticks_from.0) as f64 / passed;
        }
    }
}

/// Begin of a measured region on all three clocks at once.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    wall: Seconds,
    cpu: Seconds,
    ticks: Ticks,
}

/// What a region took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elapsed {
    /// Time on the wall.
    pub wall: Seconds,
    /// Processor time of the process.
    pub cpu: Seconds,
    /// Ticks of the processor's counter.
    pub ticks: Ticks,
}

impl Stopwatch {
    /// Starts now.
    #[inline]
    pub fn start() -> Stopwatch {
        Stopwatch { wall: wall(), cpu: process_cpu(), ticks: ticks() }
    }

    /// What has passed since.
    #[inline]
    pub fn stop(self) -> Elapsed {
        let now = ticks();
        Elapsed {
            ticks: Ticks(now.0.saturating_sub(self.ticks.0)),
            cpu: Seconds(process_cpu().0 - self.cpu.0),
            wall: Seconds(wall().0 - self.wall.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_run_forward_and_agree_on_the_order_of_things() {
        let watch = Stopwatch::start();
        let before = usage();
        let mut x = 1u64;
        while watch.stop().wall.0 < 0.02 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        let took = watch.stop();
        assert!(took.cpu.0 > 0.0 && took.ticks.0 > 0, "{took:?}");
        let by_ticks = tick_rate().duration(took.ticks);
        assert!((0.5..2.0).contains(&(by_ticks.0 / took.wall.0)), "{took:?} at {:?}", tick_rate());
        let after = usage();
        assert!(after.user.0 + after.system.0 >= before.user.0 + before.system.0);
        assert!(time_of_day().0 > 1.6e9, "later than September 2020");
    }
}
