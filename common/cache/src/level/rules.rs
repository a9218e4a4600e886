//! A level with any rules, one request at a time.

use super::{Level, REGIONS, named};
use crate::places::Places;
use crate::request::Request;
use crate::sets::{DIRTY, Tag, UNUSED, line_of, tag_of};

impl Level {
    /// Any rules, one request at a time.
    pub(super) fn run_by_rules(
        &mut self,
        places: Option<&Places>,
        input: &[Request],
        output: &mut Vec<Request>,
    ) {
        for &request in input {
            if request.is(Request::BACK) {
                self.take_back(request, output);
            } else if request.is(Request::PREFETCH) {
                self.bring_unasked(request, output);
            } else {
                self.demand(named(request, places), output);
            }
        }
    }

    /// A load or a store.
    fn demand(&mut self, request: Request, output: &mut Vec<Request>) {
        let line = request.address() >> self.shift;
        let (set, key) = (self.set(line), tag_of(line));
        let data = request.is(Request::DATA);
        let before = match (self.exclusive, data) {
            (true, true) => self.lines.mark(set, key, DIRTY).then_some(0),
            (true, false) => self.hand_up(line),
            (false, _) => {
                let flags = if data && self.write_back { DIRTY } else { 0 };
                self.lines.hit(set, key, flags)
            }
        };
        let hit = before.is_some();
        let first_use = before.is_some_and(|tag| tag & UNUSED != 0);
        self.tally.useful += u64::from(first_use);
        if !hit {
            self.miss(request, line, output);
        } else if data && !self.write_back {
            self.tally.written_through += 1;
            output.push(request);
        }
        if !hit || first_use {
            self.prefetch(line, request.region(), output);
        }
    }

    fn miss(&mut self, request: Request, line: u64, output: &mut Vec<Request>) {
        let data = request.is(Request::DATA);
        self.tally.misses[request.region() % REGIONS][usize::from(request.is(Request::STORE))] += 1;
        if self.exclusive {
            output.push(request);
        } else if data && !self.allocate {
            self.tally.written_through += 1;
            output.push(request);
        } else {
            output.push(request.fetch());
            let dirty = if data && self.write_back { DIRTY } else { 0 };
            self.bring(line, tag_of(line) | dirty, output);
            if data && !self.write_back {
                self.tally.written_through += 1;
                output.push(request);
            }
        }
    }

    /// Keeps a line; what made room for it goes down.
    fn bring(&mut self, line: u64, tag: Tag, output: &mut Vec<Request>) {
        let replaced = self.lines.fill(self.set(line), tag);
        if replaced == 0 {
            return;
        }
        let dirty = replaced & DIRTY != 0;
        self.tally.write_backs += u64::from(dirty);
        if dirty || self.tell_clean {
            let data = if dirty { Request::DATA } else { 0 };
            output.push(Request::new(line_of(replaced) << self.shift, Request::BACK | data));
        }
    }

    /// Gives a line of an exclusive level to the level above.
    fn hand_up(&mut self, line: u64) -> Option<Tag> {
        let tag = self.lines.remove(self.set(line), tag_of(line));
        if tag & DIRTY != 0 {
            self.away.insert(line);
            self.note_away(line);
        }
        (tag != 0).then_some(tag)
    }

    /// A line that the level above replaced.
    fn take_back(&mut self, request: Request, output: &mut Vec<Request>) {
        let line = request.address() >> self.shift;
        let (set, key) = (self.set(line), tag_of(line));
        let data = request.is(Request::DATA);
        if self.exclusive {
            let was_away = self.away.remove(&line);
            if was_away {
                self.note_away(line);
            }
            let dirty = if was_away || data { DIRTY } else { 0 };
            if !self.lines.mark(set, key, dirty) {
                self.bring(line, key | dirty, output);
            }
        } else if data && !(self.write_back && self.lines.mark(set, key, DIRTY)) {
            output.push(request);
        }
    }

    /// A line that the level above prefetches.
    fn bring_unasked(&mut self, request: Request, output: &mut Vec<Request>) {
        let line = request.address() >> self.shift;
        if self.exclusive {
            if self.hand_up(line).is_none() {
                output.push(request);
            }
        } else if self.lines.find(self.set(line), tag_of(line)).is_none() {
            self.tally.prefetches += 1;
            output.push(request);
            self.bring(line, tag_of(line) | UNUSED, output);
        }
    }

    /// Lets the level's own prefetcher see a miss or a first use.
    fn prefetch(&mut self, line: u64, region: usize, output: &mut Vec<Request>) {
        let Some(prefetcher) = &mut self.prefetcher else { return };
        for wanted in prefetcher.after(line, region).into_iter().flatten() {
            self.disturbed = true;
            self.bring_unasked(Request::new(wanted << self.shift, Request::PREFETCH), output);
        }
    }

    fn note_away(&mut self, line: u64) {
        if self.lines.journal.on && !self.away_changed.remove(&line) {
            self.away_changed.insert(line);
        }
    }
}
