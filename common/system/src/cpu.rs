//! The processors that this process may use, and pinning to one of them: a thread that
//! migrates finds cold caches.

use crate::os;

/// The processors that the system lets this process use, ascending; empty if it does not
/// report them.
pub fn allowed() -> Vec<usize> {
    os::allowed()
}

/// The processor that this thread runs on now, if the system reports it.
pub fn current() -> Option<usize> {
    os::current()
}

/// Pins this thread, and those it starts from now on, to `cpus`. Returns whether the system
/// allowed it.
pub fn pin(cpus: &[usize]) -> bool {
    os::pin(cpus)
}

/// Pins this thread to some processors; when dropped, restores the earlier ones.
#[derive(Debug)]
pub struct AffinityGuard {
    before: Vec<usize>,
}

impl AffinityGuard {
    /// `None` if the system does not allow it, for example if none of them exists.
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
        assert_eq!(allowed(), before, "other threads are left alone");
    }
}
