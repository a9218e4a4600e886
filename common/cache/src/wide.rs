//! Sets of many ways, with LRU: a list in order of use, and a table of where each line is.

use crate::journal::{Journal, Moves};
use crate::sets::{Layout, Store, moved_tag};
use crate::tag::{Tag, line_of};

/// Sets with at least so many ways are wide. Below, it is quicker to compare all ways.
pub(crate) const WIDE: usize = 256;

#[derive(Debug)]
pub(crate) struct WideSets {
    layout: Layout,
    sets: Vec<WideSet>,
    places: Places,
    journal: Journal<()>,
}

/// One set: lines in order, as a ring. Way 0 is not a way but links the two ends; the ways
/// are 1 and up.
#[derive(Debug, Clone)]
struct WideSet {
    ways: Vec<Way>,
    empty: Vec<u32>,
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
            saved_in: 0,
        }
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
    fn fill(&mut self, tag: Tag, places: &mut Places) -> Tag {
        let (way, victim) = match self.empty.pop() {
            Some(way) => {
                self.link_first(way);
                (way, 0)
            }
            None if self.ways.len() == 1 => return tag, // no ways
            None => {
                let last = self.ways[0].newer;
                self.put_first(last);
                (last, self.ways[last as usize].tag)
            }
        };
        if victim != 0 {
            places.set(victim, 0);
        }
        places.set(tag, way);
        self.ways[way as usize].tag = tag;
        victim
    }

    /// The tags, the most recent first.
    fn in_order(&self) -> impl Iterator<Item = Tag> {
        let first = self.ways[0].older;
        let ways = std::iter::successors(Some(first), |way| Some(self.ways[*way as usize].older));
        ways.take_while(|way| *way != 0).map(|way| self.ways[way as usize].tag)
    }
}

/// For each line its way, 0 if it is in none: in blocks of so many lines, those with lines alone.
#[derive(Debug, Default)]
struct Places(Vec<Box<[u32]>>);

const BLOCK: u64 = 1024;

impl Places {
    #[inline]
    fn way(&self, key: Tag) -> Option<u32> {
        let line = line_of(key);
        let way = *self.0.get((line / BLOCK) as usize)?.get((line % BLOCK) as usize)?;
        (way != 0).then_some(way)
    }

    #[inline]
    fn set(&mut self, key: Tag, way: u32) {
        let line = line_of(key);
        let (block, at) = ((line / BLOCK) as usize, (line % BLOCK) as usize);
        if block >= self.0.len() {
            self.0.resize(block + 1, Box::default());
        }
        if self.0[block].is_empty() {
            self.0[block] = vec![0; BLOCK as usize].into();
        }
        self.0[block][at] = way;
    }
}

impl WideSets {
    pub(crate) fn new(layout: Layout) -> WideSets {
        WideSets {
            layout,
            sets: vec![WideSet::new(layout.ways); layout.sets],
            places: Places::default(),
            journal: Journal::new(layout.ways),
        }
    }

    #[inline]
    fn look_at(&mut self, set: usize) -> (&mut WideSet, &mut Places) {
        if self.journal.lacks(self.sets[set].saved_in) {
            let tags = self.content(set);
            self.journal.save(set, &tags, (), &mut self.sets[set].saved_in);
        }
        (&mut self.sets[set], &mut self.places)
    }

    /// The tag of the line `key`.
    fn tag_of(&mut self, set: usize, key: Tag) -> Option<&mut Tag> {
        let (set, places) = self.look_at(set);
        places.way(key).map(|way| &mut set.ways[way as usize].tag)
    }
}

impl Store for WideSets {
    fn layout(&self) -> Layout {
        self.layout
    }

    fn touch(&mut self, set: usize, key: Tag, flags: Tag) -> Option<Tag> {
        let hit = self.hit(set, key, flags);
        (!hit).then(|| self.sets[set].fill(key | flags, &mut self.places))
    }

    fn hit(&mut self, set: usize, key: Tag, flags: Tag) -> bool {
        let (set, places) = self.look_at(set);
        let Some(way) = places.way(key) else { return false };
        set.put_first(way);
        set.ways[way as usize].tag |= flags;
        true
    }

    fn mark(&mut self, set: usize, key: Tag, flags: Tag) -> bool {
        self.tag_of(set, key).map(|tag| *tag |= flags).is_some()
    }

    fn tag(&mut self, set: usize, key: Tag) -> Tag {
        self.tag_of(set, key).map_or(0, |tag| *tag)
    }

    fn fill(&mut self, set: usize, tag: Tag) -> Tag {
        let (set, places) = self.look_at(set);
        set.fill(tag, places)
    }

    fn remove(&mut self, set: usize, key: Tag) -> Tag {
        let (set, places) = self.look_at(set);
        let Some(way) = places.way(key) else { return 0 };
        places.set(key, 0);
        set.unlink(way);
        set.empty.push(way);
        std::mem::take(&mut set.ways[way as usize].tag)
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
            tags.iter().for_each(|tag| self.places.set(*tag, 0));
            let mut changed = WideSet::new(self.layout.ways);
            for tag in tags.iter().rev() {
                changed.fill(moved_tag(*tag, moves, self.layout.shift, times), &mut self.places);
            }
            changed.saved_in = self.sets[set].saved_in;
            self.sets[set] = changed;
        }
    }
}
