//! **A replacement policy of your own.** A set of the cache is full and a new line is
//! fetched: which line is evicted?
//!
//! The least recently used one (LRU), as in most caches? Repeated walks through an
//! array that is a little larger than the cache then miss in *every* line: LRU always
//! evicts the line that is used next. Write a policy that retains part of such an
//! array, and is nearly as good as LRU where LRU is good (a product in blocks). The
//! check counts the misses of both programs, and those of the best possible policy,
//! which knows the future.
//!
//! A policy may be random: `chance` is a new random number in each call. A way has three
//! numbers: `filled` (when its line was fetched), `used` (when it was last used) and `uses`
//! (how often). Useful Rust: `ways.len()`; `chance as usize % 8`; for LRU
//!
//! ```text
//! (0..ways.len()).min_by_key(|&way| ways[way].used).unwrap_or(0)
//! ```

use crate::memory::Way;

/// The index in `ways` of the line to evict; all ways are full.
pub fn victim(ways: &[Way], chance: u64) -> usize {
    let _ = (ways, chance); // remove this line
    0
}
