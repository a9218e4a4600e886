//! What an operating system is asked about, and its answers.

use thiserror::Error;

/// The kind of pages to request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// As large as possible: few TLB misses, and adjacent virtual addresses are adjacent in
    /// physical memory.
    Huge,
    /// Base pages only, like the data of a small program.
    Base,
}

/// Why the instructions were not counted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StepError {
    /// No single-stepping for user programs on this system.
    #[error("this system cannot step through a program instruction by instruction")]
    Unsupported,
    /// The system supports it, but does not allow it.
    #[error("the system refused to trace a child process (error {0}): allow ptrace, or count with hardware")]
    Refused(i32),
    /// The system starts no other process; its error.
    #[error(
        "the system starts no other process to step through ({0}); end other programs, or raise the limit (`ulimit -u`, or `pids.max` of the control group)"
    )]
    NoProcess(String),
    /// The code executes more instructions than the limit.
    #[error("more than {0} instructions: too many to be stepped through")]
    TooMany(u64),
    /// The system switches between the two processes too slowly.
    #[error("stepping through the code took more than {0} seconds: try it on an idle machine")]
    TooSlow(u64),
    /// The code ended its process.
    #[error("the code did not end when it was stepped through")]
    Died,
}

/// The addresses of the executed instructions, in their order.
pub type Trace = Vec<u64>;
