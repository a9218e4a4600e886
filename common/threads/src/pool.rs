//! A pool of threads that wait for work: starting one takes a tenth of a millisecond, a
//! tenth of a small product's time.

use std::sync::{Mutex, PoisonError};

use rayon_core::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
#[cfg(feature = "pinned")]
use system::cpu::{AffinityGuard, current, pin};
use thiserror::Error;
#[cfg(not(feature = "pinned"))]
use unasked::{AffinityGuard, current, pin};

/// The pool of the last call, locked while it works: if two calls shared it, each could
/// wait for a thread that the other one uses.
static LAST_POOL: Mutex<Option<Pool>> = Mutex::new(None);

struct Pool {
    threads: ThreadPool,
    /// The requested processors.
    places: Vec<usize>,
    /// The calling thread's processor, if each thread has one.
    own: Option<usize>,
}

/// Runs `work` for all items at once: for the first on this thread, for each other one on a
/// thread of its own, which is reused by the next call.
///
/// With a processor for each item, each thread is pinned to its own, if the system allows
/// it. Without pinning, the system may start two threads on one processor, and separate
/// them milliseconds later.
///
/// # Errors
///
/// If the system does not start enough threads; then nothing is done.
pub fn at_once<T: Send>(
    mut items: impl Iterator<Item = T>,
    places: &[usize],
    work: impl Fn(T) + Sync,
) -> Result<(), NoThread> {
    let (own, others) = (items.next(), Vec::from_iter(items));
    if others.is_empty() {
        own.into_iter().for_each(work);
        return Ok(());
    }
    let mut kept = LAST_POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = |pool: &Pool| pool.threads.current_num_threads() == others.len() && pool.places == places;
    let pool = match kept.take().filter(fits) {
        Some(pool) => pool,
        None => Pool::start(others.len(), places)?,
    };
    let work = &work;
    {
        let _seated = pool.own.map(|place| AffinityGuard::to(&[place]));
        pool.threads.in_place_scope(|scope| {
            others.into_iter().for_each(|item| scope.spawn(move |_| work(item)));
            own.into_iter().for_each(work);
        });
    }
    *kept = Some(pool);
    Ok(())
}

impl Pool {
    fn start(threads: usize, places: &[usize]) -> Result<Pool, NoThread> {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let _anywhere = AffinityGuard::to(places); // where threads start, before each goes to its own
        let (own, threads) = if places.len() == threads + 1 {
            let own = current().filter(|here| places.contains(here)).unwrap_or(places[0]);
            let others: Vec<usize> = places.iter().copied().filter(|place| *place != own).collect();
            let stay = move |thread| _ = others.get(thread).map(|place: &usize| pin(&[*place]));
            (Some(own), builder.start_handler(stay).build().map_err(NoThread)?)
        } else {
            (None, builder.build().map_err(NoThread)?)
        };
        Ok(Pool { threads, places: places.to_vec(), own })
    }
}

/// The system does not start enough threads: its error.
#[derive(Debug, Error)]
#[error(
    "the system starts no more threads ({0}): use fewer, or raise the limit (`ulimit -u`, or `pids.max` of the control group)"
)]
pub struct NoThread(ThreadPoolBuildError);

#[cfg(not(feature = "pinned"))]
mod unasked {
    pub(super) struct AffinityGuard;

    impl AffinityGuard {
        pub(super) fn to(_places: &[usize]) -> Option<AffinityGuard> {
            None
        }
    }

    pub(super) fn current() -> Option<usize> {
        None
    }

    pub(super) fn pin(_places: &[usize]) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::at_once;

    #[test]
    fn all_are_at_work_at_once_and_calls_wait_for_each_other() {
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

    #[test]
    fn a_panic_is_passed_on_and_spoils_nothing() {
        for panics in [Some(0), Some(1), None] {
            let call = || at_once(0..2, &[], |item| assert_ne!(Some(item), panics, "on purpose")).unwrap();
            assert_eq!(std::panic::catch_unwind(call).is_err(), panics.is_some());
        }
    }
}
