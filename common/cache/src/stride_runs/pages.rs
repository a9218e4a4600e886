//! Runs whose every step comes to other pages, as down columns.
//!
//! Where no page comes up twice in a run, and none that a TLB still has from before stays
//! until it comes up, all miss in every TLB; each set then holds the last ones that came to
//! it.

use super::Stream;
use crate::hierarchy::Hierarchy;
use crate::mru_filter::MruFilter;
use crate::shifted::gcd;
use crate::tag::{Tag, line_of, tag_of};
use crate::tlb::Translations;

/// Steps below which all pages are looked up.
const SHORTEST: usize = 64;

/// A run down columns of pages.
pub(super) struct Pages {
    /// Those that a step comes to, in that order.
    columns: Vec<Column>,
    /// Pages from one step's to the next.
    apart: u64,
    steps: u64,
}

struct Column {
    /// That of the first step.
    page: u64,
    array: u8,
    /// The place of a step's last access of it among all.
    last: usize,
}

/// Steps that come to one set: every `period` ones from `first` on.
struct Visits<'a> {
    set: usize,
    first: u64,
    column: &'a Column,
}

impl Pages {
    /// Of a run of `steps` steps; `None` unless all streams go down by whole pages.
    pub(super) fn of(filter: &MruFilter, streams: &[Stream], steps: usize) -> Option<Pages> {
        let Hierarchy { addresses, page_shift, .. } = &filter.hierarchy;
        let stride = u64::try_from(streams.first()?.stride).ok()?;
        let whole = stride > 0 && stride.is_multiple_of(1 << page_shift);
        if steps < SHORTEST || !whole || streams.iter().any(|stream| stream.stride as u64 != stride) {
            return None;
        }
        let (apart, steps) = (stride >> page_shift, steps as u64);
        let mut columns: Vec<Column> = Vec::new();
        for (last, stream) in streams.iter().enumerate() {
            let offset = filter.offset(stream.pointer);
            let page = offset >> page_shift;
            if let Some(column) = columns.iter_mut().find(|column| column.page == page) {
                column.last = last;
                continue;
            }
            let ends = [offset, offset + stride * (steps - 1)];
            let array = addresses.array(offset);
            let meets = |other: &Column| {
                let pages = other.page.abs_diff(page);
                pages.is_multiple_of(apart) && pages / apart < steps
            };
            let alone = !columns.iter().any(meets) && ends.iter().all(|end| addresses.serves(*end));
            if !alone || addresses.array(ends[1]) != array {
                return None;
            }
            columns.push(Column { page, array, last });
        }
        Some(Pages { columns, apart, steps })
    }

    /// Makes all steps, if all miss in every TLB; whether they do.
    pub(super) fn miss(&self, hierarchy: &mut Hierarchy) -> bool {
        let tlbs = &mut hierarchy.tlbs.levels;
        // A step's later accesses of a page hit in the first one.
        let hit_again = tlbs.first().is_some_and(|first| self.columns.len() <= first.pages.ways);
        if !hit_again || !tlbs.iter().all(|tlb| self.all_miss(tlb)) {
            return false;
        }
        for (at, tlb) in tlbs.iter_mut().enumerate() {
            self.fill(tlb, |column| if at == 0 { column.last } else { 0 });
            for column in &self.columns {
                tlb.misses[usize::from(column.array)] += self.steps;
            }
        }
        true
    }

    /// After how many steps the same set of `tlb` comes up again.
    fn period(&self, tlb: &Translations) -> u64 {
        tlb.sets / gcd(self.apart, tlb.sets)
    }

    /// Which steps come to which set, in order of sets; where a step comes to one more than
    /// once, in that of `order`, then of the columns.
    fn visits(&self, tlb: &Translations, order: impl Fn(&Column) -> usize) -> Vec<Visits<'_>> {
        let mut visits = Vec::new();
        for column in &self.columns {
            visits.extend((0..self.period(tlb).min(self.steps)).map(|first| {
                let set = ((column.page + self.apart * first) % tlb.sets) as usize;
                Visits { set, first, column }
            }));
        }
        visits.sort_by_key(|visits| (visits.set, visits.first, order(visits.column)));
        visits
    }

    fn all_miss(&self, tlb: &Translations) -> bool {
        let (period, ways) = (self.period(tlb), tlb.pages.ways);
        let visits = self.visits(tlb, |_| 0);
        let mut sets = visits.chunk_by(|a, b| a.set == b.set);
        sets.all(|visits| {
            let held = tlb.pages.content(visits[0].set);
            let stays = |(way, tag): (usize, &Tag)| {
                // So many times all of these have come before it does.
                let times = |of: &Visits<'_>| {
                    let pages = line_of(*tag).checked_sub(of.column.page)?;
                    let step = pages / self.apart;
                    let comes = pages.is_multiple_of(self.apart) && step < self.steps;
                    (comes && step % period == of.first).then_some((step / period) as usize)
                };
                let mut comes = visits.iter().enumerate();
                comes.any(|(at, of)| times(of).is_some_and(|times| way + times * visits.len() + at < ways))
            };
            !held.iter().enumerate().filter(|(_, tag)| **tag != 0).any(stays)
        })
    }

    /// Leaves in every set what came to it last.
    fn fill(&self, tlb: &mut Translations, order: impl Fn(&Column) -> usize) {
        let (period, ways) = (self.period(tlb), tlb.pages.ways);
        let visits = self.visits(tlb, order);
        for visits in visits.chunk_by(|a, b| a.set == b.set) {
            let page = |times: u64| {
                let steps = visits.iter().rev().map(move |of| (of, of.first + times * period));
                steps
                    .filter(|(_, step)| *step < self.steps)
                    .map(|(of, step)| of.column.page + self.apart * step)
            };
            let new = (0..self.steps.div_ceil(period)).rev().flat_map(page).map(tag_of);
            let set = visits[0].set;
            tlb.pages.note(set);
            let held = tlb.pages.content(set).into_owned();
            let all: Vec<Tag> = new.chain(held).take(ways).collect();
            tlb.pages.put(set, all.into_iter(), 0);
        }
    }
}
