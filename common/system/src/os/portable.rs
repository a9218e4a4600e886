//! What a system answers that has no call for it.

use std::ptr::NonNull;
use std::sync::OnceLock;
use std::time::Instant;

use figures::units::{Bytes, Seconds};

use super::values::{PageKind, StepError, Trace};

pub(crate) fn wall() -> Seconds {
    static START: OnceLock<Instant> = OnceLock::new();
    Seconds(START.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// Requests a kind of pages before they are first accessed; the system may refuse.
pub(crate) fn advise(_start: NonNull<u8>, _bytes: usize, _kind: PageKind) {}

/// Bytes of huge pages in the mapping that contains `address`.
pub(crate) fn huge_bytes(_address: usize) -> usize {
    0
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
