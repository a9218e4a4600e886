//! A kernel's accesses and misses, counted on the cache model.

use cache::{Counts, Modelled};
use machine::{Machine, MachineError};
use memory::Arena;

use super::wrong::{Wrong, tried};

/// Rows of the matrices that are counted: a column of doubles has more lines than the
/// [`small`] cache, and rows begin at the start of a line.
pub(super) const ROWS: usize = 200;

/// A cache of 8 KiB, too small for a column of [`ROWS`] rows.
pub(super) fn small() -> Result<Machine, MachineError> {
    cache_of(8 << 10, 64, 4)
}

/// A machine with one cache of `size` bytes in lines of `line` bytes.
pub(crate) fn cache_of(size: usize, line: usize, ways: usize) -> Result<Machine, MachineError> {
    let text =
        format!("name = \"exercise\"\n[[cache]]\nlevel = 1\nsize = {size}\nline = {line}\nways = {ways}\n");
    Machine::from_toml(&text, "the exercise's cache")
}

/// Runs a kernel on a model of `machine`'s caches and counts; a panic of the kernel becomes
/// an error.
pub(super) fn counted(
    machine: &Machine,
    arena: &Arena,
    hint: &'static str,
    kernel: impl FnOnce(&mut Modelled),
) -> Result<Counts, Wrong> {
    let mut model = Modelled::new(machine, arena).map_err(Wrong::unmade)?;
    tried(hint, || kernel(&mut model))?;
    Ok(model.counts())
}

/// Misses of the first cache.
pub(crate) fn misses(counts: &Counts) -> u64 {
    counts.level(1).map_or(0, |level| level.misses.total())
}

/// The same of one array.
pub(super) fn misses_of(counts: &Counts, name: &str) -> u64 {
    let arrays = counts.level(1).map(|level| level.arrays.as_slice()).unwrap_or_default();
    arrays.iter().filter(|array| array.name == name).map(|array| array.misses.total()).sum()
}
