//! What an operating system is asked about, and its answers.

use std::collections::BTreeMap;

use figures::units::Seconds;
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

/// What finished child processes used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// Processor time in the programs.
    pub user: Seconds,
    /// Processor time in the system on their behalf.
    pub system: Seconds,
    /// Page faults that needed no input or output.
    pub minor_faults: u64,
    /// Page faults that did.
    pub major_faults: u64,
    /// Times that they waited, for input or output for example.
    pub waits: u64,
    /// Times that the system took the processor away from them.
    pub preemptions: u64,
}

/// How often each instruction is executed, by its address.
pub type Trace = BTreeMap<u64, u64>;
