//! Which processors this process may run on, and staying on one of them: a
//! measurement that migrates meets cold caches.

/// The processors the system lets this process use, ascending.
pub fn allowed() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: zero bytes are an empty set; the kernel fills it.
        let set = unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set);
            set
        };
        // SAFETY: the index stays below the size of the set.
        (0..libc::CPU_SETSIZE as usize).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect()
    }
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

/// The processor this thread runs on now.
pub fn current() -> Option<usize> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: has no arguments and touches no memory of ours.
        usize::try_from(unsafe { libc::sched_getcpu() }).ok()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Keeps this thread, and those it starts from now on, on `cpus`. Says whether
/// the system agreed.
pub fn pin(cpus: &[usize]) -> bool {
    #[cfg(target_os = "linux")]
    {
        if cpus.iter().any(|&cpu| cpu >= libc::CPU_SETSIZE as usize) {
            return false;
        }
        // SAFETY: zero bytes are an empty set, all indices are below its size,
        // and the kernel only reads it.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            cpus.iter().for_each(|&cpu| libc::CPU_SET(cpu, &mut set));
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) == 0
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = cpus;
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_stays_where_it_was_put() {
        let before = allowed();
        let last = *before.last().unwrap();
        std::thread::spawn(move || {
            assert!(pin(&[last]));
            assert_eq!(allowed(), [last]);
            assert_eq!(current(), Some(last));
            assert!(!pin(&[1_000_000]));
        })
        .join()
        .unwrap();
        assert_eq!(allowed(), before, "other threads are left alone");
    }
}
