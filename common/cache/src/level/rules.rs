//! A level with any write policy, inclusion, replacement policy and prefetcher.

use super::{ARRAYS, Level, named};
use crate::address_map::AddressMap;
use crate::request::Request;
use crate::tag::{DIRTY, PREFETCHED, Tag, line_of, tag_of};

impl Level {
    /// Serves one request at a time, by the level's rules.
    pub(super) fn run_by_rules(
        &mut self,
        addresses: Option<&AddressMap>,
        input: &[Request],
        output: &mut Vec<Request>,
    ) {
        for &request in input {
            if request.is(Request::VICTIM) {
                self.accept_victim(request, output);
            } else if request.is(Request::PREFETCH) {
                self.prefetch_fill(request, output);
            } else {
                self.demand(named(request, addresses), output);
            }
        }
    }

    /// A load or a store.
    fn demand(&mut self, request: Request, output: &mut Vec<Request>) {
        let line = request.address() >> self.shift;
        let (set, key) = (self.set(line), tag_of(line));
        let data = request.is(Request::DATA);
        let flags = if data && self.write_back { DIRTY } else { 0 };
        let before = match (self.exclusive, data) {
            (true, true) => self.lines.mark(set, key, flags).then_some(0),
            (true, false) => self.promote(line),
            (false, _) => self.lines.hit(set, key, flags),
        };
        let hit = before.is_some();
        let first_use = before.is_some_and(|tag| tag & PREFETCHED != 0);
        self.tally.useful += u64::from(first_use);
        if !hit {
            self.miss(request, line, output);
        } else if data && !self.write_back {
            self.tally.written_through += 1;
            output.push(request);
        }
        if !hit || first_use {
            self.prefetch(line, request.array(), output);
        }
    }

    fn miss(&mut self, request: Request, line: u64, output: &mut Vec<Request>) {
        let data = request.is(Request::DATA);
        self.tally.misses[request.array() % ARRAYS][usize::from(request.is(Request::STORE))] += 1;
        if self.exclusive {
            output.push(request);
        } else if data && !self.allocate {
            self.tally.written_through += 1;
            self.tally.not_allocated += 1;
            output.push(request);
        } else {
            output.push(request.fetch());
            let dirty = if data && self.write_back { DIRTY } else { 0 };
            self.fill(line, tag_of(line) | dirty, output);
            if data && !self.write_back {
                self.tally.written_through += 1;
                output.push(request);
            }
        }
    }

    /// A victim of the level above comes to an exclusive level; the victim that makes way.
    pub(super) fn take_victim(&mut self, request: Request, line: u64) -> Request {
        let dirty = if self.take_promoted(line) || request.is(Request::DATA) { DIRTY } else { 0 };
        let victim = self.lines.accept(self.set(line), tag_of(line) | dirty);
        self.evicted(victim)
    }

    /// Fills a line; its victim goes down.
    fn fill(&mut self, line: u64, tag: Tag, output: &mut Vec<Request>) {
        let victim = self.fill_one(line, tag);
        if victim != Request::NONE {
            output.push(victim);
        }
    }

    /// Fills a line; its victim, if that goes down.
    fn fill_one(&mut self, line: u64, tag: Tag) -> Request {
        let victim = self.lines.fill(self.set(line), tag);
        self.evicted(victim)
    }

    /// Counts `victim`, if it is dirty; what is passed on of it.
    #[inline(always)]
    pub(super) fn evicted(&mut self, victim: Tag) -> Request {
        let dirty = victim & DIRTY != 0;
        self.tally.write_backs += u64::from(dirty);
        if victim == 0 || !dirty && !self.evicts_clean {
            return Request::NONE;
        }
        let data = if dirty { Request::DATA } else { 0 };
        let kind = Request::VICTIM | Request::EVICTED | data;
        Request::new(line_of(victim) << self.shift, kind)
    }

    /// Moves a line of an exclusive level to the level above.
    pub(super) fn promote(&mut self, line: u64) -> Option<Tag> {
        if self.keeps {
            return self.lines.mark(self.set(line), tag_of(line), 0).then_some(0);
        }
        let tag = self.lines.remove(self.set(line), tag_of(line));
        if tag & DIRTY != 0 {
            self.promoted_dirty.insert(line);
            self.log_promoted(line);
        }
        (tag != 0).then_some(tag)
    }

    /// A victim of the level above: a write-back, or a clean line for an
    /// exclusive level.
    fn accept_victim(&mut self, request: Request, output: &mut Vec<Request>) {
        let line = request.address() >> self.shift;
        let (set, key) = (self.set(line), tag_of(line));
        let data = request.is(Request::DATA);
        if self.exclusive {
            let victim = self.take_victim(request, line);
            if victim != Request::NONE {
                output.push(victim);
            }
        } else if data && !(self.write_back && self.lines.mark(set, key, DIRTY)) {
            output.push(request.passing());
        }
    }

    /// A line that this level or the one above prefetches.
    fn prefetch_fill(&mut self, request: Request, output: &mut Vec<Request>) {
        let line = request.address() >> self.shift;
        if self.exclusive {
            if self.promote(line).is_none() {
                output.push(request);
            }
        } else if self.lines.find(self.set(line), tag_of(line)).is_none() {
            self.tally.prefetches += 1;
            output.push(request);
            self.fill(line, tag_of(line) | PREFETCHED, output);
        }
    }

    /// Trains the level's own prefetcher with a miss or a first use.
    fn prefetch(&mut self, line: u64, array: usize, output: &mut Vec<Request>) {
        let Some(prefetcher) = &mut self.prefetcher else { return };
        for wanted in prefetcher.after(line, array).into_iter().flatten() {
            self.disturbed = true;
            self.prefetch_fill(Request::new(wanted << self.shift, Request::PREFETCH), output);
        }
    }

    /// Whether a dirty line was promoted; then it is so no longer.
    pub(super) fn take_promoted(&mut self, line: u64) -> bool {
        let was_promoted = !self.promoted_dirty.is_empty() && self.promoted_dirty.remove(line);
        if was_promoted {
            self.log_promoted(line);
        }
        was_promoted
    }

    fn log_promoted(&mut self, line: u64) {
        if !self.lines.journal.on {
            return;
        }
        self.promoted_dirty_log.push(line);
        if !self.promoted_dirty_changed.remove(line) {
            self.promoted_dirty_changed.insert(line);
        }
    }
}
