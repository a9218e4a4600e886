//! Checks kernels: a reference for the numbers, the cache model for accesses and misses.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cache::{Counts, Modelled};
use machine::{Machine, MachineError};
use memory::Arena;

pub mod block;
pub mod ge4_tail;
pub mod matrices;
pub mod policy;

/// The measured facts of a right kernel, or what is wrong with it.
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
    fn new(found: impl Into<String>, hint: &'static str) -> Wrong {
        Wrong { found: found.into(), hint }
    }

    /// The check itself could not be made.
    fn unmade(why: impl ToString) -> Wrong {
        Wrong::new(why.to_string(), "Your kernel is not the cause: the check itself failed.")
    }
}

/// The result of `work`, or the message of its panic.
fn tried<T>(hint: &'static str, work: impl FnOnce() -> T) -> Result<T, Wrong> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        Wrong::new(format!("your function stopped with an error: {said}"), hint)
    })
}

/// Rows of the matrices that are counted: a column of doubles has more lines than the
/// [`small`] cache, and rows begin at the start of a line.
const ROWS: usize = 200;

/// A cache of 8 KiB, too small for a column of [`ROWS`] rows.
fn small() -> Result<Machine, MachineError> {
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
fn counted(
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

/// Misses of one array in the first cache.
fn misses_of(counts: &Counts, name: &str) -> u64 {
    let arrays = counts.level(1).map(|level| level.arrays.as_slice()).unwrap_or_default();
    arrays.iter().filter(|array| array.name == name).map(|array| array.misses.total()).sum()
}
