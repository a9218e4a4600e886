//! Sets of many ways, with LRU or FIFO: a list in order of use or arrival, and a hash table.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::journal::{Journal, Moves};
use crate::policy::Touched;
use crate::sets::{Layout, Store, moved_tag};
use crate::tag::{LINE, PREFETCHED, Tag};

/// Sets with at least so many ways are wide. Below, it is quicker to compare all ways.
pub(crate) const WIDE: usize = 256;

#[derive(Debug)]
pub(crate) struct WideSets {
    layout: Layout,
    sets: Vec<WideSet>,
    /// Whether a use makes a line the first one (LRU), and not only its arrival (FIFO).
    reorders: bool,
    journal: Journal<()>,
}

/// One set: lines in order, as a ring. Way 0 is not a way but links the two ends; the ways
/// are 1 and up.
#[derive(Debug, Clone)]
struct WideSet {
    ways: Vec<Way>,
    empty: Vec<u32>,
    /// The way of each line.
    index: HashMap<Tag, u32, FixedState>,
    /// Number of the window that saved it last.
    saved_in: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Way {
    tag: Tag,
    newer: u32,
    older: u32,
}

impl WideSet {
    fn new(ways: usize) -> WideSet {
        WideSet {
            ways: vec![Way::default(); ways + 1],
            empty: (1..=ways as u32).rev().collect(),
            index: HashMap::default(),
            saved_in: 0,
        }
    }

    /// The way of the line `key`; most uses are of the line that was used last.
    fn way(&self, key: Tag) -> Option<u32> {
        let first = self.ways[0].older;
        if self.ways[first as usize].tag & LINE == key { Some(first) } else { self.index.get(&key).copied() }
    }

    fn tag(&mut self, key: Tag) -> Option<&mut Tag> {
        self.way(key).map(|way| &mut self.ways[way as usize].tag)
    }

    fn unlink(&mut self, way: u32) {
        let Way { newer, older, .. } = self.ways[way as usize];
        self.ways[newer as usize].older = older;
        self.ways[older as usize].newer = newer;
    }

    fn link_first(&mut self, way: u32) {
        let first = std::mem::replace(&mut self.ways[0].older, way);
        self.ways[first as usize].newer = way;
        (self.ways[way as usize].newer, self.ways[way as usize].older) = (0, first);
    }

    fn put_first(&mut self, way: u32) {
        if way != self.ways[0].older {
            self.unlink(way);
            self.link_first(way);
        }
    }

    /// Fills `tag` in place of the last line if no way is empty; returns that.
    fn fill(&mut self, tag: Tag) -> Tag {
        let (way, victim) = match self.empty.pop() {
            Some(way) => {
                self.link_first(way);
                (way, 0)
            }
            None => {
                let last = self.ways[0].newer;
                self.put_first(last);
                (last, self.ways[last as usize].tag)
            }
        };
        self.index.remove(&(victim & LINE));
        self.index.insert(tag & LINE, way);
        self.ways[way as usize].tag = tag;
        victim
    }

    fn remove(&mut self, key: Tag) -> Tag {
        let Some(way) = self.index.remove(&key) else { return 0 };
        self.unlink(way);
        self.empty.push(way);
        std::mem::take(&mut self.ways[way as usize].tag)
    }

    /// The tags, the most recent first.
    fn in_order(&self) -> impl Iterator<Item = Tag> {
        let first = self.ways[0].older;
        let ways = std::iter::successors(Some(first), |way| Some(self.ways[*way as usize].older));
        ways.take_while(|way| *way != 0).map(|way| self.ways[way as usize].tag)
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

    fn keeps_last(&self, lines: usize) -> bool {
        self.reorders && lines < self.layout.ways
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
        if reorders {
            set.put_first(way);
        }
        let tag = &mut set.ways[way as usize].tag;
        Some(std::mem::replace(tag, (*tag | flags) & !PREFETCHED))
    }

    fn mark(&mut self, set: usize, key: Tag, flags: Tag) -> bool {
        self.look_at(set).tag(key).map(|tag| *tag |= flags).is_some()
    }

    fn tag(&mut self, set: usize, key: Tag) -> Tag {
        self.look_at(set).tag(key).map_or(0, |tag| *tag)
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
