//! What Rust's standard library offers, and nothing where it offers nothing: all that WASI has. The
//! other systems replace the functions that they can do better.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::time::Instant;

use figures::units::{Bytes, Seconds};

use super::values::{PageKind, StepError, Trace};
use crate::facts::Facts;

/// Pages of WebAssembly have 64 KiB, but are no unit of translation: memory is aligned as
/// on other systems.
const ALIGNMENT: usize = 4096;

pub(crate) fn wall() -> Seconds {
    static START: OnceLock<Instant> = OnceLock::new();
    Seconds(START.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// Processor time of all threads of this process; here wall-clock time.
pub(crate) fn process_cpu() -> Seconds {
    wall()
}

/// Processor time of the calling thread; here wall-clock time.
pub(crate) fn thread_cpu() -> Seconds {
    wall()
}

pub(crate) fn page_size() -> Option<Bytes> {
    None
}

/// Maps `bytes` zeroed bytes on pages of their own.
pub(crate) fn map(bytes: usize) -> io::Result<NonNull<u8>> {
    let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).map_err(io::Error::other)?;
    // SAFETY: the layout is not empty.
    NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

/// Unmaps the pages.
///
/// # Safety
///
/// `start` and `bytes` are those of one [`map`], and nothing refers to the memory.
pub(crate) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
    if let Ok(layout) = Layout::from_size_align(bytes.max(1), ALIGNMENT) {
        // SAFETY: allocated by `map` with this layout.
        unsafe { dealloc(start.as_ptr(), layout) };
    }
}

pub(crate) fn facts(_cpu: usize) -> Facts {
    Facts::default()
}

/// Requests a kind of pages before they are first accessed; the system may refuse.
pub(crate) fn advise(_start: NonNull<u8>, _bytes: usize, _kind: PageKind) {}

/// Bytes of huge pages in the mapping that contains `address`.
pub(crate) fn huge_bytes(_address: usize) -> usize {
    0
}

pub(crate) fn allowed() -> Vec<usize> {
    Vec::new()
}

pub(crate) fn current() -> Option<usize> {
    None
}

pub(crate) fn pin(_cpus: &[usize]) -> bool {
    false
}

pub(crate) fn load() -> Option<f64> {
    None
}

pub(crate) fn free_memory() -> Option<Bytes> {
    None
}

pub(crate) fn cpu_quota() -> Option<f64> {
    None
}

pub(crate) fn set_up() {}

pub(crate) fn defer_termination() {}

pub(crate) fn pass_signals_to(_child: Option<u32>) {}

pub(crate) fn termination_requested() -> bool {
    false
}

pub(crate) fn exit_if_requested() {}

/// # Safety
///
/// The same as for [`crate::step::trace`].
pub(crate) unsafe fn trace(_limit: u64, _body: &mut dyn FnMut()) -> Result<Trace, StepError> {
    Err(StepError::Unsupported)
}
