//! One access, and what became of it.

use serde::Serialize;

/// The outcome of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// A hit.
    Hit,
    /// A compulsory miss: the line was never in the cache before.
    Compulsory,
    /// A capacity miss: a fully associative cache of the same size misses too.
    Capacity,
    /// A conflict miss: a fully associative cache of the same size would hit.
    Conflict,
}

impl Outcome {
    /// Its letter in the string of all outcomes.
    pub(super) fn letter(self) -> char {
        match self {
            Outcome::Hit => 'h',
            Outcome::Compulsory => 'm',
            Outcome::Capacity => 'a',
            Outcome::Conflict => 'o',
        }
    }
}

/// A way with a line in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// Address of the line, in bytes from the first array.
    pub address: u64,
    /// Whether it is dirty.
    pub dirty: bool,
    /// The step that used it last.
    pub used: usize,
    /// The step that fetched it.
    pub arrived: usize,
}

/// One access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Bytes from the first array.
    pub address: u64,
    /// Whether it is a store.
    pub store: bool,
    /// Its set.
    pub set: usize,
    /// Its outcome.
    pub outcome: Outcome,
    /// The line that was evicted, and whether it was written back.
    pub evicted: Option<(u64, bool)>,
    /// The ways of the set afterwards; a line stays in its way.
    pub ways: Vec<Option<Way>>,
    /// The way whose line the next miss evicts, if the set is full and the policy is not
    /// random.
    pub next: Option<usize>,
    /// Line and column of the access in the kernel's file.
    pub place: (u32, u32),
}
