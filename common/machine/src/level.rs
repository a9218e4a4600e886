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
    /// First in, first out.
    Fifo,
    /// A random one, the same in every run.
    Random,
}

/// What a store that hits does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Write {
    /// Write-back: marks the line dirty; it is written to the next level when it is
    /// evicted.
    Back,
    /// Write-through: passes the store on to the next level at once.
    Through,
}

/// How the content of a level depends on the levels above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inclusion {
    /// Holds every line of the levels above: a line that is evicted from this level is
    /// evicted there too.
    Inclusive,
    /// Holds only lines that the level above evicted.
    Exclusive,
    /// Neither is enforced.
    Neither,
}

/// Which address selects the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Index {
    /// The program's own (virtual) address.
    Virtual,
    /// The physical address, after translation.
    Physical,
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
    /// The replacement policy.
    pub replacement: Replacement,
    /// What a store that hits does.
    pub write: Write,
    /// Whether a store that misses fetches the line.
    pub allocate: bool,
    /// Relation to the levels above.
    pub inclusion: Inclusion,
    /// The address that selects the set.
    pub index: Index,
    /// Time from a load to its data when it hits this level.
    pub latency: Option<Seconds>,
}

impl CacheLevel {
    /// The rules of most caches: LRU, write-back, write-allocate; 32 KiB of 8 ways with lines of
    /// 64 bytes.
    pub fn plain(level: u8) -> CacheLevel {
        CacheLevel {
            level,
            size: Bytes(32 << 10),
            line: Bytes(64),
            ways: 8,
            shared_by: 1,
            replacement: Replacement::Lru,
            write: Write::Back,
            allocate: true,
            inclusion: Inclusion::Neither,
            index: Index::Virtual,
            latency: None,
        }
    }

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
