//! Signal handlers of the program: one that is rewritten may interrupt the code of a record, which
//! must find its record as it left it.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use libc::{SIG_DFL, SIG_ERR, SIG_IGN, sigaction, siginfo_t};

use crate::{thread, without_signals};

/// Signals that end a program.
const ENDING: [c_int; 13] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGPIPE,
    libc::SIGQUIT,
    libc::SIGALRM,
];

/// A handler that takes all that the kernel gives.
type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

/// The library's own handler: the program has not installed it.
static OWN: AtomicUsize = AtomicUsize::new(0);
/// The program's handlers by signal.
static HANDLERS: [AtomicUsize; 65] = [const { AtomicUsize::new(0) }; 65];

unsafe extern "C" {
    fn __real_sigaction(signal: c_int, new: *const sigaction, old: *mut sigaction) -> c_int;
}

/// Installs the library's handler of signals that would end the program.
pub(crate) fn catch(handler: Handler) {
    OWN.store(handler as usize, Ordering::Relaxed);
    // SAFETY: the structures are the C library's, filled as it asks.
    unsafe {
        let (mut action, mut old): (sigaction, sigaction) = (std::mem::zeroed(), std::mem::zeroed());
        (action.sa_sigaction, action.sa_flags) = (handler as usize, libc::SA_ONSTACK | libc::SA_SIGINFO);
        for signal in ENDING {
            __real_sigaction(signal, std::ptr::null(), &raw mut old);
            if old.sa_sigaction == SIG_DFL {
                __real_sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    }
}

extern "C" fn enter(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let handler = HANDLERS[signal as usize & 63].load(Ordering::Relaxed);
    let interrupted = without_signals(thread::interrupt);
    // SAFETY: the program gave the handler for this signal; one that takes less ignores the rest.
    let handler: Handler = unsafe { std::mem::transmute(handler) };
    handler(signal, info, context);
    if let Some(interrupted) = interrupted {
        without_signals(|| thread::resume(&interrupted));
    }
}

const ENTER: Handler = enter;

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
    let before = HANDLERS[slot].load(Ordering::Relaxed);
    // SAFETY: the caller gives an action, or null; what is made of it is a copy.
    unsafe {
        let mut own = new.as_ref().copied();
        if let Some(action) = own.as_mut().filter(|action| is_function(action.sa_sigaction)) {
            HANDLERS[slot].store(action.sa_sigaction, Ordering::Relaxed);
            action.sa_sigaction = ENTER as usize;
            action.sa_flags |= libc::SA_SIGINFO;
        }
        let status =
            __real_sigaction(signal, own.as_ref().map_or(std::ptr::null(), |own| &raw const *own), old);
        if let Some(old) = old.as_mut() {
            if old.sa_sigaction == ENTER as usize {
                old.sa_sigaction = before;
            } else if old.sa_sigaction == OWN.load(Ordering::Relaxed) {
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
    // SAFETY: the structures are this function's own.
    unsafe {
        let (mut new, mut old): (sigaction, sigaction) = (std::mem::zeroed(), std::mem::zeroed());
        (new.sa_sigaction, new.sa_flags) = (handler, libc::SA_RESTART);
        libc::sigaddset(&raw mut new.sa_mask, signal);
        let status = __wrap_sigaction(signal, &raw const new, &raw mut old);
        if status == 0 { old.sa_sigaction } else { SIG_ERR }
    }
}
