//! Counting instructions exactly without a counter: a child process runs the
//! code one instruction at a time, and its parent counts the stops.

use std::collections::BTreeMap;

use thiserror::Error;

/// Why the instructions were not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StepError {
    /// No single-stepping for user programs here.
    #[error("this system does not let a program run another one instruction by instruction")]
    Unsupported,
    /// The system has it, but refuses.
    #[error("the system refused to trace a child process (error {0}): allow ptrace, or count with hardware")]
    Refused(i32),
    /// The code runs longer than the caller wants to wait.
    #[error("more than {0} instructions: too many to be stepped through")]
    TooMany(u64),
    /// The code ended its process.
    #[error("the code did not come to its end when it was stepped through")]
    Died,
}

/// How often each instruction is executed, by its address.
pub type Trace = BTreeMap<u64, u64>;

/// Which instructions `body` executes how often, found by stepping through it
/// (some microseconds each; in a virtual machine, tens). What it changes in
/// memory is lost: it runs in a child process, and may neither allocate nor
/// take a lock.
///
/// # Errors
///
/// If the system offers no stepping, refuses it, or `body` is longer than
/// `limit` instructions.
pub fn trace(limit: u64, body: &mut dyn FnMut()) -> Result<Trace, StepError> {
    let around = platform::trace(u64::MAX, &mut || {})?;
    let mut trace = platform::trace(limit.saturating_add(around.values().sum()), body)?;
    for (address, times) in around {
        if let Some(count) = trace.get_mut(&address) {
            *count = count.saturating_sub(times);
        }
    }
    trace.retain(|_, times| *times > 0);
    Ok(trace)
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod platform {
    use super::{StepError, Trace};
    use std::ptr::null_mut;

    /// What the child executes between the two signals with which it marks
    /// begin and end.
    pub(super) fn trace(limit: u64, body: &mut dyn FnMut()) -> Result<Trace, StepError> {
        // SAFETY: the child runs `body`, which by contract neither allocates
        // nor locks, and leaves by `_exit`: no destructor runs twice.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above; these calls are async-signal-safe.
            unsafe {
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
            return Err(refused());
        }
        let trace = follow(child, limit);
        // SAFETY: our own child, waited for here.
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
        for _ in 0..limit {
            let here = next_instruction(child)?;
            // SAFETY: the child is stopped, and we are its tracer.
            let status =
                unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, child, null_mut::<u8>(), null_mut::<u8>()) };
            if status != 0 {
                return Err(refused());
            }
            match stopped_by(child)? {
                libc::SIGTRAP => *trace.entry(here).or_default() += 1,
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
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod platform {
    pub(super) fn trace(_: u64, _: &mut dyn FnMut()) -> Result<super::Trace, super::StepError> {
        Err(super::StepError::Unsupported)
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;

    fn loop_of(turns: u64) {
        // SAFETY: a register is decremented until it is zero.
        unsafe { std::arch::asm!("2: dec {0}", "jnz 2b", inout(reg) turns => _, options(nomem, nostack)) }
    }

    #[test]
    fn a_loop_of_two_instructions_is_counted_to_the_instruction() {
        let run = |turns| trace(10_000, &mut || loop_of(std::hint::black_box(turns)));
        match (run(100), run(1100)) {
            (Ok(few), Ok(many)) => {
                assert_eq!(many.values().sum::<u64>() - few.values().sum::<u64>(), 2000);
                assert_eq!(many.values().filter(|&&times| times == 1100).count(), 2);
            }
            // A sandbox may forbid tracing; then it must say so.
            refusals => assert!(matches!(refusals.0, Err(StepError::Refused(_))), "{refusals:?}"),
        }
    }

    #[test]
    fn too_long_a_run_is_given_up() {
        let long = trace(100, &mut || loop_of(1000));
        assert!(matches!(long, Err(StepError::TooMany(_) | StepError::Refused(_))), "{long:?}");
    }
}
