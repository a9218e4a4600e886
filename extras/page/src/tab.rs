//! This computer, as a browser tab can measure it: linear memory, and a coarse clock.

use std::hint::black_box;

use figures::stats;
use figures::units::Bytes;
use geometry::{Probe, shuffled};
use memory::Arena;

/// A batch of accesses takes so many steps of the clock, so that one step is 4 % of it; and
/// at least so many milliseconds, far more than a call costs.
const STEPS: f64 = 25.0;
const SHORTEST: f64 = 1.0;
/// A batch counts if it took this share of its duration.
const ENOUGH: f64 = 0.7;
/// The coarsest clock, in milliseconds per step, with which a measurement takes seconds,
/// and the coarsest with which it takes minutes.
const QUICK: f64 = 0.25;
const SLOW: f64 = 2.0;
/// Other programs can only make a batch slower: batches are repeated until so many of the
/// fastest agree, but at most so many times.
const AGREEING: usize = 3;
const MOST: usize = 24;
/// Steps of a batch, and batches that must agree, for a clock with steps of milliseconds: Firefox draws the place of
/// each step at random, within a step.
const STEPS_OF_COARSE: f64 = 12.0;
const AGREEING_OF_COARSE: usize = 4;
/// Accesses between two readings of such a clock: a small part of a step, and far more than a reading costs.
const PART_OF_STEP: usize = 4096;
/// Such a batch ends after so many times its duration: an undisturbed one takes one, one that shares its processor
/// with ten programs takes about 20.
const LONGEST: f64 = 40.0;
/// Batches agree if the slowest of them takes at most this much longer, plus one step.
const AGREE: f64 = 0.02;
/// Largest share of costs whose batches never agreed.
const UNSTEADY: f64 = 0.2;
/// Bytes within which physical memory is certainly contiguous: a browser does not report
/// the size of its pages.
const PAGE: u64 = 4096;

/// What a tab provides: a clock in milliseconds, and a callback that shows how many costs
/// are measured.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// `performance.now()`.
    pub now: extern "C" fn() -> f64,
    /// Called with the number of costs measured.
    pub progress: extern "C" fn(u32),
    /// Called with the bytes of a working set and the nanoseconds per access.
    pub point: extern "C" fn(f64, f64),
}

impl Clock {
    /// Reads the clock for about 20 of its steps: the usual step in milliseconds, from one
    /// reading to the next different one, and whether it ever went backwards.
    fn steadiness(&self) -> (f64, bool) {
        let began = (self.now)();
        let (mut last, mut steps, mut backwards) = (began, Vec::new(), false);
        for _ in 0..50_000_000 {
            let now = (self.now)();
            backwards |= now < last;
            if now > last {
                steps.push(now - last);
            }
            last = now;
            if steps.len() >= 20 && now - began > 5.0 || now - began > 2000.0 {
                break;
            }
        }
        (stats::median(&steps).unwrap_or(f64::INFINITY), backwards)
    }
}

/// The measured memory, and the clock.
#[derive(Debug)]
pub(crate) struct Tab {
    arena: Arena,
    clock: Clock,
    /// The step of the clock, and the duration of a batch of accesses, in milliseconds.
    pub(crate) step: f64,
    pub(crate) batch: f64,
    agreeing: usize,
    costs: u32,
    /// Costs whose batches did not agree.
    unsteady: u32,
}

impl Tab {
    /// Memory for working sets up to `bytes` bytes.
    pub(crate) fn new(bytes: usize, clock: Clock) -> Result<Tab, String> {
        let arena = Arena::with_capacity(bytes).map_err(|_| {
            format!(
                "the browser gives this page no {}: close other tabs, or measure smaller arrays",
                Bytes(bytes as u64)
            )
        })?;
        Ok(Tab { arena, clock, step: 0.0, batch: 0.0, agreeing: AGREEING, costs: 0, unsteady: 0 })
    }

    /// Bytes of the memory.
    pub(crate) fn bytes(&self) -> usize {
        self.arena.capacity()
    }

    /// The time in milliseconds.
    pub(crate) fn now(&self) -> f64 {
        (self.clock.now)()
    }

    /// Makes the memory ready for measurements: checks the clock and, by repeating one
    /// chain, the machine.
    pub(crate) fn ready(mut self) -> Result<Tab, String> {
        let (step_ms, backwards) = self.clock.steadiness();
        if backwards {
            return Err("this browser's clock goes backwards at times: noise is added to it, against fingerprinting. \
                        It cannot measure times of a few nanoseconds; try another browser, or the programs."
                .to_owned());
        }
        if step_ms > SLOW {
            return Err(format!(
                "this browser's clock moves in steps of {step_ms:.2} ms: too coarse to time single accesses. Try \
                 another browser, or the programs."
            ));
        }
        self.step = step_ms;
        (self.batch, self.agreeing) = match step_ms > QUICK {
            true => (STEPS_OF_COARSE * step_ms, AGREEING_OF_COARSE),
            false => ((STEPS * step_ms).max(SHORTEST), AGREEING),
        };
        self.is_steady()?;
        Ok(self)
    }

    /// Refuses if the same chain takes a different time each time, in three attempts.
    fn is_steady(&mut self) -> Result<(), String> {
        let offsets = shuffled(16, |i| i * 64);
        self.batches(&offsets); // the compiler's second thoughts
        (self.costs, self.unsteady) = (0, 0);
        let mut times = Vec::new();
        for _ in 0..3 {
            times = self.batches(&offsets);
            if self.agreed(&times) {
                return Ok(());
            }
        }
        Err(format!(
            "the same 16 loads took {:.2} ns each, then {:.2} ns: this clock, or this computer at the moment, is \
             not steady enough. Close other programs and tabs, plug the charger in, try again.",
            times[0],
            times[self.agreeing - 1]
        ))
    }

    /// Refuses results if other programs disturbed too many of them.
    pub(crate) fn was_steady(&self) -> Result<(), String> {
        if f64::from(self.unsteady) <= UNSTEADY * f64::from(self.costs) {
            return Ok(());
        }
        Err(format!(
            "{} of {} working sets did not take the same time twice: other programs run, or the clock is not \
             trusted. Close other programs and tabs, plug the charger in, try again.",
            self.unsteady, self.costs
        ))
    }

    /// Whether the fastest of these sorted times agree.
    fn agreed(&self, times: &[f64]) -> bool {
        times.len() >= self.agreeing
            && times[self.agreeing - 1] <= times[0] * (1.0 + AGREE + self.step / self.batch)
    }

    /// Nanoseconds per access of batches over these offsets, the fastest first.
    fn batches(&mut self, offsets: &[u64]) -> Vec<f64> {
        let mut chain = Chain::new(&self.arena, offsets);
        chain.walk(2 * offsets.len().min(1 << 16)); // fills the caches
        let (mut times, mut accesses) = (Vec::new(), 1024);
        while times.len() < MOST && !self.agreed(&times) {
            times.push(match self.step > QUICK {
                true => self.uninterrupted(|| chain.walk(PART_OF_STEP)),
                false => self.batch_of(&mut accesses, |accesses| chain.walk(accesses)),
            });
            times.sort_by(f64::total_cmp);
        }
        times
    }

    /// Nanoseconds per access of a batch; `accesses` becomes so many that a batch takes long enough: of a short one
    /// the clock's step is a large part, and its time may be too small. A number that was found while another program
    /// ran is too small.
    fn batch_of(&self, accesses: &mut usize, mut walk: impl FnMut(usize) -> usize) -> f64 {
        loop {
            let began = self.edge();
            let made = walk(*accesses);
            let took = self.now() - began;
            if took > ENOUGH * self.batch || *accesses >= 1 << 28 {
                return (took + self.step / 2.0) * 1e6 / made as f64;
            }
            *accesses = (*accesses as f64 * (self.batch / took.max(self.step)).clamp(2.0, 8.0)) as usize;
        }
    }

    /// Nanoseconds per access over the steps of a coarse clock in which no other program ran: there the clock moves by
    /// one step at a time. Where it jumps, all from the step before to the one after the jump is left out.
    fn uninterrupted(&self, mut walk: impl FnMut() -> usize) -> f64 {
        let began = self.now();
        let (mut last, mut is_whole) = (began, false);
        // of whole steps; accesses since the last step; and all of them
        let (mut time, mut accesses, mut since, mut all) = (0.0, 0, 0, 0);
        loop {
            let made = walk();
            (since, all) = (since + made, all + made);
            let now = self.now();
            if now == last {
                continue;
            }
            let is_one = now - last < 1.5 * self.step;
            if is_one && is_whole {
                (time, accesses) = (time + (now - last), accesses + since);
            }
            // after a jump the clock is somewhere between two steps
            (last, since, is_whole) = (now, 0, is_one);
            let is_late = now - began > LONGEST * self.batch;
            if is_late && accesses == 0 {
                (time, accesses) = (now - began, all); // disturbed
            }
            if is_late || time >= self.batch {
                return time * 1e6 / accesses as f64;
            }
        }
    }

    /// Waits for the clock's next step; returns its time.
    fn edge(&self) -> f64 {
        let before = self.now();
        loop {
            let now = self.now();
            if now != before {
                return now;
            }
        }
    }

    /// Nanoseconds per access: other programs on the same processor or caches can only add
    /// to them, so the fastest batches that agree are the truth.
    pub(crate) fn time(&mut self, offsets: &[u64]) -> f64 {
        let times = self.batches(offsets);
        self.costs += 1;
        self.unsteady += u32::from(!self.agreed(&times));
        (self.clock.progress)(self.costs);
        let fastest = &times[..self.agreeing.min(times.len())];
        fastest.iter().sum::<f64>() / fastest.len() as f64
    }
}

impl Probe for Tab {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        self.time(offsets)
    }

    fn reach(&self) -> u64 {
        self.bytes() as u64
    }

    fn contiguous(&self) -> u64 {
        PAGE
    }

    fn point(&mut self, size: u64, nanos: f64) {
        (self.clock.point)(size as f64, nanos);
    }
}

/// Size of an address in bytes: 4 in WebAssembly.
pub(crate) const WORD: usize = size_of::<usize>();

/// Dependent accesses: every word of a closed chain in an arena contains the address of the
/// next, so no load can start before the last has ended.
#[derive(Debug)]
struct Chain<'a> {
    _arena: &'a Arena,
    at: usize,
}

impl<'a> Chain<'a> {
    /// Links the words at these byte offsets in this order, the last to the first. Offsets
    /// that are not words of the arena are ignored.
    fn new(arena: &'a Arena, offsets: &[u64]) -> Chain<'a> {
        let base = std::ptr::with_exposed_provenance_mut::<u8>(arena.origin());
        let inside = |offset: &usize| offset.is_multiple_of(WORD) && offset + WORD <= arena.capacity();
        let words: Vec<usize> = offsets.iter().map(|offset| *offset as usize).filter(inside).collect();
        let next = words.iter().cycle().skip(1);
        for (&word, &next) in words.iter().zip(next) {
            // SAFETY: an aligned word of the arena (`inside`), none of whose
            // bytes is handed out as an array.
            unsafe { base.add(word).cast::<usize>().write(arena.origin() + next) };
        }
        Chain { _arena: arena, at: words.first().map_or(0, |word| arena.origin() + word) }
    }

    /// Makes at least `accesses` accesses from where the last walk stopped;
    /// returns how many were made.
    #[inline(never)]
    fn walk(&mut self, accesses: usize) -> usize {
        if self.at == 0 {
            return 1;
        }
        let turns = accesses.div_ceil(16).max(1);
        let mut at = self.at;
        for _ in 0..turns {
            for _ in 0..16 {
                // SAFETY: the address of a linked word of the arena, which
                // outlives the chain.
                at = unsafe { std::ptr::with_exposed_provenance::<usize>(at).read_volatile() };
            }
        }
        self.at = black_box(at);
        16 * turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_comes_round_to_where_it_began() {
        let arena = Arena::with_capacity(4096).unwrap();
        let mut chain = Chain::new(&arena, &[0, 64, 24, 4088, 4096, 3]);
        assert_eq!(chain.at, arena.origin());
        let places: Vec<usize> = (0..4)
            .map(|_| {
                chain.walk(16);
                chain.at - arena.origin()
            })
            .collect();
        assert_eq!(places, [0, 0, 0, 0], "16 accesses are four rounds of four words");
        assert_eq!(Chain::new(&arena, &[]).walk(8), 1);
    }

    /// A clock with steps of 1 ms; each reading takes 0.1 ms, and every fiftieth one another program's 7 ms too.
    extern "C" fn shared() -> f64 {
        thread_local! { static READINGS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) }; }
        let readings = READINGS.get() + 1;
        READINGS.set(readings);
        ((readings + readings / 50 * 70) / 10) as f64
    }

    /// Another program runs during the fourth walk: too few accesses then fill a batch, and no later one.
    #[test]
    fn a_disturbed_batch_makes_no_time_too_short() {
        thread_local! { static TIME: std::cell::Cell<f64> = const { std::cell::Cell::new(0.0) }; }
        extern "C" fn now() -> f64 {
            TIME.set(TIME.get() + 1e-3);
            (TIME.get() * 10.0).floor() / 10.0
        }
        let mut tab = Tab::new(4096, Clock { now, progress, point }).unwrap();
        (tab.step, tab.batch) = (0.1, 2.5);
        let (mut walks, mut accesses) = (0, 1024);
        let times = [(); 5].map(|()| {
            tab.batch_of(&mut accesses, |made| {
                walks += 1;
                TIME.set(TIME.get() + made as f64 * 1e-6 + if walks == 4 { 12.0 } else { 0.0 });
                made
            })
        });
        assert!(times[0] > 5.0 && times[1..].iter().all(|nanos| (nanos - 1.0).abs() < 0.1), "{times:?}");
    }

    extern "C" fn progress(_: u32) {}
    extern "C" fn point(_: f64, _: f64) {}

    #[test]
    fn a_jump_of_a_coarse_clock_is_no_time_of_an_access() {
        let mut tab = Tab::new(4096, Clock { now: shared, progress, point }).unwrap();
        (tab.step, tab.batch) = (1.0, 100.0);
        let nanos = tab.uninterrupted(|| 100);
        assert!((nanos - 1000.0).abs() < 20.0, "{nanos}");
    }
}
