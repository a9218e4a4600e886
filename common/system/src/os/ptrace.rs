//! Single-steps a child process with `ptrace`.

use std::ptr::null_mut;
use std::time::{Duration, Instant};

use super::{StepError, Trace};

/// Longest time of a trace in seconds. Each step switches processes twice, and on a busy
/// machine each switch may take milliseconds.
const SECONDS: u64 = 20;
/// Steps between two readings of the clock.
const LOOK: u64 = 64;

/// The instructions that the child executes between two signals that it sends at the
/// beginning and the end.
///
/// # Safety
///
/// The same as for [`crate::step::trace`].
pub(crate) unsafe fn trace(limit: u64, body: &mut dyn FnMut()) -> Result<Trace, StepError> {
    // SAFETY: the child runs `body`, which by contract may run in a forked process, and
    // ends with `_exit`: no destructor runs twice.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: as above; these calls are async-signal-safe.
        unsafe {
            // If the tracer is killed, the stopped child must not stay behind.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::ptrace(libc::PTRACE_TRACEME, 0, null_mut::<u8>(), null_mut::<u8>()) != 0 {
                libc::_exit(1);
            }
            libc::kill(libc::getpid(), libc::SIGSTOP);
            body();
            libc::kill(libc::getpid(), libc::SIGSTOP);
            libc::_exit(0)
        }
    }
    if child < 0 {
        return Err(StepError::NoProcess(std::io::Error::last_os_error().to_string()));
    }
    let trace = follow(child, limit);
    // SAFETY: our own child, which this function waits for.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, null_mut(), 0);
    }
    trace
}

fn follow(child: libc::pid_t, limit: u64) -> Result<Trace, StepError> {
    if stopped_by(child)? != libc::SIGSTOP {
        return Err(StepError::Died);
    }
    let mut trace = Trace::new();
    let from = Instant::now();
    for step in 0..limit {
        if step % LOOK == 0 && from.elapsed() > Duration::from_secs(SECONDS) {
            return Err(StepError::TooSlow(SECONDS));
        }
        let here = next_instruction(child)?;
        // SAFETY: the child is stopped, and we are its tracer.
        let status =
            unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, child, null_mut::<u8>(), null_mut::<u8>()) };
        if status != 0 {
            return Err(refused());
        }
        match stopped_by(child)? {
            libc::SIGTRAP => trace.push(here),
            libc::SIGSTOP => return Ok(trace),
            _ => return Err(StepError::Died),
        }
    }
    Err(StepError::TooMany(limit))
}

/// The address of the instruction that the stopped child executes next.
fn next_instruction(child: libc::pid_t) -> Result<u64, StepError> {
    // SAFETY: zero bytes are a valid set of registers; the kernel writes at
    // most `iov_len` bytes of it, the child being stopped.
    let (status, registers) = unsafe {
        let mut registers: libc::user_regs_struct = std::mem::zeroed();
        let mut place = libc::iovec {
            iov_base: (&raw mut registers).cast(),
            iov_len: size_of::<libc::user_regs_struct>(),
        };
        (libc::ptrace(libc::PTRACE_GETREGSET, child, libc::NT_PRSTATUS, &raw mut place), registers)
    };
    if status != 0 {
        return Err(refused());
    }
    #[cfg(target_arch = "x86_64")]
    return Ok(registers.rip);
    #[cfg(target_arch = "aarch64")]
    return Ok(registers.pc);
}

/// The signal that stopped the child.
fn stopped_by(child: libc::pid_t) -> Result<i32, StepError> {
    let mut status = 0;
    // SAFETY: the kernel writes the status behind this valid pointer.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    match (waited, libc::WIFSTOPPED(status)) {
        (-1, _) => Err(refused()),
        (_, true) => Ok(libc::WSTOPSIG(status)),
        (_, false) if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 1 => {
            Err(StepError::Refused(libc::EPERM))
        }
        _ => Err(StepError::Died),
    }
}

fn refused() -> StepError {
    StepError::Refused(std::io::Error::last_os_error().raw_os_error().unwrap_or_default())
}
