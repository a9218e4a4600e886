//! Sets of many ways, with LRU or FIFO: a list in order of use or arrival, and a hash table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::journal::{Journal, Moves};
use crate::policy::Touched;
use crate::sets::{Layout, Store, moved_tag};
use crate::tag::{LINE, PREFETCHED, Tag};

/// Sets with at least so many ways are wide.
pub(crate) const WIDE: usize = 48;

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
    tags: Vec<Tag>,
    newer: Vec<u32>,
    older: Vec<u32>,
    empty: Vec<u32>,
    /// The way of each line.
    index: HashMap<Tag, u32, BuildHasherDefault<LineHasher>>,
    /// Number of the window that saved it last.
    saved_in: u32,
}

/// Spreads line numbers, which no attacker chooses: Knuth's multiplicative hashing.
#[derive(Debug, Default)]
struct LineHasher(u64);

impl Hasher for LineHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, line: u32) {
        let product = (self.0 ^ u64::from(line)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

impl WideSet {
    fn new(ways: usize) -> WideSet {
        WideSet {
            tags: vec![0; ways + 1],
            newer: vec![0; ways + 1],
            older: vec![0; ways + 1],
            empty: (1..=ways as u32).rev().collect(),
            index: HashMap::default(),
            saved_in: 0,
        }
    }

    fn tag(&mut self, key: Tag) -> Option<&mut Tag> {
        self.index.get(&key).map(|way| &mut self.tags[*way as usize])
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

    /// Makes the line `key` the first one, if it is there.
    fn put_first(&mut self, key: Tag) {
        if let Some(way) = self.index.get(&key).copied().filter(|way| *way != self.older[0]) {
            self.unlink(way);
            self.link_first(way);
        }
    }

    fn fill(&mut self, tag: Tag) -> Tag {
        let last = self.newer[0];
        let victim = if self.empty.is_empty() { self.remove(self.tags[last as usize] & LINE) } else { 0 };
        if let Some(way) = self.empty.pop() {
            self.index.insert(tag & LINE, way);
            self.tags[way as usize] = tag;
            self.link_first(way);
        }
        victim
    }

    fn remove(&mut self, key: Tag) -> Tag {
        let Some(way) = self.index.remove(&key) else { return 0 };
        self.unlink(way);
        self.empty.push(way);
        std::mem::take(&mut self.tags[way as usize])
    }

    /// The tags, the most recent first.
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
        if reorders {
            set.put_first(key);
        }
        let tag = set.tag(key)?;
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
