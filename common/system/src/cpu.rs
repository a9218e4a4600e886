//! Which processors this process may run on, and staying on one of them: a
//! measurement that migrates meets cold caches.

use crate::os::{Here, Os};

/// The processors the system lets this process use, ascending; none where it
/// does not report.
pub fn allowed() -> Vec<usize> {
    Here::allowed()
}

/// The processor this thread runs on now, where the system reports it.
pub fn current() -> Option<usize> {
    Here::current()
}

/// Keeps this thread, and those it starts from now on, on `cpus`. Says whether
/// the system agreed.
pub fn pin(cpus: &[usize]) -> bool {
    Here::pin(cpus)
}

/// This thread, limited to some processors; dropped, it may go where it could before.
#[derive(Debug)]
pub struct AffinityGuard {
    before: Vec<usize>,
}

impl AffinityGuard {
    /// `None` if the system does not agree, as when none of them is there.
    pub fn to(cpus: &[usize]) -> Option<AffinityGuard> {
        let before = allowed();
        pin(cpus).then_some(AffinityGuard { before })
    }
}

impl Drop for AffinityGuard {
    fn drop(&mut self) {
        pin(&self.before);
    }
}

/// What `ask` says on processor `cpu`, where cores may differ: asked here if
/// this thread is there, else on a thread that is sent there. `None` if it may
/// not go there.
pub(crate) fn on<T: Send>(cpu: usize, ask: impl FnOnce() -> T + Send) -> Option<T> {
    if current() == Some(cpu) && allowed() == [cpu] {
        return Some(ask());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, || pin(&[cpu]).then(ask));
        thread.ok()?.join().ok().flatten()
    })
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_stays_where_it_was_put() {
        let before = allowed();
        let last = *before.last().unwrap();
        let all = before.clone();
        std::thread::spawn(move || {
            assert!(pin(&[last]));
            assert_eq!(allowed(), [last]);
            assert_eq!(current(), Some(last));
            assert!(!pin(&[1_000_000]));
            assert!(AffinityGuard::to(&[1_000_000]).is_none() && AffinityGuard::to(&[]).is_none());
            let kept = AffinityGuard::to(&all).unwrap();
            assert_eq!(allowed(), all);
            drop(kept);
            assert_eq!(allowed(), [last]);
        })
        .join()
        .unwrap();
        assert_eq!(on(last, || (current(), allowed())), Some((Some(last), vec![last])));
        assert_eq!(on(1_000_000, || ()), None);
        assert_eq!(allowed(), before, "other threads are left alone");
    }
}
