//! Sets of many ways, with LRU or FIFO, in order of use or arrival: the first few lines are
//! searched one by one, the others are in a list with a hash table.

use crate::journal::Journal;
use crate::moves::Moves;
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

/// The number of lines of a set that are searched one by one.
const FRONT: usize = 8;

/// One set: the most recent lines, then all others.
#[derive(Debug, Clone)]
struct WideSet {
    front: [Tag; FRONT],
    others: List,
    /// Number of the window that saved it last.
    saved_in: u32,
}

impl WideSet {
    fn new(ways: usize) -> WideSet {
        WideSet { front: [0; FRONT], others: List::new(ways.saturating_sub(FRONT)), saved_in: 0 }
    }

    #[inline(always)]
    fn tag(&mut self, key: Tag) -> Option<&mut Tag> {
        match self.front.iter().position(|tag| tag & LINE == key) {
            Some(at) => Some(&mut self.front[at]),
            None => self.others.way(key).map(|way| &mut self.others.tags[way as usize]),
        }
    }

    /// Uses the line `key`, which makes it the first one; returns its previous tag.
    #[inline(always)]
    fn use_line(&mut self, key: Tag, flags: Tag) -> Option<Tag> {
        if let Some(at) = self.front.iter().position(|tag| tag & LINE == key) {
            let tag = self.front[at];
            self.front.copy_within(..at, 1);
            self.front[0] = (tag | flags) & !PREFETCHED;
            return Some(tag);
        }
        let tag = self.others.remove(key);
        if tag == 0 {
            return None;
        }
        self.put_first((tag | flags) & !PREFETCHED);
        Some(tag)
    }

    fn put_first(&mut self, tag: Tag) {
        let last = self.front[FRONT - 1];
        self.front.copy_within(..FRONT - 1, 1);
        self.front[0] = tag;
        if last != 0 {
            self.others.put_first(last);
        }
    }

    fn fill(&mut self, tag: Tag) -> Tag {
        let is_full = self.front[FRONT - 1] != 0 && self.others.empty.is_empty();
        let victim = if is_full { self.others.remove_last() } else { 0 };
        self.put_first(tag);
        victim
    }

    fn remove(&mut self, key: Tag) -> Tag {
        match self.front.iter().position(|tag| tag & LINE == key) {
            Some(at) => {
                let tag = self.front[at];
                self.front.copy_within(at + 1.., at);
                self.front[FRONT - 1] = 0;
                tag
            }
            None => self.others.remove(key),
        }
    }

    /// The tags, the most recent first.
    fn in_order(&self) -> impl Iterator<Item = Tag> {
        self.front.into_iter().filter(|tag| *tag != 0).chain(self.others.in_order())
    }
}

/// Lines in order, as a ring: way 0 is not a way but links the two ends; the ways are 1 and
/// up.
#[derive(Debug, Clone)]
struct List {
    tags: Vec<Tag>,
    newer: Vec<u32>,
    older: Vec<u32>,
    empty: Vec<u32>,
    /// Finds a line's way: a hash table with linear probing, 0 for a free entry.
    index: Vec<u32>,
}

impl List {
    fn new(ways: usize) -> List {
        List {
            tags: vec![0; ways + 1],
            newer: vec![0; ways + 1],
            older: vec![0; ways + 1],
            empty: (1..=ways as u32).rev().collect(),
            index: vec![0; (4 * ways).next_power_of_two()],
        }
    }

    /// The entry at which the search for the line `key` starts (Knuth's multiplicative
    /// hashing).
    #[inline(always)]
    fn hash(&self, key: Tag) -> usize {
        key.wrapping_mul(0x9e37_79b1) as usize >> (u32::BITS - self.index.len().trailing_zeros())
    }

    /// The line in `way`.
    #[inline(always)]
    fn key(&self, way: u32) -> Tag {
        self.tags[way as usize] & LINE
    }

    /// The entry of the line `key`, or where it can be inserted.
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
        Some(self.index[self.position(key)]).filter(|way| *way != 0)
    }

    /// Removes the line `key` from the table, and moves later entries up where possible.
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

    /// Adds a new line; there must be an empty way.
    fn put_first(&mut self, tag: Tag) {
        let Some(way) = self.empty.pop() else { return };
        let at = self.position(tag & LINE);
        self.index[at] = way;
        self.tags[way as usize] = tag;
        let first = std::mem::replace(&mut self.older[0], way);
        self.newer[first as usize] = way;
        (self.newer[way as usize], self.older[way as usize]) = (0, first);
    }

    fn remove_last(&mut self) -> Tag {
        self.remove(self.key(self.newer[0]))
    }

    fn remove(&mut self, key: Tag) -> Tag {
        let Some(way) = self.way(key) else { return 0 };
        self.forget(key);
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

    fn hits_settle(&self) -> bool {
        true
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
            return set.use_line(key, flags);
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
