//! **A replacement policy of your own.** A set of the cache is full and a new line
//! comes: which one has to leave?
//!
//! The least recently used one, as most caches do it? A walk round and round an array
//! that is a little larger than the cache then misses in *every* line: the one that
//! leaves is always the one that is used next. Write a policy that retains part of
//! such an array, and is nearly as good as LRU where LRU is good (a product in
//! blocks). Both are counted; so is the best that anyone could do who knows the
//! future.
//!
//! A policy may toss a coin: `chance` is a new random number each time.
//! Useful words: `ways.len()`; `chance as usize % 8`; for LRU
//!
//! ```
//! # use exercises::check::policy::Way;
//! # let ways = [Way { filled: 1, used: 4, uses: 2 }, Way { filled: 2, used: 3, uses: 2 }];
//! let oldest = (0..ways.len()).min_by_key(|&way| ways[way].used).unwrap_or(0);
//! # assert_eq!(oldest, 1);
//! ```

use crate::check::policy::Way;

/// The place in `ways` (from 0) of the line that has to leave; all ways are full.
pub fn victim(ways: &[Way], chance: u64) -> usize {
    let _ = (ways, chance); // take this line out
    0
}
