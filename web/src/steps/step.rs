//! One access, and what became of it.

use serde::Serialize;

/// What became of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The line was there.
    Hit,
    /// It was never in the cache before.
    Compulsory,
    /// A fully associative cache of the same size misses too.
    Capacity,
    /// Only this placement misses.
    Conflict,
}

/// A way that holds a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// Where the line begins, in bytes from the first array.
    pub address: u64,
    /// Whether it has been written to and not written back.
    pub dirty: bool,
    /// The step that used it last.
    pub used: usize,
    /// The step that brought it.
    pub arrived: usize,
}

/// One access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Bytes from the first array.
    pub address: u64,
    /// Whether it is a store.
    pub store: bool,
    /// The set it falls into.
    pub set: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// The line that was evicted, and whether it was written back.
    pub evicted: Option<(u64, bool)>,
    /// The ways of the set afterwards; a line keeps its way.
    pub ways: Vec<Option<Way>>,
    /// The way whose line the next miss evicts, where the set is full and it is not random.
    pub next: Option<usize>,
    /// Line and column of the access in the kernel's file.
    pub place: (u32, u32),
}
