//! Shared by Linux and macOS.

use std::io;
use std::os::fd::RawFd;
use std::ptr::{NonNull, null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use figures::units::{Bytes, Seconds};

#[cfg(target_os = "macos")]
pub(crate) use super::portable::*;

pub(crate) fn wall() -> Seconds {
    clock(libc::CLOCK_MONOTONIC)
}

pub(crate) fn process_cpu() -> Seconds {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

pub(crate) fn thread_cpu() -> Seconds {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn clock(which: libc::clockid_t) -> Seconds {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes the struct behind this valid pointer.
    let status = unsafe { libc::clock_gettime(which, &mut time) };
    debug_assert_eq!(status, 0, "every POSIX system has these clocks");
    Seconds(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

pub(crate) fn page_size() -> Option<Bytes> {
    // SAFETY: reads a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).ok().filter(|size| size.is_power_of_two()).map(Bytes)
}

pub(crate) fn map(bytes: usize) -> io::Result<NonNull<u8>> {
    map_as(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)
}

/// The first `bytes` of an open file, shared with whoever else has them.
pub(crate) fn map_file(bytes: usize, file: RawFd) -> io::Result<NonNull<u8>> {
    map_as(bytes, libc::MAP_SHARED, file)
}

fn map_as(bytes: usize, kind: libc::c_int, file: RawFd) -> io::Result<NonNull<u8>> {
    // SAFETY: a new mapping at an address of the system's choice touches no existing memory.
    let start = unsafe { libc::mmap(null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, kind, file, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(start.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

/// # Safety
///
/// `start` and `bytes` are those of one mapping, and nothing refers to its memory.
pub(crate) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller guarantees it.
    unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
}

pub(crate) fn load() -> Option<f64> {
    let mut loads = [0.0];
    // SAFETY: the system writes one number into the array.
    (unsafe { libc::getloadavg(loads.as_mut_ptr(), 1) } == 1).then_some(loads[0])
}

pub(crate) fn set_up() {
    // SAFETY: installs the system's own actions, before any thread is started.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Termination signals.
const ENDS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The deferred termination signal.
static ASKED: AtomicI32 = AtomicI32::new(0);

const PUT_OFF: &[u8] =
    b"\nnote: ending after the current measurement, results so far are saved; interrupt again to end at once\n";

/// The child process that receives termination signals too; 0: none.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// Whether it has received one.
static IS_PASSED: AtomicBool = AtomicBool::new(false);

extern "C" fn remember(signal: libc::c_int) {
    #[cfg(target_os = "linux")]
    use libc::__errno_location as errno;
    #[cfg(target_os = "macos")]
    use libc::__error as errno;
    ASKED.store(signal, Ordering::Relaxed);
    let child = CHILD.load(Ordering::Relaxed);
    // The interrupted code may be about to read its own `errno`, so that is restored.
    // SAFETY: POSIX allows write in a handler, the bytes are static, and the place of
    // errno is this thread's own.
    unsafe {
        let before = *errno();
        pass(signal, child);
        libc::write(libc::STDERR_FILENO, PUT_OFF.as_ptr().cast(), PUT_OFF.len());
        *errno() = before;
    }
}

/// Sends `signal` to `child`, once. A terminal sends its Ctrl-C to the child itself.
fn pass(signal: libc::c_int, child: libc::c_int) {
    let is_due = child > 0 && ![0, libc::SIGINT].contains(&signal);
    if is_due && !IS_PASSED.swap(true, Ordering::Relaxed) {
        // SAFETY: a system call that POSIX allows in a handler.
        unsafe { libc::kill(child, signal) };
    }
}

pub(crate) fn defer_termination() {
    for signal in ENDS.into_iter().filter(|signal| !is_ignored(*signal)) {
        // SAFETY: zero bytes are a valid action; the handler does only what POSIX allows in one.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = remember as extern "C" fn(libc::c_int) as *const () as libc::sighandler_t;
            // The next signal ends the process; interrupted system calls are restarted.
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &action, null_mut());
        }
    }
}

pub(crate) fn pass_signals_to(child: Option<u32>) {
    let child = child.map_or(0, |id| id as i32);
    CHILD.store(child, Ordering::Relaxed);
    // A signal may have come before the child's number was known.
    pass(ASKED.load(Ordering::Relaxed), child);
}

pub(crate) fn termination_requested() -> bool {
    ASKED.load(Ordering::Relaxed) != 0
}

pub(crate) fn exit_if_requested() {
    let signal = ASKED.load(Ordering::Relaxed);
    if signal != 0 {
        // SAFETY: the default action ends the process, as its parent expects.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: zero bytes are a valid action, which the system fills in.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, null(), &mut action) != 0 || action.sa_sigaction == libc::SIG_IGN
    }
}
