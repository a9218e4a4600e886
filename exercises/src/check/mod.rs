//! What holds a kernel against its task: a reference for its numbers, the cache
//! model for its accesses and misses.

pub mod block;
pub mod ge4_tail;
pub mod matrices;
pub mod policy;

use std::panic::{AssertUnwindSafe, catch_unwind};

use cache::{Counts, Modelled};
use machine::{Machine, MachineError};
use memory::Arena;

/// The facts of a kernel that does what it is to do, or why it does not.
pub type Checked = Result<Vec<String>, Wrong>;

/// What is wrong with a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// What was found, with its figures.
    pub found: String,
    /// Where to look.
    pub hint: &'static str,
}

impl Wrong {
    pub(crate) fn new(found: impl Into<String>, hint: &'static str) -> Wrong {
        Wrong { found: found.into(), hint }
    }

    /// The check itself could not be made.
    fn unmade(why: impl ToString) -> Wrong {
        Wrong::new(why.to_string(), "Your kernel is not the cause: the check itself failed.")
    }
}

/// Rows of the matrices that are counted: a column of doubles has more lines than
/// the [`small`] cache, and rows begin at the start of a line.
pub(crate) const ROWS: usize = 200;

/// A cache of 8 KiB that a column of [`ROWS`] rows does not fit.
pub(crate) fn small() -> Result<Machine, MachineError> {
    cache_of(8 << 10, 64, 4)
}

/// A machine with one cache of `size` bytes in lines of `line` bytes.
pub(crate) fn cache_of(size: usize, line: usize, ways: usize) -> Result<Machine, MachineError> {
    let text =
        format!("name = \"exercise\"\n[[cache]]\nlevel = 1\nsize = {size}\nline = {line}\nways = {ways}\n");
    Machine::from_toml(&text, "the exercise's cache")
}

/// Runs a kernel on a model of `machine`'s caches and counts; a panic of the kernel
/// is reported.
pub(crate) fn counted(
    machine: &Machine,
    arena: &Arena,
    hint: &'static str,
    kernel: impl FnOnce(&mut Modelled),
) -> Result<Counts, Wrong> {
    let mut model = Modelled::new(machine, arena).map_err(Wrong::unmade)?;
    tried(hint, || kernel(&mut model))?;
    Ok(model.counts())
}

/// What `work` gives; if it panics, what it said.
pub(crate) fn tried<T>(hint: &'static str, work: impl FnOnce() -> T) -> Result<T, Wrong> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        Wrong::new(format!("your function stopped with an error: {said}"), hint)
    })
}

/// Misses of the first cache.
pub(crate) fn misses(counts: &Counts) -> u64 {
    counts.level(1).map_or(0, |level| level.misses.total())
}

/// The same of one array.
pub(crate) fn misses_of(counts: &Counts, name: &str) -> u64 {
    let arrays = counts.level(1).map(|level| level.arrays.as_slice()).unwrap_or_default();
    arrays.iter().filter(|array| array.name == name).map(|array| array.misses.total()).sum()
}
