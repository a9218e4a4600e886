//! One level of cache, and its policies.

use figures::units::{Bytes, Seconds};
use serde::{Deserialize, Serialize};

/// Which line of a full set is evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replacement {
    /// The least recently used one.
    Lru,
    /// The one a tree of direction bits points at; needs 2, 4, 8 ... ways.
    Plru,
    /// The one that came first.
    Fifo,
    /// Any, drawn from a seeded generator: the same in every run.
    Random {
        /// Start of the generator.
        seed: u64,
    },
}

/// What a store that hits does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Write {
    /// Marks the line; it is written to the next level when it is replaced.
    Back,
    /// Is passed on to the next level at once.
    Through,
}

/// How a level's content relates to that of the level above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inclusion {
    /// Holds every line of the levels above: what is evicted here is evicted there.
    Inclusive,
    /// Holds only what the level above replaced.
    Exclusive,
    /// Neither is enforced.
    Neither,
}

/// Which address picks the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Index {
    /// The program's own.
    Virtual,
    /// The one the page mapping gives.
    Physical,
}

/// What a level fetches without being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prefetch {
    /// Nothing.
    None,
    /// The line behind one that missed, or that was used for the first time
    /// after having been prefetched.
    NextLine,
    /// The next line at the distance that the last misses in one array kept.
    Stride,
    /// The next lines in the direction in which a page is walked.
    Stream,
}

/// One level of data (or unified) cache.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CacheLevel {
    /// 1 for the level next to the core.
    pub level: u8,
    /// Capacity.
    pub size: Bytes,
    /// Bytes per line.
    pub line: Bytes,
    /// Lines per set.
    pub ways: usize,
    /// Number of logical processors that share it.
    pub shared_by: usize,
    /// Who is evicted.
    pub replacement: Replacement,
    /// What a store that hits does.
    pub write: Write,
    /// Whether a store that misses brings the line in.
    pub allocate: bool,
    /// Relation to the levels above.
    pub inclusion: Inclusion,
    /// Address that picks the set.
    pub index: Index,
    /// What is fetched unasked.
    pub prefetch: Prefetch,
    /// Time from a load to its data when it hits this level.
    pub latency: Option<Seconds>,
}

impl CacheLevel {
    /// Number of sets.
    pub fn sets(&self) -> usize {
        self.lines() / self.ways
    }

    /// Number of lines.
    pub fn lines(&self) -> usize {
        (self.size.0 / self.line.0) as usize
    }

    /// `8-way`, `direct-mapped` or `fully associative`.
    pub fn associativity(&self) -> String {
        match self.ways {
            1 => "direct-mapped".to_owned(),
            ways if ways == self.lines() => "fully associative".to_owned(),
            ways => format!("{ways}-way"),
        }
    }
}
