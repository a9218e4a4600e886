//! What a thread has executed and accessed: its records given to its caches.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use cache::{LEVELS, Replay, TooFar};

use crate::blocks;
use crate::session::{self, Placement, Session};
use crate::site::{self, Form, Plain, Site, Touch};

/// Pieces of memory that are remembered, by bits of their addresses.
const NEAR: usize = 64;

fn near(address: u64) -> usize {
    (address >> 20) as usize % NEAR
}

/// What an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// A global by its number in the session's list.
    Global(usize),
    /// Blocks by the return address of the call that made them.
    Block(u64),
    /// A stack.
    Stack,
    /// Anything else: libraries, mapped files.
    Other,
}

/// What a thread has executed and accessed, by site.
#[derive(Debug)]
pub(crate) struct Work {
    placement: Placement,
    /// Pieces of memory that were accessed last: their first addresses, their lengths, and what is added
    /// for [`Replay::repeats`].
    near: [(u64, u64, u64); NEAR],
    /// How often each site was executed, by number.
    pub(crate) executed: Vec<u64>,
    /// Misses by access, and how often it was made where that is not how often its site was.
    pub(crate) misses: Vec<[u64; LEVELS]>,
    pub(crate) repeated: HashMap<usize, u64>,
    owners: Owners,
    /// Where the last conditionally repeated instruction began.
    begun: u64,
}

/// Misses by what was accessed.
#[derive(Debug)]
struct Owners {
    all: HashMap<Owner, [u64; LEVELS]>,
    /// The ranges with the last misses: most are in one of them.
    recent: [(Range<u64>, Owner, [u64; LEVELS]); 4],
    /// The state of the blocks for which that holds.
    changes: u64,
    stack: Range<u64>,
}

/// A word of a record.
#[inline(always)]
pub(crate) fn word(place: u64, at: usize) -> u64 {
    // SAFETY: buffers are never unmapped, and their words are atomic for all who use them.
    unsafe { (*(place as *const AtomicU64).add(at)).load(Ordering::Relaxed) }
}

impl Work {
    /// Nothing so far, of a thread with that stack.
    pub(crate) fn new(session: &Session, stack: Range<u64>) -> Work {
        Work {
            placement: Placement::new(session),
            near: [(0, 0, 0); NEAR],
            executed: Vec::new(),
            misses: Vec::new(),
            repeated: HashMap::new(),
            owners: Owners {
                all: HashMap::new(),
                recent: std::array::from_fn(|_| (0..0, Owner::Other, [0; LEVELS])),
                changes: 0,
                stack,
            },
            begun: 0,
        }
    }

    /// Places addresses anew, since more is known of the program's memory.
    pub(crate) fn place_again(&mut self, session: &Session) {
        self.placement = Placement::new(session);
        self.near = [(0, 0, 0); NEAR];
    }

    /// Misses by what was accessed.
    pub(crate) fn by_owner(&self) -> HashMap<Owner, [u64; LEVELS]> {
        let mut owners = self.owners.all.clone();
        for (_, owner, misses) in &self.owners.recent {
            add(owners.entry(*owner).or_default(), *misses);
        }
        owners
    }

    /// Counts the records between two places of a buffer.
    pub(crate) fn walk(&mut self, replay: &mut Replay, mut place: u64, end: u64) -> Result<(), TooFar> {
        while place < end {
            let site = site::of(word(place, 0));
            if site.number >= self.executed.len() {
                self.grow(site);
            }
            self.executed[site.number] += 1;
            match &site.plain {
                Some(plain) => {
                    replay.count(site.accesses[0], site.accesses[1]);
                    let address_of =
                        |touch: &Plain| word(place, touch.word.into()).wrapping_add(touch.displacement);
                    let mut at = 0;
                    for (group, after) in &site.groups {
                        let address = address_of(group);
                        match self.own(replay, address, group.bytes) {
                            // Where all of a group do nothing, none is needed.
                            Some(own) if replay.repeats(own, group.is_store) => {}
                            Some(own) if *after == at + 1 => {
                                let misses = replay.misses_at(own, group.is_store);
                                self.missed(site.first + at, address, misses);
                            }
                            _ => {
                                for at in at..*after {
                                    let touch = &plain[at];
                                    let address = address_of(touch);
                                    self.access(
                                        replay,
                                        site.first + at,
                                        address,
                                        touch.bytes,
                                        touch.is_store,
                                    )?;
                                }
                            }
                        }
                        at = *after;
                    }
                }
                None => self.walk_other(replay, site, place)?,
            }
            place += 8 * site.words as u64;
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self, site: &Site) {
        self.executed.resize((site.number + 1).next_power_of_two(), 0);
        self.make_place(site.first + site.touches.len());
    }

    /// A place for the misses of that access.
    #[cold]
    fn make_place(&mut self, number: usize) {
        self.misses.resize((number + 1).next_power_of_two().max(self.misses.len()), [0; LEVELS]);
    }

    /// The address that the caches use, if its piece was accessed lately and the access is within a line.
    #[inline(always)]
    fn own(&self, replay: &Replay, address: u64, bytes: u16) -> Option<u64> {
        let (start, length, distance) = self.near[near(address)];
        let own = address.wrapping_add(distance);
        (address.wrapping_sub(start) < length && replay.is_within_line(own, bytes.into())).then_some(own)
    }

    /// An access. It is counted elsewhere.
    #[inline(never)]
    fn access(
        &mut self,
        replay: &mut Replay,
        number: usize,
        address: u64,
        bytes: u16,
        is_store: bool,
    ) -> Result<(), TooFar> {
        let Some(own) = self.own(replay, address, bytes) else {
            return self.access_anywhere(replay, number, address, bytes, is_store);
        };
        if !replay.repeats(own, is_store) {
            let misses = replay.misses_at(own, is_store);
            self.missed(number, address, misses);
        }
        Ok(())
    }

    /// The same, at an address whose piece was not accessed lately, or across lines.
    #[inline(never)]
    fn access_anywhere(
        &mut self,
        replay: &mut Replay,
        number: usize,
        address: u64,
        bytes: u16,
        is_store: bool,
    ) -> Result<(), TooFar> {
        let (first, length, added) = self.placement.part(address);
        let placed = address.wrapping_add(added);
        let misses = replay.misses_of(placed, bytes.into(), is_store)?;
        self.missed(number, address, misses);
        if let Some((start, bytes, distance)) = replay.distance(placed) {
            let start = start.wrapping_sub(added);
            // What is in both pieces.
            let low = start.max(first);
            let end = start.saturating_add(bytes).min(first.saturating_add(length));
            self.near[near(address)] = (low, end.saturating_sub(low), distance.wrapping_add(added));
        }
        Ok(())
    }

    #[inline(always)]
    fn missed(&mut self, number: usize, address: u64, misses: [u32; LEVELS]) {
        if misses[0] > 0 || misses[1] > 0 {
            self.add_misses(number, address, misses);
        }
    }

    #[inline(always)]
    fn add_misses(&mut self, number: usize, address: u64, misses: [u32; LEVELS]) {
        let misses = misses.map(u64::from);
        if number >= self.misses.len() {
            self.make_place(number);
        }
        add(&mut self.misses[number], misses);
        self.owners.add(address, misses);
    }

    /// An access, which is counted.
    fn counted(
        &mut self,
        replay: &mut Replay,
        number: usize,
        address: u64,
        touch: &Touch,
    ) -> Result<(), TooFar> {
        replay.count(u64::from(!touch.is_store), u64::from(touch.is_store));
        self.access(replay, number, address, touch.bytes, touch.is_store)
    }

    /// A record with accesses other than plain ones.
    fn walk_other(&mut self, replay: &mut Replay, site: &Site, place: u64) -> Result<(), TooFar> {
        for (at, touch) in site.touches.iter().enumerate() {
            let number = site.first + at;
            let value = |at: u8| word(place, at.into());
            let address = value(touch.word).wrapping_add(touch.displacement);
            match touch.form {
                Form::Plain => self.counted(replay, number, address, touch)?,
                Form::Unknown => {}
                Form::Block => blocks::add(value(1), value(2), value(3)),
                Form::Begins => self.begun = address,
                Form::Repeated { count, second } => {
                    let times = value(count);
                    *self.repeated.entry(number).or_default() += times;
                    for time in 0..times {
                        let step = time * u64::from(touch.bytes);
                        self.counted(replay, number, address.wrapping_add(step), touch)?;
                        if let Some((second, is_store)) = second {
                            let touch = Touch { is_store, ..*touch };
                            self.counted(replay, number, value(second).wrapping_add(step), &touch)?;
                        }
                    }
                }
                Form::Ended { second } => {
                    let bytes = u64::from(touch.bytes.max(1));
                    let times = address.wrapping_sub(self.begun) / bytes;
                    *self.repeated.entry(number).or_default() += times;
                    for back in (1..=times).rev() {
                        self.counted(replay, number, address.wrapping_sub(back * bytes), touch)?;
                        if let Some(second) = second {
                            let address = value(second).wrapping_sub(back * bytes);
                            self.counted(replay, number, address, touch)?;
                        }
                    }
                }
                Form::Gathered { indices, mask, bits, scale, index_bytes, elements } => {
                    for element in 0..elements {
                        let part = |first: u8, bytes: u64| {
                            let bit = u64::from(element) * bytes * 8;
                            value(first + (bit / 64) as u8) >> (bit % 64)
                        };
                        let sign = u64::from(touch.bytes) * 8 - 1;
                        let is_set = if bits {
                            value(mask) >> element & 1
                        } else {
                            part(mask, touch.bytes.into()) >> sign & 1
                        };
                        if is_set == 0 {
                            continue;
                        }
                        let index = part(indices, index_bytes.into());
                        let index =
                            if index_bytes == 4 { i64::from(index as u32 as i32) } else { index as i64 };
                        let offset = index.wrapping_mul(scale.into());
                        *self.repeated.entry(number).or_default() += 1;
                        self.counted(replay, number, address.wrapping_add_signed(offset), touch)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Owners {
    #[inline]
    fn add(&mut self, address: u64, misses: [u64; LEVELS]) {
        let changes = blocks::changes();
        if self.changes != changes {
            self.changes = changes;
            self.recent.iter_mut().for_each(|(range, ..)| *range = 0..0);
        }
        let at = self.at(address);
        add(&mut self.recent[at].2, misses);
    }

    /// The place in `recent` of what `address` belongs to.
    #[inline]
    fn at(&mut self, address: u64) -> usize {
        let at = self.recent.iter().position(|(range, ..)| range.contains(&address));
        at.unwrap_or_else(|| self.search(address))
    }

    #[cold]
    #[inline(never)]
    fn search(&mut self, address: u64) -> usize {
        let (range, owner) = if self.stack.contains(&address) {
            (self.stack.clone(), Owner::Stack)
        } else if let Some((range, global)) = session::global_at(address) {
            (range, Owner::Global(global))
        } else if let Some((range, caller)) = blocks::at(address) {
            (range, Owner::Block(caller))
        } else {
            (address..address + 1, Owner::Other)
        };
        let at = (address >> 6) as usize % self.recent.len();
        let (_, owner, misses) = std::mem::replace(&mut self.recent[at], (range, owner, [0; LEVELS]));
        add(self.all.entry(owner).or_default(), misses);
        at
    }
}

/// Adds misses of each level.
pub(crate) fn add(sum: &mut [u64; LEVELS], more: [u64; LEVELS]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}
