//! One request at a time, where a level may take lines from those above it: these may not
//! look up the next access before it is done with this one.

use super::{ARRAYS, Level, named};
use crate::address_map::AddressMap;
use crate::lru;
use crate::request::Request;
use crate::sets::Sets;
use crate::tag::{DIRTY, LINE, tag_of};

/// Serves a request that is no prefetch.
pub(crate) type One = fn(&mut Level, Option<&AddressMap>, Request) -> Asks;

/// What a level asks of the next for one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asks {
    /// The line, unless the level had it.
    pub(crate) fetch: Request,
    pub(crate) victim: Request,
}

impl Asks {
    const NOTHING: Asks = Asks { fetch: Request::NONE, victim: Request::NONE };
}

/// How a level with these sets serves one request: `plain` under LRU, or exclusive.
pub(super) fn of(lines: &Sets, plain: bool, exclusive: bool) -> Option<One> {
    match lines.ways {
        _ if exclusive => Some(Level::one_of_victims),
        _ if !plain || !lines.is_lru() => None,
        1 => Some(Level::one_lru::<1>),
        2 => Some(Level::one_lru::<2>),
        4 => Some(Level::one_lru::<4>),
        8 => Some(Level::one_lru::<8>),
        10 => Some(Level::one_lru::<10>),
        12 => Some(Level::one_lru::<12>),
        16 => Some(Level::one_lru::<16>),
        _ => None,
    }
}

impl Level {
    /// As [`run_lru`](Level::run_lru), which is quicker with many.
    fn one_lru<const W: usize>(&mut self, addresses: Option<&AddressMap>, request: Request) -> Asks {
        let mut asks = Asks::NOTHING;
        let line = request.address() >> self.shift;
        let place = Self::set_of(self.sets, self.mask, line);
        let ways = self.lines.tags.get_mut(place * W..).and_then(|tags| tags.first_chunk_mut::<W>());
        let Some(set) = ways else { return asks };
        self.uses += 1;
        let key = tag_of(line);
        if request.is(Request::VICTIM) {
            if !request.is(Request::DATA) {
                return asks;
            }
            if self.lines.journal.lacks(place) {
                self.lines.journal.save(place, set, 0);
            }
            match set.iter_mut().find(|tag| **tag & LINE == key) {
                Some(tag) => *tag |= DIRTY,
                None => asks.victim = request.passing(),
            }
            return asks;
        }
        if self.lines.journal.lacks(place) {
            self.lines.journal.save(place, set, 0);
        }
        let dirty = if request.is(Request::DATA) { DIRTY } else { 0 };
        let touched = lru::touch(set, key, dirty);
        if touched.hit {
            return asks;
        }
        let request = named(request, addresses);
        self.tally.misses[request.array() % ARRAYS][usize::from(request.is(Request::STORE))] += 1;
        Asks { fetch: request.fetch(), victim: self.evicted(touched.tag) }
    }

    /// As [`run_by_rules`](Level::run_by_rules) for an exclusive level.
    fn one_of_victims(&mut self, _: Option<&AddressMap>, request: Request) -> Asks {
        self.uses += 1;
        let mut asks = Asks::NOTHING;
        let line = request.address() >> self.shift;
        if request.is(Request::VICTIM) {
            asks.victim = self.take_victim(request, line);
        } else if self.promote(line).is_none() {
            self.tally.misses[request.array() % ARRAYS][usize::from(request.is(Request::STORE))] += 1;
            asks.fetch = request;
        }
        asks
    }
}
