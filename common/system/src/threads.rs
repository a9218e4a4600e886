//! The same work on several threads at once, for measured kernels.

use std::io;
use std::sync::{PoisonError, RwLock};
use std::thread;

use thiserror::Error;

use crate::cpu::{AffinityGuard, current, pin};

/// Runs `work` for all items at once: for the first on this thread, for each other one on a
/// new thread, which takes some hundredths of a millisecond to start.
///
/// With a processor for each item, each thread is pinned to its own, if the system allows
/// it. Without pinning, the system may start two threads on one processor, and separate
/// them milliseconds later.
/// Fails if the system does not start enough threads; then nothing is done.
pub fn at_once<T: Send>(
    mut items: impl Iterator<Item = T>,
    places: &[usize],
    work: impl Fn(T) + Sync,
) -> Result<(), NoThread> {
    let (own, others) = (items.next(), Vec::from_iter(items));
    let has_places = places.len() == others.len() + 1;
    let own_place = current().filter(|here| places.contains(here)).or(places.first().copied());
    let own_place = own_place.filter(|_| has_places && !others.is_empty());
    let mut other_places = places.iter().filter(|place| own_place.is_some_and(|own| own != **place));
    // Threads wait here until all are started; then they may work, or must end.
    let all_started = RwLock::new(false);
    let (work, gate) = (&work, &all_started);
    thread::scope(|scope| {
        let mut started = gate.write().unwrap_or_else(PoisonError::into_inner);
        let anywhere = AffinityGuard::to(places); // threads inherit it
        for item in others {
            let place = other_places.next().copied();
            let member = move || {
                place.map(|place| pin(&[place]));
                if *gate.read().unwrap_or_else(PoisonError::into_inner) {
                    work(item);
                }
            };
            thread::Builder::new().spawn_scoped(scope, member).map_err(NoThread)?;
        }
        drop(anywhere);
        *started = true;
        drop(started);
        let _seated = own_place.map(|place| AffinityGuard::to(&[place]));
        own.into_iter().for_each(work);
        Ok(())
    })
}

/// The system does not start enough threads: its error.
#[derive(Debug, Error)]
#[error(
    "the system starts no more threads ({0}): use fewer, or raise the limit (`ulimit -u`, or `pids.max` of the control group)"
)]
pub struct NoThread(io::Error);

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::at_once;

    #[test]
    fn all_are_at_work_at_once() {
        thread::scope(|scope| {
            for threads in [0, 1, 2, 4, 4, 3] {
                scope.spawn(move || {
                    let all_are_here = Barrier::new(threads);
                    for _ in 0..50 {
                        let mut done = vec![false; threads];
                        let meet = |done: &mut bool| {
                            all_are_here.wait();
                            *done = true;
                        };
                        at_once(done.iter_mut(), &[], meet).unwrap();
                        assert!(done.iter().all(|done| *done));
                    }
                });
            }
        });
    }
}
