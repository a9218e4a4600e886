//! The kernel's side of the buffer of samples (`kernel/events/ring_buffer.c`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use perf_event::hooks::sys::bindings;

use crate::kernel::Mapping;
use crate::kernel::ring::{HEAD, Ring, TAIL};

/// What one event writes its samples to.
pub(super) struct Buffer(Ring);

impl Buffer {
    pub(super) fn of(memory: Arc<Mapping>, page: usize) -> Buffer {
        Buffer(Ring { memory, page })
    }

    /// Writes a sample, if it fits: one byte always stays free (`CIRC_SPACE`).
    pub(super) fn sample(&self, address: u64) {
        let used =
            self.0.position(HEAD).load(Ordering::Relaxed) - self.0.position(TAIL).load(Ordering::Acquire);
        if self.0.capacity() - used > 16 {
            self.0.write(bindings::PERF_RECORD_SAMPLE, &[address]);
        }
    }
}
