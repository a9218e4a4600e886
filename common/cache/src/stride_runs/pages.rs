//! Runs of which some stream comes to another page in nearly every step, as down a column.
//!
//! Once a run has come to as many pages as a set of the first TLB has ways, that set has none
//! from before: every page that comes then misses there, and is asked of the second TLB. From
//! one run to the next, few pages are others where a column advances by an element; and a set
//! of the second TLB that holds what it held before the last run, is asked for the same pages,
//! and was left as it was, is left so again, with as many misses.

use super::Stream;
use crate::mru_filter::MruFilter;
use crate::tag::{Tag, tag_of};
use crate::tlb::Translations;

/// Steps below which all pages are looked up.
const SHORTEST: usize = 64;

/// What the last run did.
#[derive(Debug, Default)]
pub(super) struct Pages {
    streams: Vec<Stream>,
    steps: usize,
    /// By stream: when it came to which page; and those of the run at hand.
    comings: Vec<Vec<Coming>>,
    next: Vec<Vec<Coming>>,
    /// By set of the second TLB.
    sets: Vec<Set>,
    /// By stream: misses of all sets that are steady.
    misses: Vec<u64>,
}

/// A stream comes to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Coming {
    step: u32,
    stream: u32,
    page: u64,
}

/// A set of the second TLB.
#[derive(Debug, Default)]
struct Set {
    /// What it is asked for.
    comings: Vec<Coming>,
    /// What it held before the last run, and after it.
    steady: Option<Vec<Tag>>,
    /// By stream: misses then.
    misses: Vec<u64>,
}

/// A run by pages.
struct Run<'a> {
    streams: &'a [Stream],
    steps: usize,
    shift: u32,
    origin: usize,
}

impl Pages {
    /// Makes so many steps of the streams, if that can be told set by set; whether it could.
    pub(super) fn serve(&mut self, filter: &mut MruFilter, streams: &[Stream], steps: usize) -> bool {
        let shift = filter.hierarchy.page_shift;
        let run = Run { streams, steps, shift, origin: filter.origin };
        let goes_down = |stream: &Stream| stream.stride >= 1 << shift >> 1;
        if steps < SHORTEST || !streams.iter().any(goes_down) {
            return false;
        }
        let Some(columns) = run.columns(filter) else { return false };
        let [first, others @ ..] = &mut filter.hierarchy.tlbs.levels[..] else { return false };
        // Until a stream accesses its page again, each other one comes to two pages at most.
        let hits_again = 2 * (columns.len() - 1) < first.pages.ways;
        if !hits_again || others.len() > 1 {
            return false;
        }
        let known = self.knows(&run);
        if !known {
            self.next.resize(columns.len(), Vec::new());
            for (number, (comings, (stream, _))) in self.next.iter_mut().zip(&columns).enumerate() {
                run.note_comings(stream, number, comings);
            }
        }
        let comings = if known { &self.comings } else { &self.next };
        let [begin, end] = [false, true].map(|last| run.filled(comings, first, last));
        let (Some(begin), Some(end)) = (begin, end) else { return false };
        let early = |coming: &&Coming| (coming.step as usize) < begin;
        let has = |coming: &Coming| first.pages.find(first.set(coming.page), tag_of(coming.page)).is_some();
        if comings.iter().any(|comings| comings.iter().take_while(early).any(has)) {
            return false;
        }
        for ((_, array), comings) in columns.iter().zip(comings) {
            first.misses[usize::from(*array)] += comings.len() as u64;
        }
        for step in steps - end..steps {
            for stream in streams {
                first.touch(run.page(stream, step));
            }
        }
        if let [second] = others {
            if !known {
                self.follow(&run, second);
            }
            for (misses, (_, array)) in self.ask(second).into_iter().zip(&columns) {
                second.misses[usize::from(*array)] += misses;
            }
        }
        true
    }

    /// Whether the run comes to the same pages as the last one in the same steps.
    fn knows(&self, run: &Run) -> bool {
        self.steps == run.steps
            && self.streams.len() == run.streams.len()
            && self.streams.iter().zip(run.streams).all(|(old, new)| old.is_like(new, run.shift))
    }

    /// Makes the comings those of the run at hand.
    fn follow(&mut self, run: &Run, tlb: &Translations) {
        (self.streams, self.steps) = (run.streams.to_vec(), run.steps);
        std::mem::swap(&mut self.comings, &mut self.next);
        let Pages { comings, next: before, sets, misses, .. } = self;
        let alike = |(old, new): (&Vec<Coming>, &Vec<Coming>)| old.len() == new.len();
        let mut others = Vec::new();
        for (old, new) in before.iter().zip(&*comings) {
            others.extend(old.iter().zip(new).filter(|(old, new)| old != new));
        }
        let few = 8 * others.len() <= comings.iter().map(Vec::len).sum();
        if sets.is_empty()
            || before.len() != comings.len()
            || !few
            || !before.iter().zip(&*comings).all(alike)
        {
            sets.clear();
            sets.resize_with(tlb.pages.count(), Set::default);
            *misses = vec![0; comings.len()];
            comings.iter().flatten().for_each(|coming| sets[tlb.set(coming.page)].comings.push(*coming));
            sets.iter_mut().for_each(|set| set.comings.sort_unstable());
            return;
        }
        for (old, _) in &others {
            let set = &mut sets[tlb.set(old.page)];
            set.disturb(misses);
            set.comings.retain(|coming| coming != *old);
        }
        for (_, new) in others {
            let set = &mut sets[tlb.set(new.page)];
            set.disturb(misses);
            set.comings.insert(set.comings.partition_point(|coming| coming < new), *new);
        }
    }

    /// Asks the second TLB; how often it misses, by stream.
    fn ask(&mut self, tlb: &mut Translations) -> Vec<u64> {
        for (number, set) in self.sets.iter_mut().enumerate() {
            if set.steady.as_ref().is_some_and(|held| *tlb.pages.content(number) != held[..]) {
                set.disturb(&mut self.misses);
            }
        }
        let mut all = self.misses.clone();
        for (number, set) in self.sets.iter_mut().enumerate().filter(|(_, set)| set.steady.is_none()) {
            let held = tlb.pages.content(number).into_owned();
            set.misses.clear();
            set.misses.resize(all.len(), 0);
            for coming in &set.comings {
                set.misses[coming.stream as usize] += u64::from(!tlb.touch(coming.page));
            }
            all.iter_mut().zip(&set.misses).for_each(|(all, one)| *all += one);
            if *tlb.pages.content(number) == held[..] {
                self.misses.iter_mut().zip(&set.misses).for_each(|(all, one)| *all += one);
                set.steady = Some(held);
            }
        }
        all
    }
}

impl Set {
    /// It may do something else from here on.
    fn disturb(&mut self, misses: &mut [u64]) {
        if self.steady.take().is_some() {
            misses.iter_mut().zip(&self.misses).for_each(|(all, one)| *all -= one);
        }
    }
}

impl Run<'_> {
    fn page(&self, stream: &Stream, step: usize) -> u64 {
        let pointer = stream.pointer.wrapping_add_signed(stream.stride * step as isize);
        pointer.wrapping_sub(self.origin) as u64 >> self.shift
    }

    /// The streams but those of the same pages as an earlier one, with their arrays; `None`
    /// unless all go up, each in an array that is served, and none shares a page with another.
    fn columns(&self, filter: &MruFilter) -> Option<Vec<(Stream, u8)>> {
        let addresses = &filter.hierarchy.addresses;
        let mut columns: Vec<(Stream, u8)> = Vec::new();
        for stream in self.streams {
            if columns.iter().any(|(other, _)| stream.shares_lines(other, 1)) {
                continue;
            }
            let pages = |stream: &Stream| [0, self.steps - 1].map(|step| self.page(stream, step));
            let [from, to] = pages(stream);
            let meets = |(other, _): &(Stream, u8)| from <= pages(other)[1] && pages(other)[0] <= to;
            let end = stream.pointer.wrapping_add_signed(stream.stride * (self.steps as isize - 1));
            let ends = [stream.pointer, end].map(|pointer| filter.offset(pointer));
            let [array, last] = ends.map(|offset| addresses.array(offset));
            let served = stream.stride >= 0 && ends.iter().all(|offset| addresses.serves(*offset));
            if !served || array != last || columns.iter().any(meets) {
                return None;
            }
            columns.push((*stream, array));
        }
        Some(columns)
    }

    /// Notes when the stream of that number comes to which page.
    fn note_comings(&self, stream: &Stream, number: usize, comings: &mut Vec<Coming>) {
        let (page, stride) = (1 << self.shift, stream.stride as u64);
        let (mut at, mut step) = ((stream.pointer - self.origin) as u64, 0);
        comings.clear();
        while step < self.steps {
            comings.push(Coming { step: step as u32, stream: number as u32, page: at >> self.shift });
            let steps = match stride {
                0 => self.steps as u64,
                _ if stride >= page => 1,
                _ => (page - at % page).div_ceil(stride),
            };
            step += steps as usize;
            at += stride * steps;
        }
    }

    /// In how many steps, the first or the last ones, as many pages come to each set of `tlb` that
    /// the run comes to as it has ways; `None` if that takes more than a quarter of all.
    fn filled(&self, comings: &[Vec<Coming>], tlb: &Translations, last: bool) -> Option<usize> {
        let mut come = vec![0; tlb.pages.count()];
        let mut ahead = vec![0; comings.len()];
        let (mut full, mut steps) = (0, 0);
        for step in 0..self.steps / 4 {
            for (comings, ahead) in comings.iter().zip(&mut ahead) {
                let at = if last { comings.len() - 1 - *ahead } else { *ahead };
                let comes_at = if last { self.steps - 1 - step } else { step };
                if comings[at].step as usize != comes_at {
                    continue;
                }
                *ahead = (*ahead + 1).min(comings.len() - 1);
                let times = &mut come[tlb.set(comings[at].page)];
                *times += 1;
                if *times == tlb.pages.ways {
                    (full, steps) = (full + 1, step + 1);
                }
            }
            if full == come.len() {
                return Some(steps);
            }
        }
        let is_full = |coming: &Coming| come[tlb.set(coming.page)] >= tlb.pages.ways;
        comings.iter().flatten().all(is_full).then_some(steps)
    }
}
