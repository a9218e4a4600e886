//! What the kit asks of an operating system.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::ptr::NonNull;

use figures::units::{Bytes, Seconds};
use thiserror::Error;

use crate::facts::Facts;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StepError {
    /// No single-stepping for user programs on this system.
    #[error("this system cannot step through a program instruction by instruction")]
    Unsupported,
    /// The system supports it, but does not allow it.
    #[error("the system refused to trace a child process (error {0}): allow ptrace, or count with hardware")]
    Refused(i32),
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

/// What this kit needs from an operating system. Default methods are for systems without
/// the feature.
pub(crate) trait Os {
    /// Monotonic time since some fixed moment.
    fn wall() -> Seconds;

    /// Processor time of all threads of this process.
    fn process_cpu() -> Seconds;

    /// Processor time of the calling thread.
    fn thread_cpu() -> Seconds;

    /// Size of a base page in bytes.
    fn page_size() -> Option<Bytes>;

    /// Maps `bytes` zeroed bytes on pages of their own.
    fn map(bytes: usize) -> Option<NonNull<u8>>;

    /// Unmaps the pages.
    ///
    /// # Safety
    ///
    /// `start` and `bytes` are those of one [`Os::map`], and nothing refers to the memory.
    unsafe fn unmap(start: NonNull<u8>, bytes: usize);

    /// What the system reports about this machine and its processor `cpu`.
    fn facts(cpu: usize) -> Facts;

    /// Requests a kind of pages before they are first accessed; the system may refuse.
    fn advise(_start: NonNull<u8>, _bytes: usize, _kind: PageKind) {}

    /// Bytes of huge pages in the mapping that contains `address`.
    fn huge_bytes(_address: usize) -> usize {
        0
    }

    /// The processors that this process may use, ascending; empty if the system does not
    /// report them.
    fn allowed() -> Vec<usize> {
        Vec::new()
    }

    /// The processor of the calling thread.
    fn current() -> Option<usize> {
        None
    }

    /// Pins the calling thread, and those it starts, to these processors; returns whether
    /// that was done.
    fn pin(_cpus: &[usize]) -> bool {
        false
    }

    /// Processes that wanted to run, on average over the last minute.
    fn load() -> Option<f64> {
        None
    }

    /// Whether the program was started with its standard output closed.
    fn output_is_closed() -> bool {
        false
    }

    /// Implements [`Usage::of_children`].
    fn children() -> Option<Usage> {
        None
    }

    /// Memory that is available without swapping.
    fn free_memory() -> Option<Bytes> {
        None
    }

    /// Implements [`crate::set_up`].
    fn set_up() {}

    /// Implements [`crate::signals::defer`].
    fn defer_termination() {}

    /// Implements [`crate::signals::requested`].
    fn termination_requested() -> bool {
        false
    }

    /// Implements [`crate::signals::exit_if_requested`].
    fn exit_if_requested() {}

    /// Implements [`crate::files::exchange`].
    fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Instructions that `body` executes in a child process, by address.
    ///
    /// # Safety
    ///
    /// The same as for [`crate::step::trace`].
    unsafe fn trace(_limit: u64, _body: &mut dyn FnMut()) -> Result<Trace, StepError> {
        Err(StepError::Unsupported)
    }
}
