//! The kernel's side of the buffer of samples (`kernel/events/ring_buffer.c`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use perf_event::hooks::sys::bindings;

use crate::kernel::Mapping;
use crate::kernel::ring::{HEAD, Ring, TAIL};

/// What one event writes its samples to.
pub(super) struct Buffer {
    ring: Ring,
    /// Samples that did not fit since the last that did.
    unsaid: u64,
    /// All that did not fit.
    pub(super) lost: u64,
}

impl Buffer {
    pub(super) fn of(memory: Arc<Mapping>, page: usize) -> Buffer {
        Buffer { ring: Ring { memory, page }, unsaid: 0, lost: 0 }
    }

    /// A sample; with the first that fits again goes a record of those that did not.
    pub(super) fn sample(&mut self, address: u64) {
        let told: &[u64] = if self.unsaid > 0 { &[0, self.unsaid] } else { &[] };
        let told_size = if told.is_empty() { 0 } else { 24 };
        if !self.has_space(16 + told_size) {
            self.unsaid += 1;
            self.lost += 1;
            return;
        }
        let told = told.to_vec();
        if !told.is_empty() {
            self.ring.write(bindings::PERF_RECORD_LOST, &told);
            self.unsaid = 0;
        }
        self.ring.write(bindings::PERF_RECORD_SAMPLE, &[address]);
    }

    /// The kernel pauses an event that samples too often.
    pub(super) fn throttled(&mut self) {
        if self.has_space(32) {
            self.ring.write(bindings::PERF_RECORD_THROTTLE, &[0; 3]);
        }
    }

    /// One byte always stays free (`CIRC_SPACE`).
    fn has_space(&self, bytes: u64) -> bool {
        let used = self.ring.position(HEAD).load(Ordering::Relaxed)
            - self.ring.position(TAIL).load(Ordering::Acquire);
        self.ring.capacity() - used > bytes
    }
}
