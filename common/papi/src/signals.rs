//! Signal handlers of the program: one that is rewritten may interrupt the code of a record, which
//! must find its record as it left it.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use libc::{SIG_DFL, SIG_ERR, SIG_IGN, sigaction, siginfo_t};

use crate::session::without_signals;
use crate::thread;

/// The program's handlers by signal, and whether each takes one argument alone.
static HANDLERS: [AtomicUsize; 65] = [const { AtomicUsize::new(0) }; 65];
static PLAIN: [AtomicUsize; 65] = [const { AtomicUsize::new(0) }; 65];

unsafe extern "C" {
    fn __real_sigaction(signal: c_int, new: *const sigaction, old: *mut sigaction) -> c_int;
    fn __real_signal(signal: c_int, handler: usize) -> usize;
}

extern "C" fn enter(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let handler = HANDLERS[signal as usize & 63].load(Ordering::Relaxed);
    let interrupted = without_signals(thread::interrupt);
    // SAFETY: the program gave the handler for this signal; one that takes less ignores the rest.
    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = unsafe { std::mem::transmute(handler) };
    handler(signal, info, context);
    if let Some(interrupted) = interrupted {
        without_signals(|| thread::resume(&interrupted));
    }
}

extern "C" fn enter_plain(signal: c_int) {
    enter(signal, null_mut(), null_mut());
}

fn is_function(handler: usize) -> bool {
    ![SIG_DFL, SIG_IGN, SIG_ERR].contains(&handler)
}

/// In the place of `sigaction`.
///
/// # Safety
///
/// As for the C library's.
#[unsafe(no_mangle)]
#[unsafe(link_section = "lab_wrapped")]
pub unsafe extern "C" fn __wrap_sigaction(
    signal: c_int,
    new: *const sigaction,
    old: *mut sigaction,
) -> c_int {
    let Some(slot) = usize::try_from(signal).ok().filter(|signal| *signal < 64) else {
        // SAFETY: as the caller promises.
        return unsafe { __real_sigaction(signal, new, old) };
    };
    let before = (HANDLERS[slot].load(Ordering::Relaxed), PLAIN[slot].load(Ordering::Relaxed));
    // SAFETY: the caller gives an action, or null; what is made of it is a copy.
    unsafe {
        let mut own = new.as_ref().copied();
        if let Some(action) = own.as_mut().filter(|action| is_function(action.sa_sigaction)) {
            HANDLERS[slot].store(action.sa_sigaction, Ordering::Relaxed);
            PLAIN[slot].store(usize::from(action.sa_flags & libc::SA_SIGINFO == 0), Ordering::Relaxed);
            action.sa_sigaction = enter as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize;
            action.sa_flags |= libc::SA_SIGINFO;
        }
        let status =
            __real_sigaction(signal, own.as_ref().map_or(std::ptr::null(), |own| &raw const *own), old);
        if let Some(old) = old.as_mut() {
            let ours = [
                enter as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize,
                enter_plain as extern "C" fn(c_int) as usize,
            ];
            if ours.contains(&old.sa_sigaction) {
                old.sa_sigaction = before.0;
                old.sa_flags &= if before.1 == 1 { !libc::SA_SIGINFO } else { !0 };
            } else if crate::program::is_own_handler(old.sa_sigaction) {
                old.sa_sigaction = SIG_DFL;
            }
        }
        status
    }
}

/// In the place of `signal`.
///
/// # Safety
///
/// As for the C library's.
#[unsafe(no_mangle)]
#[unsafe(link_section = "lab_wrapped")]
pub unsafe extern "C" fn __wrap_signal(signal: c_int, handler: usize) -> usize {
    let enter_plain = enter_plain as extern "C" fn(c_int) as usize;
    let slot = usize::try_from(signal).ok().filter(|signal| *signal < 64 && is_function(handler));
    let before = HANDLERS[signal as usize & 63].load(Ordering::Relaxed);
    if let Some(slot) = slot {
        HANDLERS[slot].store(handler, Ordering::Relaxed);
        PLAIN[slot].store(1, Ordering::Relaxed);
    }
    // SAFETY: as the caller promises.
    let old = unsafe { __real_signal(signal, if slot.is_some() { enter_plain } else { handler }) };
    if old == enter_plain || old == enter as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize {
        before
    } else if crate::program::is_own_handler(old) {
        SIG_DFL
    } else {
        old
    }
}
