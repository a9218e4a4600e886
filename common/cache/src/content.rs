//! The present content of a level, for those who watch it access by access.

use crate::Modelled;
use crate::tag::{DIRTY, line_of};

/// A line in a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Address of the line, in bytes from the first array.
    pub address: u64,
    /// Whether the line is dirty.
    pub dirty: bool,
}

impl Modelled {
    /// The lines in `set` of the cache at `level`, counted from 1; none if there
    /// is no such set.
    pub fn content(&mut self, level: u8, set: usize) -> Vec<Held> {
        self.simulate();
        let levels = &self.walker.sim.levels;
        let Some(level) = levels.get(usize::from(level).wrapping_sub(1)) else { return Vec::new() };
        if set >= level.store.layout().sets {
            return Vec::new();
        }
        let held = |&tag: &u32| Held { address: line_of(tag) << level.shift, dirty: tag & DIRTY != 0 };
        level.store.content(set).iter().filter(|tag| **tag != 0).map(held).collect()
    }
}
