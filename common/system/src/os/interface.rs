//! What the kit asks of an operating system.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::ptr::NonNull;

use figures::units::{Bytes, Seconds};
use thiserror::Error;

use crate::facts::Facts;

/// Which pages to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// As large as the system gives them: few TLB misses, and physical
    /// adjacent addresses are adjacent.
    Huge,
    /// The base page only, as a small program's data have it.
    Base,
}

/// Why the instructions were not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StepError {
    /// No single-stepping for user programs on this system.
    #[error("this system cannot step through a program instruction by instruction")]
    Unsupported,
    /// The system has it, but refuses.
    #[error("the system refused to trace a child process (error {0}): allow ptrace, or count with hardware")]
    Refused(i32),
    /// The code runs longer than the caller wants to wait.
    #[error("more than {0} instructions: too many to be stepped through")]
    TooMany(u64),
    /// The system lets the two processes take turns too slowly.
    #[error("stepping through the code took more than {0} seconds: try it on an idle machine")]
    TooSlow(u64),
    /// The code ended its process.
    #[error("the code did not end when it was stepped through")]
    Died,
}

/// How often each instruction is executed, by its address.
pub type Trace = BTreeMap<u64, u64>;

/// What this kit asks of an operating system. What has a body here is an answer
/// for systems that do not offer the thing.
pub(crate) trait Os {
    /// Time since some fixed moment, never set back.
    fn wall() -> Seconds;

    /// Processor time of all threads of this process.
    fn process_cpu() -> Seconds;

    /// Processor time of the calling thread.
    fn thread_cpu() -> Seconds;

    /// Bytes of a base page.
    fn page_size() -> Option<Bytes>;

    /// `bytes` zeroed bytes on pages of their own.
    fn map(bytes: usize) -> Option<NonNull<u8>>;

    /// Gives the pages back.
    ///
    /// # Safety
    ///
    /// `start` and `bytes` are of one [`Os::map`], and nothing refers to it.
    unsafe fn unmap(start: NonNull<u8>, bytes: usize);

    /// What the system says of this machine and of its processor `cpu`.
    fn facts(cpu: usize) -> Facts;

    /// Asks for pages of a kind before they are touched first; it may be refused.
    fn advise(_start: NonNull<u8>, _bytes: usize, _kind: PageKind) {}

    /// Bytes of huge pages in the mapping that holds `address`.
    fn huge_bytes(_address: usize) -> usize {
        0
    }

    /// The processors that this process may use, ascending; none where the
    /// system does not report.
    fn allowed() -> Vec<usize> {
        Vec::new()
    }

    /// The processor of the calling thread.
    fn current() -> Option<usize> {
        None
    }

    /// Pins the calling thread, and those it starts, to these processors;
    /// false where that was not done.
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

    /// Memory that can be had without swapping.
    fn free_memory() -> Option<Bytes> {
        None
    }

    /// As [`crate::set_up`], where there is something to set.
    fn set_up() {}

    /// As [`crate::signals::on_request`]; without a body the process just ends.
    fn on_termination(_last: Box<dyn FnOnce() + Send>) {}

    /// As [`crate::signals::defer`].
    fn defer_termination() {}

    /// As [`crate::signals::requested`].
    fn termination_requested() -> bool {
        false
    }

    /// As [`crate::signals::exit_if_requested`].
    fn exit_if_requested() {}

    /// As [`crate::files::exchange`].
    fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Instructions that `body` executes in a child process, by address.
    ///
    /// # Safety
    ///
    /// As [`crate::step::trace`].
    unsafe fn trace(_limit: u64, _body: &mut dyn FnMut()) -> Result<Trace, StepError> {
        Err(StepError::Unsupported)
    }
}
