//! Systems that are not POSIX: what Rust's standard library offers. WASI has no more than that;
//! Windows replaces some of it.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::time::Instant;

use figures::units::{Bytes, Seconds};

use super::Usage;

/// Pages of WebAssembly have 64 KiB, but are no unit of translation: memory is aligned as
/// on other systems.
const ALIGNMENT: usize = 4096;

pub(super) fn wall() -> Seconds {
    static START: OnceLock<Instant> = OnceLock::new();
    Seconds(START.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// Wall-clock time: there is no clock of processor time.
pub(super) fn process_cpu() -> Seconds {
    wall()
}

/// Wall-clock time, as above.
pub(super) fn thread_cpu() -> Seconds {
    wall()
}

pub(super) fn page_size() -> Option<Bytes> {
    None
}

pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
    let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
    // SAFETY: the layout is not empty.
    NonNull::new(unsafe { alloc_zeroed(layout) })
}

/// # Safety
///
/// The same as for [`super::Os::unmap`].
pub(super) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
    if let Ok(layout) = Layout::from_size_align(bytes.max(1), ALIGNMENT) {
        // SAFETY: allocated by `map` with this layout.
        unsafe { dealloc(start.as_ptr(), layout) };
    }
}

pub(super) fn load() -> Option<f64> {
    None
}

pub(super) fn children() -> Option<Usage> {
    None
}

pub(super) fn output_is_closed() -> bool {
    false
}

pub(super) fn set_up() {}

pub(super) fn defer_termination() {}

pub(super) fn pass_signals_to(_: Option<u32>) {}

pub(super) fn termination_requested() -> bool {
    false
}

pub(super) fn exit_if_requested() {}
