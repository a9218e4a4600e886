//! **How many ways?** The machine is unknown: its cache has lines of 64 bytes and replaces the
//! least recently used line. Find its ways (lines in a set) by loads alone. `mem.misses()` is
//! the number of misses so far.
//!
//! Elements 4096 bytes (512 doubles) apart are in one set. Load k of them one after the
//! other, twice. If they fit the set, the second round has no miss. With one more than
//! there are ways, it misses.
//!
//! The array has 32 x 512 elements, and no machine has more than 16 ways. Each size needs
//! elements that were not loaded before, or enough rounds.

use crate::memory::{Array, Memory};

/// The ways of the machine's cache.
pub fn ways(mem: &mut Memory, x: Array) -> usize {
    let before = mem.misses();
    mem.load(x.at(0));
    let missed = mem.misses() - before;
    missed as usize
}
