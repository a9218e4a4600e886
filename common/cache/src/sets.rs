//! The lines of one level or TLB, set by set, under a replacement policy.

use std::fmt::Debug;

use crate::journal::{Journal, Moves};
use crate::policy::{Policy, find};
use crate::tag::{LINE, Tag, line_of, moved};

/// Number of sets and ways.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) sets: usize,
    pub(crate) ways: usize,
    /// Bytes of a line, as a shift.
    pub(crate) shift: u32,
    /// Each line has a set of its own, of one way: for a level that evicts nothing, where a
    /// line is found without a search and there is no order to compare.
    pub(crate) resident: bool,
}

impl Layout {
    /// The distance in bytes of lines that are in the same set; if each line has its own,
    /// the bytes of a line.
    pub(crate) fn span(self) -> u64 {
        let sets = if self.resident { 1 } else { self.sets as u64 };
        sets << self.shift
    }
}

/// Sets with any policy.
pub(crate) trait Store: Debug + Send {
    fn layout(&self) -> Layout;

    /// Uses the line `key` and sets `flags`, or fills it with them; returns the victim's tag then, 0
    /// if there was an empty way.
    fn touch(&mut self, set: usize, key: Tag, flags: Tag) -> Option<Tag>;

    /// Uses the line `key` and sets `flags`; returns whether it is there.
    fn hit(&mut self, set: usize, key: Tag, flags: Tag) -> bool;

    /// Sets `flags` of the line `key` without using it; returns whether it is there.
    fn mark(&mut self, set: usize, key: Tag, flags: Tag) -> bool;

    /// The tag of the line `key`, which is not used by this; 0 if it is not there.
    fn tag(&mut self, set: usize, key: Tag) -> Tag;

    /// Fills `tag`; returns the victim's tag, 0 if there was an empty way.
    fn fill(&mut self, set: usize, tag: Tag) -> Tag;

    /// Removes the line `key`; returns its tag, 0 if it was not there.
    fn remove(&mut self, set: usize, key: Tag) -> Tag;

    /// The ways of `set`; those in order of use or arrival, the most recent first.
    fn content(&self, set: usize) -> Vec<Tag>;

    /// Opens a window: from now on, sets are saved before they are accessed; see
    /// [`Journal`].
    fn open_window(&mut self);

    /// Closes the last window.
    fn close_window(&mut self);

    /// Whether all sets accessed in the last window have their old content, moved by
    /// `moves`.
    fn recurs(&self, moves: &Moves) -> bool;

    /// Changes these sets as if the last window were repeated `times` times, each time
    /// moved by `moves`.
    fn advance(&mut self, moves: &Moves, times: u64);
}

/// Sets of few ways: `W` of them, or any number if that is 0. With a constant number of
/// ways it takes two thirds of the time.
#[derive(Debug)]
pub(crate) struct Sets<P: Policy, const W: usize> {
    layout: Layout,
    /// For each set, its ways followed by the number of the window that saved it last.
    words: Vec<u32>,
    states: Vec<P::Set>,
    policy: P,
    journal: Journal<P::Set>,
    /// The state of the policy's random generator at the start of each open window.
    generators: Vec<u64>,
}

impl<P: Policy, const W: usize> Sets<P, W> {
    pub(crate) fn new(layout: Layout, policy: P) -> Sets<P, W> {
        Sets {
            layout,
            words: vec![0; layout.sets * (layout.ways + 1)],
            states: vec![P::Set::default(); layout.sets],
            policy,
            journal: Journal::new(layout.ways),
            generators: Vec::new(),
        }
    }

    /// The index of the first way of `set`, and the number of ways.
    #[inline(always)]
    fn place(&self, set: usize) -> (usize, usize) {
        let ways = if W > 0 { W } else { self.layout.ways };
        (set * (ways + 1), ways)
    }

    #[inline(always)]
    fn ways(&self, set: usize) -> &[Tag] {
        let (start, ways) = self.place(set);
        &self.words[start..][..ways]
    }

    /// The policy, and the state and ways of `set`, which is saved first if necessary.
    #[inline(always)]
    fn look_at(&mut self, set: usize) -> (&mut P, &mut P::Set, &mut [Tag]) {
        let (start, ways) = self.place(set);
        let (tags, saved_in) = self.words[start..][..ways + 1].split_at_mut(ways);
        let state = &mut self.states[set];
        if self.journal.lacks(saved_in[0]) {
            self.journal.save(set, tags, state.clone(), &mut saved_in[0]);
        }
        (&mut self.policy, state, tags)
    }

    /// The set to which the content of `set` moves if each line has a set of its own.
    fn moved_set(&self, set: usize, moves: &Moves, times: u64) -> usize {
        if self.layout.resident {
            set.wrapping_add_signed(moves.lines(set as u64, self.layout.shift) as isize * times as isize)
        } else {
            set
        }
    }
}

/// `tag` moved `times` times.
pub(crate) fn moved_tag(tag: Tag, moves: &Moves, shift: u32, times: u64) -> Tag {
    if tag == 0 { 0 } else { moved(tag, moves.lines(line_of(tag), shift) * times as i64) }
}

impl<P: Policy, const W: usize> Store for Sets<P, W> {
    fn layout(&self) -> Layout {
        self.layout
    }

    fn touch(&mut self, set: usize, key: Tag, flags: Tag) -> Option<Tag> {
        let (policy, state, tags) = self.look_at(set);
        policy.touch(state, tags, key, flags)
    }

    fn hit(&mut self, set: usize, key: Tag, flags: Tag) -> bool {
        let (policy, state, tags) = self.look_at(set);
        policy.hit(state, tags, key, flags)
    }

    fn mark(&mut self, set: usize, key: Tag, flags: Tag) -> bool {
        let (_, _, tags) = self.look_at(set);
        let tag = tags.iter_mut().find(|tag| **tag & LINE == key);
        tag.map(|tag| *tag |= flags).is_some()
    }

    fn tag(&mut self, set: usize, key: Tag) -> Tag {
        let (_, _, tags) = self.look_at(set);
        find(tags, key).map_or(0, |way| tags[way])
    }

    fn fill(&mut self, set: usize, tag: Tag) -> Tag {
        let (policy, state, tags) = self.look_at(set);
        policy.fill(state, tags, tag)
    }

    fn remove(&mut self, set: usize, key: Tag) -> Tag {
        let (policy, _, tags) = self.look_at(set);
        let Some(way) = find(tags, key) else { return 0 };
        let tag = tags[way];
        policy.remove(tags, way);
        tag
    }

    fn content(&self, set: usize) -> Vec<Tag> {
        self.ways(set).to_vec()
    }

    fn open_window(&mut self) {
        self.journal.open();
        self.generators.push(self.policy.generator());
    }

    fn close_window(&mut self) {
        let ways = self.layout.ways;
        self.journal.close(|set, window| self.words[set * (ways + 1) + ways] = window);
        self.generators.pop();
    }

    fn recurs(&self, moves: &Moves) -> bool {
        self.generators.last() == Some(&self.policy.generator())
            && self.journal.saved().all(|(saved, tags)| {
                let set = self.moved_set(saved.set, moves, 1);
                set < self.layout.sets && self.states[set] == saved.state && {
                    let now = self.ways(set).iter();
                    if moves.is_none() {
                        now.eq(tags)
                    } else {
                        now.copied().eq(tags.iter().map(|tag| moved_tag(*tag, moves, self.layout.shift, 1)))
                    }
                }
            })
    }

    fn advance(&mut self, moves: &Moves, times: u64) {
        if moves.is_none() {
            return;
        }
        let shift = self.layout.shift;
        let sets: Vec<usize> = self.journal.saved().map(|(saved, _)| saved.set).collect();
        if !self.layout.resident {
            for set in sets {
                let (_, _, tags) = self.look_at(set);
                tags.iter_mut().for_each(|tag| *tag = moved_tag(*tag, moves, shift, times));
            }
            return;
        }
        // Each repetition leaves its own lines; the last one that accesses a line decides
        // its flags.
        let held: Vec<(usize, Tag)> = sets.iter().map(|set| (*set, self.ways(*set)[0])).collect();
        for time in 1..=times {
            for &(set, tag) in &held {
                let target = self.moved_set(set, moves, time);
                if target != set && target < self.layout.sets {
                    let (_, _, tags) = self.look_at(target);
                    tags[0] = moved_tag(tag, moves, shift, time);
                }
            }
        }
    }
}
