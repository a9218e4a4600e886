//! What Linux and macOS have in common.

use std::ptr::NonNull;

use figures::units::{Bytes, Seconds};

/// Clocks that POSIX numbers.
pub(super) fn clock(which: libc::clockid_t) -> Seconds {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes the struct behind this valid pointer.
    let status = unsafe { libc::clock_gettime(which, &mut time) };
    debug_assert_eq!(status, 0, "every POSIX system has these clocks");
    Seconds(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

pub(super) fn page_size() -> Option<Bytes> {
    // SAFETY: reads a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).ok().filter(|size| size.is_power_of_two()).map(Bytes)
}

pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: an anonymous private mapping at a place of the system's choice
    // touches no existing memory.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0) };
    if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
}

/// # Safety
///
/// As [`super::Os::unmap`].
pub(super) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's word.
    unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
}

pub(super) fn load() -> Option<f64> {
    let mut loads = [0.0];
    // SAFETY: the system writes one number into the array.
    (unsafe { libc::getloadavg(loads.as_mut_ptr(), 1) } == 1).then_some(loads[0])
}

pub(super) fn end_quietly_on_a_closed_pipe() {
    // SAFETY: restores the default action before any thread is started.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}
