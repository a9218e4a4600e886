//! An event as a played kernel has it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use perf_event::hooks::sys::bindings;

use crate::kernel::linux::Attr;
use crate::kernel::ring::{HEAD, Ring, TAIL};
use crate::kernel::{Count, Mapping};

/// What an event counts, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// The kernel itself does: nanoseconds, or nothing in particular.
    Software { nanoseconds: bool },
    /// The PMU of that place does, by its code and what goes with it.
    Hardware { pmu: usize, code: u64, with: u64 },
}

pub(super) struct Opened {
    pub(super) number: u64,
    pub(super) leader: u64,
    pub(super) attr: Attr,
    pub(super) counts: Counts,
    pub(super) enabled: bool,
    pub(super) value: u64,
    pub(super) time_enabled: u64,
    pub(super) time_running: u64,
    pub(super) buffer: Option<Buffer>,
}

impl Opened {
    pub(super) fn period(&self) -> u64 {
        // SAFETY: the kit fills this union as a period, and all its parts are plain numbers.
        unsafe { self.attr.__bindgen_anon_1.sample_period }
    }

    /// What a read gives.
    pub(super) fn read(&self) -> Count {
        Count { value: self.value, enabled: self.time_enabled, running: self.time_running }
    }

    /// It was on its counter for a part of a tick in which that many happened.
    pub(super) fn count(&mut self, many: u64, nanoseconds: u64, address: u64) {
        self.time_running += nanoseconds;
        let many = if let Counts::Software { nanoseconds: true } = self.counts { nanoseconds } else { many };
        let period = self.period();
        if let (Some(buffer), true) = (&self.buffer, period > 0) {
            let due = (self.value + many) / period - self.value / period;
            (0..due).for_each(|_| buffer.sample(address));
        }
        self.value += many;
    }
}

/// What one event writes its samples to, as the kernel does (`kernel/events/ring_buffer.c`).
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
