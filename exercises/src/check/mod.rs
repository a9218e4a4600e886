//! The checks of the tasks: a reference for the results, the cache model for accesses and
//! misses.

use cache::Replay;
use machine::{Machine, MachineError};

use crate::program::{Call, Counts, Data, Program};
use crate::wrong::{Reason, Wrong};

pub(crate) mod arrays;
pub(crate) mod matrices;
pub(crate) mod places;
pub(crate) mod policy;

/// What a right solution was measured to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// Sentences.
    pub facts: Vec<String>,
    /// The count to beat: the first cache's misses.
    pub misses: u64,
    /// Loads and stores, or calls of a function that makes none.
    pub accesses: u64,
}

/// The counts of a right solution, or what is wrong with it.
pub type Checked = Result<Passed, Wrong>;

/// Rows of the matrices that are counted: a column of doubles has more lines than the
/// [`small`] cache, and rows begin at the start of a line, also of 128 bytes.
const ROWS: usize = 208;
/// A side that is not a multiple of any block.
const ODD: usize = 37;

/// A cache of 8 KiB, too small for a column of [`ROWS`] rows.
fn small() -> Result<Machine, Wrong> {
    cache_of(8 << 10, 64, 4).map_err(Wrong::unmade)
}

/// A machine with one cache of `size` bytes in lines of `line` bytes.
fn cache_of(size: usize, line: usize, ways: usize) -> Result<Machine, MachineError> {
    let text =
        format!("name = \"exercise\"\n[[cache]]\nlevel = 1\nsize = {size}\nline = {line}\nways = {ways}\n");
    Machine::from_toml(&text, "the exercise's cache")
}

/// Misses of a machine's first cache in loads of doubles at these addresses.
fn misses_at(machine: &Machine, addresses: impl IntoIterator<Item = usize>) -> Result<u64, Wrong> {
    let mut replay = Replay::new(machine, vec!["x"]).map_err(Wrong::unmade)?;
    for address in addresses {
        replay.access(address as u64, 8, false, 0).map_err(Wrong::unmade)?;
    }
    Ok(replay.misses(1))
}

/// The result of a function without memory.
fn value(program: &mut Program, integers: &[usize]) -> Result<usize, Wrong> {
    let integers: Vec<u64> = integers.iter().map(|integer| *integer as u64).collect();
    let call = Call { machine: None, arrays: &mut [], integers: &integers, solution: 1 };
    let (value, _) = program.call(call)?;
    Ok(value as usize)
}

/// Calls a function on arrays, and counts on `machine`.
fn counted(
    program: &mut Program,
    machine: &Machine,
    arrays: &mut [Data],
    integers: &[u64],
    solution: usize,
) -> Result<(u64, Counts), Wrong> {
    program.call(Call { machine: Some(machine), arrays, integers, solution: solution as u64 })
}

/// Refuses more loads or stores than a solution makes.
fn at_most(counts: &Counts, loads: usize, stores: usize, hint: &'static str) -> Result<(), Wrong> {
    if counts.loads <= loads as u64 && counts.stores <= stores as u64 {
        return Ok(());
    }
    let found = format!(
        "{} loads and {} stores; at most {loads} and {stores} are allowed",
        counts.loads, counts.stores
    );
    Err(Wrong::new(found, hint))
}

/// Refuses fewer accesses than the work takes: the results came from elsewhere.
fn at_least(counts: &Counts, loads: usize, stores: usize) -> Result<(), Wrong> {
    if counts.loads >= loads as u64 && counts.stores >= stores as u64 {
        return Ok(());
    }
    let found = format!(
        "{} loads and {} stores; the work takes at least {loads} and {stores}",
        counts.loads, counts.stores
    );
    Err(Wrong {
        reason: Reason::Result,
        found,
        hint: "Read and write the elements of the arrays, each time they are needed.",
    })
}
