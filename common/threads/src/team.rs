//! Threads that execute the same steps together.

use std::hint;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// The barrier of a team.
#[derive(Debug)]
pub struct Team {
    size: usize,
    arrived: AtomicUsize,
    /// Whether a member panicked: it will never arrive.
    broken: AtomicBool,
}

/// One thread of a team. If it panics, the others panic at their next barrier instead of
/// waiting for it for ever.
#[derive(Debug)]
pub struct Member<'t> {
    team: &'t Team,
    index: usize,
}

impl Team {
    /// A team of `size` threads, at least one.
    pub fn new(size: usize) -> Team {
        Team { size: size.max(1), arrived: AtomicUsize::new(0), broken: AtomicBool::new(false) }
    }

    /// Its members, one for each thread.
    pub fn members(&self) -> impl Iterator<Item = Member<'_>> {
        (0..self.size).map(|index| Member { team: self, index })
    }

    /// The only member of a team of one.
    pub fn alone(&self) -> Member<'_> {
        Member { team: self, index: 0 }
    }
}

impl Member<'_> {
    /// Whether this member does what only one may do.
    pub fn first(&self) -> bool {
        self.index == 0
    }

    /// This member's number, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// This member's share of a range, in whole units of `unit`.
    #[inline(always)]
    pub fn share(&self, all: Range<usize>, unit: usize) -> Range<usize> {
        let units = all.len().div_ceil(unit);
        let cut = |index: usize| all.end.min(all.start + units * index / self.team.size * unit);
        cut(self.index)..cut(self.index + 1)
    }

    /// A barrier: waits until all members have called it; what they wrote before is then
    /// visible to all.
    ///
    /// # Panics
    ///
    /// If another member panicked.
    #[inline(always)]
    pub fn wait(&self) {
        if self.team.size > 1 {
            self.meet();
        }
    }

    fn meet(&self) {
        let size = self.team.size;
        let meeting = self.team.arrived.fetch_add(1, Ordering::AcqRel) / size;
        spin(|| {
            assert!(!self.team.broken.load(Ordering::Relaxed), "another thread of the team panicked");
            self.team.arrived.load(Ordering::Acquire) >= (meeting + 1) * size
        });
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.team.broken.store(true, Ordering::Relaxed);
        }
    }
}

fn spin(mut until: impl FnMut() -> bool) {
    let mut turns = 0u32;
    while !until() {
        turns = turns.wrapping_add(1);
        // Others may be waiting for this processor.
        if turns.is_multiple_of(1 << 12) { thread::yield_now() } else { hint::spin_loop() }
    }
}

#[cfg(test)]
mod tests {
    use super::Team;

    #[test]
    fn shares_cover_a_range_once_in_whole_units() {
        let team = Team::new(3);
        for (all, unit) in [(0..20, 6), (5..5, 8), (3..4, 8), (0..48, 8)] {
            let shares: Vec<_> = team.members().map(|member| member.share(all.clone(), unit)).collect();
            assert_eq!(shares.iter().cloned().flatten().collect::<Vec<_>>(), all.clone().collect::<Vec<_>>());
            for share in shares.iter().filter(|share| share.end < all.end) {
                assert_eq!((share.end - all.start) % unit, 0);
            }
        }
    }

    #[test]
    fn a_panic_of_one_member_ends_the_others_at_the_barrier() {
        let team = Team::new(3);
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for member in team.members() {
                threads.push(scope.spawn(move || {
                    member.wait();
                    assert!(member.index() != 1, "on purpose");
                    member.wait();
                }));
            }
            assert!(threads.into_iter().all(|thread| thread.join().is_err()));
        });
    }

    #[test]
    fn no_thread_passes_the_barrier_before_all_have_reached_it() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let (team, steps) = (Team::new(2), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for member in team.members() {
                let steps = &steps;
                scope.spawn(move || {
                    for round in 1..=if cfg!(miri) { 5 } else { 200 } {
                        steps.fetch_add(1, Ordering::Relaxed);
                        member.wait();
                        assert_eq!(steps.load(Ordering::Relaxed), 2 * round);
                        member.wait();
                    }
                });
            }
        });
    }
}
