//! A policy with state across sets, for tests: set dueling between LRU and bimodal
//! insertion (DIP; Qureshi et al., "Adaptive Insertion Policies for High Performance
//! Caching", ISCA 2007).

use crate::policy::{Lru, Policy};
use crate::tag::Tag;

/// One set in so many always uses LRU, another one always bimodal insertion.
const LEADERS: usize = 8;
/// Bimodal insertion makes one line in so many the most recently used.
const FRONT: u32 = 32;

/// Misses in the leader sets, those of LRU minus the others, and fills by bimodal
/// insertion.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Dueling {
    lru_misses: i32,
    fills: u32,
}

impl Policy for Dueling {
    type Set = ();
    type Shared = Dueling;

    fn shared(&self) -> Dueling {
        self.clone()
    }

    fn hit(&mut self, set: usize, (): &mut (), tags: &mut [Tag], way: usize) {
        Lru.hit(set, &mut (), tags, way);
    }

    fn fill(&mut self, set: usize, (): &mut (), tags: &mut [Tag], tag: Tag) -> Tag {
        match set % LEADERS {
            0 => self.lru_misses = (self.lru_misses + 1).min(1 << 9),
            1 => self.lru_misses = (self.lru_misses - 1).max(-(1 << 9)),
            _ => {}
        }
        let follows_lru = match set % LEADERS {
            0 => true,
            1 => false,
            _ => self.lru_misses <= 0,
        };
        self.fills = (self.fills + u32::from(!follows_lru)) % FRONT;
        if follows_lru || self.fills == 0 || tags.contains(&0) {
            return Lru.fill(set, &mut (), tags, tag);
        }
        let last = tags.len() - 1;
        std::mem::replace(&mut tags[last], tag)
    }

    fn remove(&mut self, tags: &mut [Tag], way: usize) {
        Lru.remove(tags, way);
    }
}
