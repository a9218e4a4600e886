//! A set of many ways, such as a fully associative cache: a hash table finds a
//! line, a log of uses keeps the order, and both in constant time an access.

use super::tag::{LINE, PREFETCHED, Tag};

/// Ways from which on a set is kept like this.
pub(super) const WIDE: usize = 33;

/// The lines of one set.
#[derive(Debug, Clone)]
pub(super) struct WideSet {
    ways: usize,
    /// Lines in order of use (or of arrival, where uses are not logged); 0 where
    /// a line was used again later, or left.
    log: Vec<Tag>,
    /// No line stands before it.
    oldest: usize,
    held: usize,
    index: Index,
    /// Whether the index is up to date: where sets are filled as a whole again and again,
    /// it would be built for nothing.
    indexed: bool,
}

impl WideSet {
    pub(super) fn new(ways: usize) -> WideSet {
        let log = Vec::with_capacity(2 * ways);
        WideSet { ways, log, oldest: 0, held: 0, index: Index::new(ways), indexed: true }
    }

    /// Where the line `key` stands in the log.
    pub(super) fn find(&self, key: Tag) -> Option<usize> {
        if self.indexed { self.index.get(key) } else { self.log.iter().position(|tag| tag & LINE == key) }
    }

    /// The tag that stands there.
    pub(super) fn tag(&mut self, at: usize) -> &mut Tag {
        &mut self.log[at]
    }

    /// Uses the line that stands there, sets `flags`; its tag before.
    pub(super) fn hit(&mut self, at: usize, flags: Tag, logs_uses: bool) -> Tag {
        let before = self.log[at];
        let tag = (before | flags) & !PREFETCHED;
        if logs_uses {
            self.log[at] = 0;
            self.push(tag);
        } else {
            self.log[at] = tag;
        }
        before
    }

    /// Fills `tag`; the victim's tag, 0 if there was room.
    pub(super) fn fill(&mut self, tag: Tag) -> Tag {
        let victim = if self.held == self.ways { self.evict() } else { 0 };
        self.held += 1;
        self.push(tag);
        victim
    }

    /// Takes the line that stands there out; its tag.
    pub(super) fn remove(&mut self, at: usize) -> Tag {
        self.update_index();
        let tag = std::mem::take(&mut self.log[at]);
        self.index.remove(tag & LINE);
        self.held -= 1;
        tag
    }

    /// Changes every tag; none stays where that gives 0.
    pub(super) fn map(&mut self, change: impl Fn(Tag) -> Tag) {
        self.log.iter_mut().for_each(|tag| *tag = change(*tag));
        self.log.retain(|tag| *tag != 0);
        self.renew();
    }

    /// Holds `tags`, the last used one first, empty ways (0) last.
    pub(super) fn put(&mut self, tags: impl Iterator<Item = Tag>) {
        self.log.clear();
        self.log.extend(tags);
        self.log.reverse();
        self.renew();
    }

    /// The same, empty ways first and the last used one last.
    pub(super) fn hold(&mut self, tags: &[Tag]) {
        self.log.clear();
        self.log.extend_from_slice(tags);
        self.renew();
    }

    /// Makes the rest agree with a new log, in which gaps come first.
    fn renew(&mut self) {
        self.oldest = self.log.iter().take_while(|tag| **tag == 0).count();
        (self.held, self.indexed) = (self.log.len() - self.oldest, false);
    }

    /// Whether the ways, empty ones first and the last used one last, are `tags`.
    pub(super) fn holds(&self, tags: &[Tag]) -> bool {
        let log = &self.log[self.oldest..];
        if log.len() != self.held {
            return self.in_order().eq(tags.iter().rev().copied());
        }
        let (empty, held) = tags.split_at(tags.len() - log.len());
        held == log && empty.iter().all(|tag| *tag == 0)
    }

    /// All ways, the last used line first, empty ones last.
    pub(super) fn in_order(&self) -> impl Iterator<Item = Tag> + '_ {
        let held = self.log[self.oldest..].iter().rev().copied().filter(|tag| *tag != 0);
        held.chain(std::iter::repeat(0)).take(self.ways)
    }

    fn evict(&mut self) -> Tag {
        while self.log[self.oldest] == 0 {
            self.oldest += 1;
        }
        self.remove(self.oldest)
    }

    fn push(&mut self, tag: Tag) {
        if self.log.len() == 2 * self.ways {
            self.tidy();
        }
        self.update_index();
        self.index.set(tag & LINE, self.log.len());
        self.log.push(tag);
    }

    /// Drops the log's gaps, after as many uses as there are ways at least.
    fn tidy(&mut self) {
        self.log.retain(|tag| *tag != 0);
        self.oldest = 0;
        self.place_all();
    }

    fn update_index(&mut self) {
        if !self.indexed {
            self.index.slots.fill((0, 0));
            self.place_all();
            self.indexed = true;
        }
    }

    fn place_all(&mut self) {
        for (at, tag) in self.log.iter().enumerate().filter(|(_, tag)| **tag != 0) {
            self.index.set(tag & LINE, at);
        }
    }
}

/// Where each line stands in the log: open addressing, a quarter full at most.
#[derive(Debug, Clone)]
struct Index {
    /// Key and place; no key where there is nothing.
    slots: Vec<(Tag, u32)>,
    shift: u32,
}

impl Index {
    fn new(keys: usize) -> Index {
        let slots = (4 * keys).next_power_of_two();
        Index { slots: vec![(0, 0); slots], shift: u32::BITS - slots.trailing_zeros() }
    }

    /// Where a key belongs: Knuth's multiplicative hashing.
    fn home(&self, key: Tag) -> usize {
        ((key >> 2).wrapping_mul(0x9e37_79b1) >> self.shift) as usize
    }

    /// The slot of a key, or the empty one where it would stand.
    fn slot(&self, key: Tag) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.home(key) & mask;
        while self.slots[at].0 != key && self.slots[at].0 != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    fn get(&self, key: Tag) -> Option<usize> {
        let (found, place) = self.slots[self.slot(key)];
        (found == key).then_some(place as usize)
    }

    fn set(&mut self, key: Tag, place: usize) {
        let at = self.slot(key);
        self.slots[at] = (key, place as u32);
    }

    /// Empties the key's slot and closes the gap behind it.
    fn remove(&mut self, key: Tag) {
        let mask = self.slots.len() - 1;
        let mut gap = self.slot(key);
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let moved = self.slots[at].0;
            if moved == 0 {
                break;
            }
            // It may move up if its home does not lie behind the gap.
            if at.wrapping_sub(self.home(moved)) & mask >= at.wrapping_sub(gap) & mask {
                self.slots[gap] = self.slots[at];
                gap = at;
            }
        }
        self.slots[gap] = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_wide_set_is_a_list_in_order_of_use(
            uses in prop::collection::vec((0u32..60, 0u32..8), 0..600),
            logs_uses in any::<bool>(),
        ) {
            let (mut set, mut list) = (WideSet::new(WIDE), Vec::<Tag>::new());
            for (line, what) in uses {
                let key = (line * 4096 + 1) << 2;
                let place = list.iter().position(|tag| tag & LINE == key);
                let found = set.find(key);
                prop_assert_eq!(found.is_some(), place.is_some());
                match (found, place) {
                    (Some(at), Some(place)) if what == 0 => {
                        prop_assert_eq!(set.remove(at), list.remove(place));
                    }
                    (Some(at), Some(place)) => {
                        let before = list[place];
                        list[place] |= what & 1;
                        if logs_uses {
                            list[..=place].rotate_right(1);
                        }
                        prop_assert_eq!(set.hit(at, what & 1, logs_uses), before);
                    }
                    _ => {
                        list.insert(0, key);
                        let victim = if list.len() > WIDE { list.pop().unwrap() } else { 0 };
                        prop_assert_eq!(set.fill(key), victim);
                    }
                }
                let held: Vec<Tag> = set.in_order().take_while(|tag| *tag != 0).collect();
                prop_assert_eq!(held, list.clone());
            }
        }
    }
}
