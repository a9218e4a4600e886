//! The lines of one level or TLB, set by set, under a replacement policy.
//!
//! LRU and FIFO are an order. Up to 16 ways it is that of the lines themselves, the newest first; more
//! are a ring, with a table of where each line is. With PLRU, a tree of bits for each set, and a random
//! policy, lines stay in their ways.

use figures::random::Random;
use machine::Replacement;

use crate::journal::{Journal, Moves};
use crate::plru;
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

/// How the lines of a set are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In order, in so many places; those beyond the ways are empty.
    One,
    Eight,
    Sixteen,
    /// In order, as a ring.
    Ring,
    /// In their ways.
    Fixed,
}

/// Sets with any policy.
#[derive(Debug)]
pub(crate) struct Sets {
    pub(crate) layout: Layout,
    replacement: Replacement,
    form: Form,
    /// The lines of a set are in so many places of `tags`.
    width: usize,
    tags: Vec<Tag>,
    /// For each set PLRU's direction bits, or the newest way of a ring.
    states: Vec<u64>,
    /// For each way of a ring, the next newer and older one.
    ring: Vec<[u32; 2]>,
    /// Where the lines of rings are.
    places: Places,
    random: Random,
    journal: Journal,
    /// For each set, the number of the window that saved it last.
    saved_in: Vec<u32>,
    /// The state of the random generator at the start of each open window.
    generators: Vec<u64>,
}

impl Sets {
    /// Empty sets with that policy.
    pub(crate) fn new(replacement: Replacement, layout: Layout) -> Sets {
        let Layout { sets, ways, .. } = layout;
        let (form, width) = match (replacement, ways) {
            (Replacement::Plru | Replacement::Random, _) => (Form::Fixed, ways),
            (_, 1) => (Form::One, 1),
            (_, 2..=8) => (Form::Eight, 8),
            (_, 9..=16) => (Form::Sixteen, 16),
            _ => (Form::Ring, ways),
        };
        let ring = |way: usize| [(way + ways - 1) % ways, (way + 1) % ways].map(|way| way as u32);
        Sets {
            layout,
            replacement,
            form,
            width,
            tags: vec![0; sets * width],
            states: vec![0; if matches!(form, Form::Fixed | Form::Ring) { sets } else { 0 }],
            ring: if form == Form::Ring {
                (0..sets * ways).map(|at| ring(at % ways)).collect()
            } else {
                Vec::new()
            },
            places: Places::default(),
            random: Random::new(1),
            journal: Journal::new(width),
            saved_in: vec![0; sets],
            generators: Vec::new(),
        }
    }

    #[inline(always)]
    fn tags(&self, set: usize) -> &[Tag] {
        &self.tags[set * self.width..][..self.width]
    }

    #[inline(always)]
    fn tags_mut(&mut self, set: usize) -> &mut [Tag] {
        &mut self.tags[set * self.width..][..self.width]
    }

    /// Where the line `key` is.
    #[inline]
    fn find(&self, set: usize, key: Tag) -> Option<usize> {
        let may_hold = match self.form {
            Form::Ring => return self.places.way(key),
            Form::Eight => holds(&self.tags.as_chunks::<8>().0[set], key),
            Form::Sixteen => holds(&self.tags.as_chunks::<16>().0[set], key),
            Form::One | Form::Fixed => true,
        };
        if may_hold { self.tags(set).iter().position(|tag| tag & LINE == key) } else { None }
    }

    /// Saves `set` if necessary, before it is changed.
    #[inline(always)]
    fn save(&mut self, set: usize) {
        if self.journal.is_open() && self.journal.lacks(self.saved_in[set]) {
            self.save_now(set);
        }
    }

    #[cold]
    #[inline(never)]
    fn save_now(&mut self, set: usize) {
        let mut journal = std::mem::take(&mut self.journal);
        self.saved_in[set] = journal.save(set, self.content(set), self.state(set), self.saved_in[set]);
        self.journal = journal;
    }

    /// The state of a set besides its content.
    fn state(&self, set: usize) -> u64 {
        if self.form == Form::Fixed { self.states[set] } else { 0 }
    }

    /// Uses the line `key` and sets `flags`, or fills it with them; returns the victim's tag then, 0
    /// if there was an empty way.
    #[inline(always)]
    pub(crate) fn touch(&mut self, set: usize, key: Tag, flags: Tag) -> Option<Tag> {
        self.save(set);
        let (ways, moves) = (self.layout.ways, self.replacement == Replacement::Lru);
        if self.form == Form::Eight {
            touch_in_order::<8>(&mut self.tags, set, ways, moves, key, flags)
        } else if self.form == Form::Sixteen {
            touch_in_order::<16>(&mut self.tags, set, ways, moves, key, flags)
        } else if self.form == Form::One {
            touch_in_order::<1>(&mut self.tags, set, ways, moves, key, flags)
        } else {
            self.touch_elsewhere(set, key, flags)
        }
    }

    #[inline(never)]
    fn touch_elsewhere(&mut self, set: usize, key: Tag, flags: Tag) -> Option<Tag> {
        let Some(way) = self.find(set, key) else { return Some(self.put(set, key | flags)) };
        self.tags_mut(set)[way] |= flags;
        match self.replacement {
            Replacement::Lru => self.put_first(set, way),
            Replacement::Plru => plru::touch(&mut self.states[set], self.layout.ways, way),
            Replacement::Fifo | Replacement::Random => {}
        }
        None
    }

    /// Sets `flags` of the line `key` without using it; returns whether it is there.
    pub(crate) fn mark(&mut self, set: usize, key: Tag, flags: Tag) -> bool {
        self.save(set);
        let way = self.find(set, key);
        way.map(|way| self.tags_mut(set)[way] |= flags).is_some()
    }

    /// The tag of the line `key`, which is not used by this; 0 if it is not there.
    pub(crate) fn tag(&self, set: usize, key: Tag) -> Tag {
        self.find(set, key).map_or(0, |way| self.tags(set)[way])
    }

    /// Fills `tag`; returns the victim's tag, 0 if there was an empty way.
    pub(crate) fn fill(&mut self, set: usize, tag: Tag) -> Tag {
        self.save(set);
        self.put(set, tag)
    }

    fn put(&mut self, set: usize, tag: Tag) -> Tag {
        let ways = self.layout.ways;
        let way = match self.form {
            Form::One => return put_in_order::<1>(&mut self.tags, set, ways, tag),
            Form::Eight => return put_in_order::<8>(&mut self.tags, set, ways, tag),
            Form::Sixteen => return put_in_order::<16>(&mut self.tags, set, ways, tag),
            _ if ways == 0 => return tag,
            Form::Ring => {
                let last = self.ring[set * ways + self.states[set] as usize][0] as usize;
                self.states[set] = last as u64;
                let victim = self.tags(set)[last];
                self.places.set(victim, 0);
                self.places.set(tag, last as u32 + 1);
                last
            }
            Form::Fixed => {
                let empty = self.tags(set).iter().position(|tag| *tag == 0);
                let is_plru = self.replacement == Replacement::Plru;
                let way = empty.unwrap_or_else(|| match is_plru {
                    true => plru::victim(self.states[set], ways),
                    false => self.random.below(ways),
                });
                if is_plru {
                    plru::touch(&mut self.states[set], ways, way);
                }
                way
            }
        };
        std::mem::replace(&mut self.tags_mut(set)[way], tag)
    }

    /// Makes `way` the newest one of a ring.
    #[inline]
    fn put_first(&mut self, set: usize, way: usize) {
        let ring = &mut self.ring[set * self.layout.ways..][..self.layout.ways];
        let first = std::mem::replace(&mut self.states[set], way as u64) as usize;
        let last = ring[first][0] as usize;
        if way != first && way != last {
            let [newer, older] = ring[way];
            (ring[newer as usize][1], ring[older as usize][0]) = (older, newer);
            ring[way] = [last as u32, first as u32];
            (ring[last][1], ring[first][0]) = (way as u32, way as u32);
        }
    }

    /// Removes the line `key`; returns its tag, 0 if it was not there.
    pub(crate) fn remove(&mut self, set: usize, key: Tag) -> Tag {
        self.save(set);
        let Some(way) = self.find(set, key) else { return 0 };
        let tag = std::mem::take(&mut self.tags_mut(set)[way]);
        match self.form {
            Form::Fixed => {}
            Form::Ring => {
                // The last one is the one before the newest.
                self.put_first(set, way);
                self.states[set] = self.ring[set * self.layout.ways + way][1].into();
                self.places.set(key, 0);
            }
            _ => self.tags_mut(set)[way..].rotate_left(1),
        }
        tag
    }

    /// The lines of `set`, and 0 for each empty place; those in order of use or arrival, the most
    /// recent first.
    pub(crate) fn content(&self, set: usize) -> impl Iterator<Item = Tag> {
        let (tags, ring) = (self.tags(set), self.form == Form::Ring);
        let mut next = if ring { self.states[set] as usize } else { 0 };
        tags.iter().map(move |tag| match ring {
            false => *tag,
            true => {
                let way = next;
                next = self.ring[set * self.layout.ways + way][1] as usize;
                tags[way]
            }
        })
    }

    /// Opens a window: from now on, sets are saved before they are accessed; see
    /// [`Journal`].
    pub(crate) fn open_window(&mut self) {
        self.journal.open();
        self.generators.push(self.random.state());
    }

    /// Closes the last window.
    pub(crate) fn close_window(&mut self) {
        self.journal.close(|set, window| self.saved_in[set] = window);
        self.generators.pop();
    }

    /// Whether all sets accessed in the last window have their old content, moved by
    /// `moves`.
    pub(crate) fn recurs(&self, moves: &Moves) -> bool {
        self.generators.last() == Some(&self.random.state())
            && self.journal.saved().all(|(saved, tags)| {
                let set = self.moved_set(saved.set, moves, 1);
                set < self.layout.sets && self.state(set) == saved.state && {
                    let before = tags.iter().copied();
                    if moves.is_none() {
                        self.content(set).eq(before)
                    } else {
                        self.content(set).eq(before.map(|tag| self.moved_tag(tag, moves, 1)))
                    }
                }
            })
    }

    /// Changes these sets as if the last window were repeated `times` times, each time
    /// moved by `moves`.
    pub(crate) fn advance(&mut self, moves: &Moves, times: u64) {
        if moves.is_none() {
            return;
        }
        let sets: Vec<usize> = self.journal.saved().map(|(saved, _)| saved.set).collect();
        if !self.layout.resident {
            for set in sets {
                for way in 0..self.width {
                    if self.form == Form::Ring {
                        self.places.set(self.tags(set)[way], 0);
                    }
                }
                for way in 0..self.width {
                    let tag = self.moved_tag(self.tags(set)[way], moves, times);
                    self.tags_mut(set)[way] = tag;
                    if self.form == Form::Ring {
                        self.places.set(tag, way as u32 + 1);
                    }
                }
            }
            return;
        }
        // Each repetition leaves its own lines; the last one that accesses a line decides
        // its flags.
        let held: Vec<(usize, Tag)> = sets.iter().map(|set| (*set, self.tags(*set)[0])).collect();
        for time in 1..=times {
            for &(set, tag) in &held {
                let target = self.moved_set(set, moves, time);
                if target != set && target < self.layout.sets {
                    self.save(target);
                    self.tags_mut(target)[0] = self.moved_tag(tag, moves, time);
                }
            }
        }
    }

    /// The set to which the content of `set` moves if each line has a set of its own.
    fn moved_set(&self, set: usize, moves: &Moves, times: u64) -> usize {
        if self.layout.resident {
            set.wrapping_add_signed(moves.lines(set as u64, self.layout.shift) as isize * times as isize)
        } else {
            set
        }
    }

    /// `tag` moved `times` times.
    pub(crate) fn moved_tag(&self, tag: Tag, moves: &Moves, times: u64) -> Tag {
        if tag == 0 { 0 } else { moved(tag, moves.lines(line_of(tag), self.layout.shift) * times as i64) }
    }
}

/// Uses the line `key` of a set in order, or fills it; see [`Sets::touch`]. If it `moves`, a use makes
/// it the newest.
#[inline(always)]
fn touch_in_order<const W: usize>(
    tags: &mut [Tag],
    set: usize,
    ways: usize,
    moves: bool,
    key: Tag,
    flags: Tag,
) -> Option<Tag> {
    let set_tags = &mut tags.as_chunks_mut::<W>().0[set];
    if !holds(set_tags, key) {
        return Some(put_in_order::<W>(tags, set, ways, key | flags));
    }
    use_in_order(set_tags, moves, key, flags);
    None
}

/// Whether one of the tags is that of the line `key`. By itself, as then all are compared at once.
#[inline(never)]
fn holds<const W: usize>(tags: &[Tag; W], key: Tag) -> bool {
    tags.iter().fold(0, |found, tag| found | u32::from(tag & LINE == key)) != 0
}

/// Uses the line `key`, which is there.
#[inline(never)]
fn use_in_order(tags: &mut [Tag], moves: bool, key: Tag, flags: Tag) {
    let mut newer = key;
    for way in 0..tags.len() {
        let tag = tags[way];
        if moves {
            tags[way] = std::mem::replace(&mut newer, tag);
        }
        if tag & LINE == key {
            tags[if moves { 0 } else { way }] = tag | flags;
            return;
        }
    }
}

/// Makes `tag` the newest of a set in order; returns the one that was the last.
#[inline(always)]
fn put_in_order<const W: usize>(tags: &mut [Tag], set: usize, ways: usize, tag: Tag) -> Tag {
    let tags = &mut tags.as_chunks_mut::<W>().0[set];
    let victim = tags[(ways - 1) % W];
    tags.copy_within(..W - 1, 1);
    tags[0] = tag;
    if ways < W {
        tags[ways] = 0;
    }
    victim
}

/// For each line its way, counted from 1, 0 if it is in none: in blocks of so many lines, those with
/// lines alone.
#[derive(Debug, Default)]
struct Places(Vec<Box<[u32]>>);

const BLOCK: u64 = 1024;

impl Places {
    #[inline(always)]
    fn way(&self, key: Tag) -> Option<usize> {
        let line = line_of(key);
        let way = *self.0.get((line / BLOCK) as usize)?.get((line % BLOCK) as usize)?;
        (way as usize).checked_sub(1)
    }

    /// Nothing happens if `tag` is that of an empty way.
    #[inline(always)]
    fn set(&mut self, tag: Tag, way: u32) {
        if tag != 0 {
            let line = line_of(tag);
            match self
                .0
                .get_mut((line / BLOCK) as usize)
                .and_then(|block| block.get_mut((line % BLOCK) as usize))
            {
                Some(place) => *place = way,
                None => self.add(line, way),
            }
        }
    }

    #[cold]
    fn add(&mut self, line: u64, way: u32) {
        let (block, at) = ((line / BLOCK) as usize, (line % BLOCK) as usize);
        if block >= self.0.len() {
            self.0.resize(block + 1, Box::default());
        }
        self.0[block] = vec![0; BLOCK as usize].into();
        self.0[block][at] = way;
    }
}
