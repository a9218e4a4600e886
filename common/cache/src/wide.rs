//! Sets of many ways, under LRU or FIFO: a list in order of use or arrival, and an index
//! that finds a line in it without a search.

use crate::journal::Journal;
use crate::moves::Moves;
use crate::policy::Touched;
use crate::sets::{Layout, Store, moved_tag};
use crate::tag::{LINE, PREFETCHED, Tag};

/// From how many ways on sets are wide.
pub(crate) const WIDE: usize = 48;

#[derive(Debug)]
pub(crate) struct WideSets {
    layout: Layout,
    sets: Vec<WideSet>,
    /// A use makes a line the first one (LRU); otherwise only its arrival does (FIFO).
    reorders: bool,
    journal: Journal<()>,
}

/// One set: ways 1 and up are in a ring behind way 0, which is no way but its two ends.
#[derive(Debug, Clone)]
struct WideSet {
    tags: Vec<Tag>,
    newer: Vec<u32>,
    older: Vec<u32>,
    empty: Vec<u32>,
    /// Number of the window that saved it last.
    saved_in: u32,
    /// Finds a line's way: an open table with linear probing, 0 for a free place.
    index: Vec<u32>,
}

impl WideSet {
    fn new(ways: usize) -> WideSet {
        WideSet {
            tags: vec![0; ways + 1],
            newer: vec![0; ways + 1],
            older: vec![0; ways + 1],
            empty: (1..=ways as u32).rev().collect(),
            saved_in: 0,
            index: vec![0; (4 * ways).next_power_of_two()],
        }
    }

    /// Where in the index the search for the line `key` begins (Knuth's multiplicative hashing).
    #[inline(always)]
    fn hash(&self, key: Tag) -> usize {
        key.wrapping_mul(0x9e37_79b1) as usize >> (u32::BITS - self.index.len().trailing_zeros())
    }

    /// The line in `way`.
    #[inline(always)]
    fn key(&self, way: u32) -> Tag {
        self.tags[way as usize] & LINE
    }

    /// Where in the index the line `key` is, or may be put.
    #[inline(always)]
    fn position(&self, key: Tag) -> usize {
        let mut at = self.hash(key);
        while self.index[at] != 0 && self.key(self.index[at]) != key {
            at = (at + 1) & (self.index.len() - 1);
        }
        at
    }

    #[inline(always)]
    fn way(&self, key: Tag) -> Option<u32> {
        let first = self.older[0];
        if self.key(first) == key {
            return Some(first);
        }
        Some(self.index[self.position(key)]).filter(|way| *way != 0)
    }

    /// Takes the line `key` out of the index: those behind it move up, as far as they may.
    fn forget(&mut self, key: Tag) {
        let mask = self.index.len() - 1;
        let mut free = self.position(key);
        let mut at = free;
        loop {
            at = (at + 1) & mask;
            if self.index[at] == 0 {
                break;
            }
            let distance = at.wrapping_sub(self.hash(self.key(self.index[at]))) & mask;
            if distance >= at.wrapping_sub(free) & mask {
                self.index[free] = self.index[at];
                free = at;
            }
        }
        self.index[free] = 0;
    }

    fn unlink(&mut self, way: u32) {
        let (newer, older) = (self.newer[way as usize], self.older[way as usize]);
        self.older[newer as usize] = older;
        self.newer[older as usize] = newer;
    }

    fn link_first(&mut self, way: u32) {
        let first = std::mem::replace(&mut self.older[0], way);
        self.newer[first as usize] = way;
        (self.newer[way as usize], self.older[way as usize]) = (0, first);
    }

    #[inline(always)]
    fn make_first(&mut self, way: u32) {
        if self.older[0] != way {
            self.unlink(way);
            self.link_first(way);
        }
    }

    fn fill(&mut self, tag: Tag) -> Tag {
        let way = self.empty.pop().unwrap_or(self.newer[0]);
        let victim = self.tags[way as usize];
        if victim != 0 {
            self.forget(victim & LINE);
            self.unlink(way);
        }
        let at = self.position(tag & LINE);
        self.index[at] = way;
        self.tags[way as usize] = tag;
        self.link_first(way);
        victim
    }

    fn remove(&mut self, key: Tag) -> Tag {
        let Some(way) = self.way(key) else { return 0 };
        self.forget(key);
        self.unlink(way);
        self.empty.push(way);
        std::mem::take(&mut self.tags[way as usize])
    }

    /// The tags from the last use or arrival on.
    fn in_order(&self) -> impl Iterator<Item = Tag> {
        let ways = std::iter::successors(Some(self.older[0]), |way| Some(self.older[*way as usize]));
        ways.take_while(|way| *way != 0).map(|way| self.tags[way as usize])
    }
}

impl WideSets {
    pub(crate) fn new(layout: Layout, reorders: bool) -> WideSets {
        WideSets {
            layout,
            sets: vec![WideSet::new(layout.ways); layout.sets],
            reorders,
            journal: Journal::new(layout.ways),
        }
    }

    #[inline]
    fn look_at(&mut self, set: usize) -> &mut WideSet {
        if self.journal.lacks(self.sets[set].saved_in) {
            let tags = self.content(set);
            self.journal.save(set, &tags, (), &mut self.sets[set].saved_in);
        }
        &mut self.sets[set]
    }
}

impl Store for WideSets {
    fn layout(&self) -> Layout {
        self.layout
    }

    fn hits_settle(&self) -> bool {
        true
    }

    fn touch(&mut self, set: usize, key: Tag, flags: Tag) -> Touched {
        match self.hit(set, key, flags) {
            Some(tag) => Touched { hit: true, tag },
            None => Touched { hit: false, tag: self.sets[set].fill(key | flags) },
        }
    }

    fn hit(&mut self, set: usize, key: Tag, flags: Tag) -> Option<Tag> {
        let reorders = self.reorders;
        let set = self.look_at(set);
        let way = set.way(key)?;
        let tag = &mut set.tags[way as usize];
        let before = std::mem::replace(tag, (*tag | flags) & !PREFETCHED);
        if reorders {
            set.make_first(way);
        }
        Some(before)
    }

    fn mark(&mut self, set: usize, key: Tag, flags: Tag) -> bool {
        let set = self.look_at(set);
        let way = set.way(key);
        way.map(|way| set.tags[way as usize] |= flags).is_some()
    }

    fn tag(&mut self, set: usize, key: Tag) -> Tag {
        let set = self.look_at(set);
        set.way(key).map_or(0, |way| set.tags[way as usize])
    }

    fn fill(&mut self, set: usize, tag: Tag) -> Tag {
        self.look_at(set).fill(tag)
    }

    fn remove(&mut self, set: usize, key: Tag) -> Tag {
        self.look_at(set).remove(key)
    }

    fn content(&self, set: usize) -> Vec<Tag> {
        let mut tags: Vec<Tag> = self.sets[set].in_order().collect();
        tags.resize(self.layout.ways, 0);
        tags
    }

    fn open_window(&mut self) {
        self.journal.open();
    }

    fn close_window(&mut self) {
        self.journal.close(|set, window| self.sets[set].saved_in = window);
    }

    fn recurs(&self, moves: &Moves) -> bool {
        self.journal.saved().all(|(saved, tags)| {
            let saved_tags = tags.iter().take_while(|tag| **tag != 0);
            self.sets[saved.set]
                .in_order()
                .eq(saved_tags.map(|tag| moved_tag(*tag, moves, self.layout.shift, 1)))
        })
    }

    fn advance(&mut self, moves: &Moves, times: u64) {
        if moves.is_none() {
            return;
        }
        let sets: Vec<usize> = self.journal.saved().map(|(saved, _)| saved.set).collect();
        for set in sets {
            let tags: Vec<Tag> = self.sets[set].in_order().collect();
            let mut changed = WideSet::new(self.layout.ways);
            for tag in tags.iter().rev() {
                changed.fill(moved_tag(*tag, moves, self.layout.shift, times));
            }
            changed.saved_in = self.sets[set].saved_in;
            self.sets[set] = changed;
        }
    }
}
