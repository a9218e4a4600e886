//! Counts instructions exactly without a counter: a child process runs the code one
//! instruction at a time, and its parent counts the stops.

use std::collections::BTreeSet;

use crate::os;

pub use crate::os::{StepError, Trace};

/// The instructions that `body` executes, by single-stepping (some microseconds each; tens in
/// a virtual machine). It runs in a child process, so its
/// changes in memory are lost.
///
/// # Safety
///
/// The child is a fork of a process that may have other threads; the child has only one. So
/// `body` must not allocate, take a lock, print, panic or unwind, nor call anything else
/// that POSIX does not list as async-signal-safe. It may compute in memory that existed
/// before.
/// Fails if the system does not support or allow stepping, or `body` executes more than `limit`
/// instructions.
pub unsafe fn trace(limit: u64, body: &mut dyn FnMut()) -> Result<Trace, StepError> {
    // SAFETY: an empty body fulfils the contract.
    let around = unsafe { os::trace(u64::MAX, &mut || {}) }?;
    // SAFETY: the caller guarantees it.
    let mut trace = unsafe { os::trace(limit.saturating_add(around.len() as u64), body) }?;
    let around = BTreeSet::from_iter(around);
    trace.retain(|address| !around.contains(address));
    Ok(trace)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    fn loop_of(turns: u64) {
        // SAFETY: a register is decremented until it is zero.
        unsafe { std::arch::asm!("2: dec {0}", "jnz 2b", inout(reg) turns => _, options(nomem, nostack)) }
    }

    #[test]
    fn a_loop_of_two_instructions_is_counted_to_the_instruction() {
        // SAFETY: a loop of registers.
        let run = |turns| unsafe { trace(10_000, &mut || loop_of(std::hint::black_box(turns))) };
        match [run(100), run(1100), run(20_000)] {
            [Ok(few), Ok(many), Err(StepError::TooMany(_))] => {
                assert_eq!(many.len() - few.len(), 2000);
            }
            [Err(why @ (StepError::Refused(_) | StepError::NoProcess(_) | StepError::Unsupported)), ..] => {
                skip::skip(&why.to_string())
            }
            refusals => panic!("{refusals:?}"),
        }
    }
}
