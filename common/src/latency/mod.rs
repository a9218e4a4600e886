//! The `timing` source: caches made visible by the time of dependent accesses,
//! where no counter counts.
//!
//! Independent accesses overlap, and a modern core hides every L1 miss behind
//! the next; accesses in a regular order are fetched ahead. So here each
//! address comes out of the access before, in an order no prefetcher follows.
//! From the times of the levels the misses per access of a cell follow.

mod batch;
mod cells;
mod chain;
mod core;
mod probe;
mod room;
mod tlb;

pub use batch::{Effort, Timed, time};
pub use cells::{CellTime, Cells, cell_order};
pub use chain::{Chain, WORD};
pub use core::core_clock;
pub use probe::OnTime;
pub use room::{HUGE_PAGE, Pages, Room};
pub use tlb::{Translation, translation};

/// Orders without pattern, the same in every run: Marsaglia's xorshift64 with
/// his triple (13, 7, 17).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Default for Random {
    fn default() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }
}

impl Random {
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            items.swap(i, (self.0 % (i as u64 + 1)) as usize);
        }
    }
}
