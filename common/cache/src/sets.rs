//! The lines of one level, set by set, under a replacement policy.

use std::borrow::Cow;

use super::journal::Journal;
use super::lru;
use super::plru;
use super::tag::{LINE, PREFETCHED, Tag};
use super::ways::{are_plus, empty, make_mru, position, same_in_any_order};
use super::wide::{WIDE, WideSet};
use figures::random::Random;
use machine::Replacement;

/// The sets of a level with any number of ways under any policy.
#[derive(Debug, Clone)]
pub(super) struct Sets {
    /// Way by way; none where sets are wide.
    pub(super) tags: Vec<Tag>,
    /// Number of sets.
    count: usize,
    pub(super) ways: usize,
    /// Whether more lines can come to a set than it has ways; if not, their
    /// order does not matter.
    pub(super) evicts: bool,
    policy: Policy,
    pub(super) journal: Journal,
}

#[derive(Debug, Clone)]
enum Policy {
    /// Ways in order of recency.
    Lru,
    /// Ways in order of arrival.
    Fifo,
    /// The same two for sets of many ways, without `tags`.
    Wide { sets: Vec<WideSet>, logs_uses: bool },
    /// One direction bit per inner node of a tree over the ways, per set.
    Plru(Vec<u64>),
    /// State of the generator.
    Random(Random),
}

impl Sets {
    /// `sets` sets of `ways` ways, to each of which at most `lines` lines come:
    /// ways that they can never fill would only cost memory. (Sets of 1, 2 and
    /// multiples of 4 ways are the quickest.)
    pub(super) fn new(sets: usize, ways: usize, lines: usize, replacement: Replacement) -> Sets {
        let evicts = lines > ways;
        let ways = if lines <= 2 { lines.max(1) } else { lines.saturating_add(3) & !3 }.min(ways);
        let wide = |logs_uses| Policy::Wide { sets: vec![WideSet::new(ways); sets], logs_uses };
        let policy = match replacement {
            Replacement::Lru if ways >= WIDE => wide(true),
            Replacement::Fifo if ways >= WIDE => wide(false),
            Replacement::Lru => Policy::Lru,
            Replacement::Fifo => Policy::Fifo,
            Replacement::Plru => Policy::Plru(vec![0; sets]),
            Replacement::Random { seed } => Policy::Random(Random::new(seed)),
        };
        let tags = if matches!(policy, Policy::Wide { .. }) { 0 } else { sets * ways };
        Sets { tags: vec![0; tags], count: sets, ways, evicts, policy, journal: Journal::default() }
    }

    /// Whether the policy keeps ways in order of recency.
    pub(super) fn is_lru(&self) -> bool {
        matches!(self.policy, Policy::Lru)
    }

    /// Whether sets are kept as those of many ways are.
    pub(super) fn is_wide(&self) -> bool {
        matches!(self.policy, Policy::Wide { .. })
    }

    /// Whether the victim of one set depends on what happens in others.
    pub(super) fn is_random(&self) -> bool {
        matches!(self.policy, Policy::Random(_))
    }

    /// Whether it is one set whose victim is the line used, or filled, longest ago.
    pub(super) fn is_one_queue(&self) -> bool {
        self.count == 1 && matches!(self.policy, Policy::Lru | Policy::Fifo | Policy::Wide { .. })
    }

    /// An empty set of so many times fewer ways, under the same policy.
    pub(super) fn share(&self, times: usize) -> Sets {
        let in_order_of_use = matches!(self.policy, Policy::Lru | Policy::Wide { logs_uses: true, .. });
        let policy = if in_order_of_use { Replacement::Lru } else { Replacement::Fifo };
        Sets::new(1, self.ways / times, usize::MAX, policy)
    }

    /// Number of sets.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Number of ways of all sets together.
    pub(super) fn size(&self) -> usize {
        self.count * self.ways
    }

    /// The ways of `set`; those in order of use or arrival, the last one first.
    pub(super) fn content(&self, set: usize) -> Cow<'_, [Tag]> {
        match &self.policy {
            Policy::Wide { sets, .. } => sets[set].in_order().collect(),
            _ => self.tags[set * self.ways..][..self.ways].into(),
        }
    }

    /// The ways of `set` as far as they decide what it does next.
    fn state(&self, set: usize) -> Cow<'_, [Tag]> {
        let mut content = self.content(set);
        if !self.evicts {
            content.to_mut().sort_unstable();
        }
        content
    }

    /// The same of all sets.
    pub(super) fn all(&self) -> Cow<'_, [Tag]> {
        match &self.policy {
            Policy::Wide { .. } => (0..self.count).flat_map(|set| self.state(set).into_owned()).collect(),
            _ if self.evicts || self.ways == 1 => self.tags[..].into(),
            _ => {
                let mut tags = self.tags.clone();
                tags.chunks_exact_mut(self.ways).for_each(<[Tag]>::sort_unstable);
                tags.into()
            }
        }
    }

    /// Empties every way.
    pub(super) fn clear(&mut self) {
        self.tags.fill(0);
        if let Policy::Wide { sets, .. } = &mut self.policy {
            sets.iter_mut().for_each(|set| set.map(|_| 0));
        }
    }

    /// Changes every line's tag; all stay in their set, and in order.
    pub(super) fn map(&mut self, change: impl Fn(Tag) -> Tag) {
        let change = |tag| if tag == 0 { 0 } else { change(tag) };
        self.tags.iter_mut().for_each(|tag| *tag = change(*tag));
        if let Policy::Wide { sets, .. } = &mut self.policy {
            sets.iter_mut().for_each(|set| set.map(change));
        }
    }

    /// Whether `set`, which is not wide, holds `tags` in that order, with that tree.
    #[inline(always)]
    pub(super) fn is_in(&self, set: usize, tags: impl Iterator<Item = Tag>, tree: u64) -> bool {
        self.tags[set * self.ways..][..self.ways].iter().copied().eq(tags) && self.policy.tree(set) == tree
    }

    /// The same of `tags` that are each `by` more.
    #[inline(always)]
    pub(super) fn is_in_plus(&self, set: usize, tags: &[Tag], by: Tag, tree: u64) -> bool {
        are_plus(&self.tags[set * self.ways..][..self.ways], tags, by) && self.policy.tree(set) == tree
    }

    /// Whether the wide `set` holds `tags`, its last way first.
    pub(super) fn holds(&self, set: usize, tags: &[Tag]) -> bool {
        matches!(&self.policy, Policy::Wide { sets, .. } if sets[set].holds(tags))
    }

    /// Makes the wide `set` hold `tags`, its last way first.
    pub(super) fn hold(&mut self, set: usize, tags: &[Tag]) {
        if let Some((wide, _)) = self.wide(set) {
            wide.hold(tags);
        }
    }

    /// What `set` holds, and its tree.
    pub(super) fn in_set(&self, set: usize) -> (Cow<'_, [Tag]>, u64) {
        (self.content(set), self.policy.tree(set))
    }

    /// Makes `set` hold `tags`, with that tree.
    pub(super) fn put(&mut self, set: usize, tags: impl Iterator<Item = Tag>, tree: u64) {
        match &mut self.policy {
            Policy::Wide { sets, .. } => return sets[set].put(tags),
            Policy::Plru(trees) => trees[set] = tree,
            _ => {}
        }
        let ways = &mut self.tags[set * self.ways..][..self.ways];
        ways.iter_mut().zip(tags).for_each(|(way, tag)| *way = tag);
    }

    /// The ways of `set`, which is not wide, to be changed.
    pub(super) fn noted(&mut self, set: usize) -> &mut [Tag] {
        self.note(set);
        self.set(set)
    }

    /// Notes what is in `set`, which is about to be looked at.
    #[inline(always)]
    pub(super) fn note(&mut self, set: usize) {
        if self.journal.lacks(set) {
            self.save(set);
        }
    }

    #[inline(never)]
    fn save(&mut self, set: usize) {
        let tree = self.policy.tree(set);
        match &self.policy {
            Policy::Wide { sets, .. } => {
                let ways: Vec<Tag> = sets[set].in_order().collect();
                self.journal.save(set, &ways, tree);
            }
            _ => self.journal.save(set, &self.tags[set * self.ways..][..self.ways], tree),
        }
    }

    /// The wide `set`.
    fn wide(&mut self, set: usize) -> Option<(&mut WideSet, bool)> {
        let Policy::Wide { sets, logs_uses } = &mut self.policy else { return None };
        Some((&mut sets[set], *logs_uses))
    }

    /// The ways of `set`.
    fn set(&mut self, set: usize) -> &mut [Tag] {
        &mut self.tags[set * self.ways..][..self.ways]
    }

    /// From here on, what is changed is written down.
    pub(super) fn start_journal(&mut self) {
        self.journal.start(self.count);
    }

    /// Makes all sets as they were when that part of the journal began.
    pub(super) fn undo(&mut self, part: usize) {
        let journal = std::mem::take(&mut self.journal);
        for (set, tags, tree) in journal.saved_from(part, self.ways) {
            self.put(set, tags.iter().copied(), tree);
        }
        self.journal = journal;
    }

    /// Whether all sets are as they were at the start of the journal.
    pub(super) fn unchanged(&self) -> bool {
        self.journal.all(self.ways, |set, tags, tree| {
            let content = self.content(set);
            let same = *content == *tags && self.policy.tree(set) == tree;
            same || !self.evicts && same_in_any_order(&content, tags)
        })
    }

    /// Looks for the line `key` in `set` without using it.
    #[inline]
    pub(super) fn find(&self, set: usize, key: Tag) -> Option<usize> {
        match &self.policy {
            Policy::Wide { sets, .. } => sets[set].find(key),
            _ => position(&self.tags[set * self.ways..][..self.ways], key),
        }
    }

    /// Uses the line `key`, sets `flags`; its tag before, if it is there.
    pub(super) fn hit(&mut self, set: usize, key: Tag, flags: Tag) -> Option<Tag> {
        self.note(set);
        let way = self.find(set, key)?;
        if let Some((wide, logs_uses)) = self.wide(set) {
            return Some(wide.hit(way, flags, logs_uses));
        }
        let tags = self.set(set);
        let before = tags[way];
        tags[way] = (before | flags) & !PREFETCHED;
        match &mut self.policy {
            Policy::Lru => make_mru(&mut self.tags[set * self.ways..], way),
            Policy::Plru(trees) => plru::touch(&mut trees[set], self.ways, way),
            Policy::Fifo | Policy::Random(_) | Policy::Wide { .. } => {}
        }
        Some(before)
    }

    /// Uses the line `key` of an LRU set, or fills it.
    #[inline]
    pub(super) fn touch(&mut self, set: usize, key: Tag) -> bool {
        match self.ways {
            4 => self.touch_lru::<4>(set, key),
            6 => self.touch_lru::<6>(set, key),
            8 => self.touch_lru::<8>(set, key),
            12 => self.touch_lru::<12>(set, key),
            16 => self.touch_lru::<16>(set, key),
            _ => {
                let hit = self.hit(set, key, 0).is_some();
                if !hit {
                    self.fill(set, key);
                }
                hit
            }
        }
    }

    #[inline(always)]
    fn touch_lru<const W: usize>(&mut self, set: usize, key: Tag) -> bool {
        self.note(set);
        let (sets, _) = self.set(set).as_chunks_mut::<W>();
        sets.first_mut().is_some_and(|set| lru::touch(set, key, 0).hit)
    }

    /// Sets `flags` of the line `key` without using it; whether it is there.
    pub(super) fn mark(&mut self, set: usize, key: Tag, flags: Tag) -> bool {
        self.note(set);
        let way = self.find(set, key);
        if let Some(way) = way {
            let tag = match self.wide(set) {
                Some((wide, _)) => wide.tag(way),
                None => &mut self.set(set)[way],
            };
            *tag |= flags;
        }
        way.is_some()
    }

    /// Fills `tag`; the victim's tag, 0 if there was an empty way.
    pub(super) fn fill(&mut self, set: usize, tag: Tag) -> Tag {
        self.note(set);
        if let Some((wide, _)) = self.wide(set) {
            return wide.fill(tag);
        }
        let ways = self.ways;
        let tags = &mut self.tags[set * ways..][..ways];
        match &mut self.policy {
            Policy::Lru | Policy::Fifo | Policy::Wide { .. } => {
                make_mru(tags, ways - 1);
                std::mem::replace(&mut tags[0], tag)
            }
            Policy::Plru(trees) => {
                let way = empty(tags).unwrap_or_else(|| plru::victim(trees[set], ways));
                plru::touch(&mut trees[set], ways, way);
                std::mem::replace(&mut tags[way], tag)
            }
            Policy::Random(random) => {
                let way = empty(tags).unwrap_or_else(|| random.below(ways));
                std::mem::replace(&mut tags[way], tag)
            }
        }
    }

    /// Fills `tag`, or only marks its line with its flags if that is there; the victim's tag,
    /// 0 if there is none.
    #[inline]
    pub(super) fn accept(&mut self, set: usize, tag: Tag) -> Tag {
        self.note(set);
        match (self.is_in_order(), self.ways) {
            (true, 8) => lru::accept(self.narrow::<8>(set), tag),
            (true, 12) => lru::accept(self.narrow::<12>(set), tag),
            (true, 16) => lru::accept(self.narrow::<16>(set), tag),
            _ if self.mark(set, tag & LINE, tag & !LINE) => 0,
            _ => self.fill(set, tag),
        }
    }

    /// Removes the line `key`; its tag, 0 if it was not there.
    #[inline]
    pub(super) fn remove(&mut self, set: usize, key: Tag) -> Tag {
        self.note(set);
        match (self.is_in_order(), self.ways) {
            (true, 8) => lru::remove(self.narrow::<8>(set), key),
            (true, 12) => lru::remove(self.narrow::<12>(set), key),
            (true, 16) => lru::remove(self.narrow::<16>(set), key),
            _ => self.find(set, key).map_or(0, |way| self.take(set, way)),
        }
    }

    /// Whether ways are in order of recency or arrival, and stand in `tags`.
    #[inline(always)]
    pub(super) fn is_in_order(&self) -> bool {
        matches!(self.policy, Policy::Lru | Policy::Fifo)
    }

    /// The ways of `set`, of which there are `W`.
    #[inline(always)]
    fn narrow<const W: usize>(&mut self, set: usize) -> &mut [Tag; W] {
        &mut self.tags.as_chunks_mut::<W>().0[set]
    }

    #[inline(never)]
    fn take(&mut self, set: usize, way: usize) -> Tag {
        if let Some((wide, _)) = self.wide(set) {
            return wide.remove(way);
        }
        let in_order = self.is_in_order();
        let tags = self.set(set);
        let tag = std::mem::take(&mut tags[way]);
        if in_order {
            tags[way..].rotate_left(1); // empty ways stay behind the others
        }
        tag
    }

    /// State of the random policy's generator.
    pub(super) fn generator(&self) -> u64 {
        if let Policy::Random(random) = &self.policy { random.state() } else { 0 }
    }

    /// The policy's own state, beside the tags.
    pub(super) fn policy_state(&self) -> Cow<'_, [u64]> {
        match &self.policy {
            Policy::Lru | Policy::Fifo | Policy::Wide { .. } => Cow::default(),
            Policy::Plru(trees) => trees.into(),
            Policy::Random(random) => vec![random.state()].into(),
        }
    }
}

impl Policy {
    /// The direction bits of `set`.
    fn tree(&self, set: usize) -> u64 {
        if let Policy::Plru(trees) = self { trees[set] } else { 0 }
    }
}
