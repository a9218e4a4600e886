//! What the kit asks of an operating system.

use std::io;
use std::path::Path;
use std::ptr::NonNull;

use figures::units::{Bytes, Seconds};

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use super::elsewhere as shared;
#[cfg(any(target_os = "linux", target_os = "macos"))]
use super::posix as shared;
use super::values::{PageKind, StepError, TaskLimits, Trace, Usage};
use crate::facts::Facts;

/// What this kit needs from an operating system. Default methods are those of POSIX, or of Rust's
/// standard library on other systems, or for systems without the feature.
pub(crate) trait Os {
    /// Monotonic time since some fixed moment.
    fn wall() -> Seconds {
        shared::wall()
    }

    /// Processor time of all threads of this process.
    fn process_cpu() -> Seconds {
        shared::process_cpu()
    }

    /// Processor time of the calling thread.
    fn thread_cpu() -> Seconds {
        shared::thread_cpu()
    }

    /// Size of a base page in bytes.
    fn page_size() -> Option<Bytes> {
        shared::page_size()
    }

    /// Maps `bytes` zeroed bytes on pages of their own.
    fn map(bytes: usize) -> Option<NonNull<u8>> {
        shared::map(bytes)
    }

    /// Unmaps the pages.
    ///
    /// # Safety
    ///
    /// `start` and `bytes` are those of one [`Os::map`], and nothing refers to the memory.
    unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller guarantees it.
        unsafe { shared::unmap(start, bytes) };
    }

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
        shared::load()
    }

    /// Whether the program was started with its standard output closed.
    fn output_is_closed() -> bool {
        shared::output_is_closed()
    }

    /// Implements [`Usage::of_children`].
    fn children() -> Option<Usage> {
        shared::children()
    }

    /// Memory that is available without swapping.
    fn free_memory() -> Option<Bytes> {
        None
    }

    /// Implements [`crate::host::cpu_quota`].
    fn cpu_quota() -> Option<f64> {
        None
    }

    /// Implements [`crate::host::task_limits`].
    fn task_limits() -> TaskLimits {
        TaskLimits::default()
    }

    /// Implements [`crate::set_up`].
    fn set_up() {
        shared::set_up();
    }

    /// Implements [`crate::signals::defer`].
    fn defer_termination() {
        shared::defer_termination();
    }

    /// Implements [`crate::signals::pass_to`].
    fn pass_signals_to(child: Option<u32>) {
        shared::pass_signals_to(child);
    }

    /// Implements [`crate::signals::requested`].
    fn termination_requested() -> bool {
        shared::termination_requested()
    }

    /// Implements [`crate::signals::exit_if_requested`].
    fn exit_if_requested() {
        shared::exit_if_requested();
    }

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
