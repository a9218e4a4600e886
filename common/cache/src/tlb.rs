//! Address translation: levels of cached page translations.

use super::level::ARRAYS;
use super::sets::Sets;
use super::tag::{Tag, line_of, tag_of};
use machine::{Machine, Replacement, Tlb};

/// One level of TLB, always LRU.
#[derive(Debug, Clone)]
pub(super) struct Translations {
    pub(super) pages: Sets,
    pub(super) sets: u64,
    /// Misses per array.
    pub(super) misses: Box<[u64; ARRAYS]>,
}

/// All levels of TLB.
#[derive(Debug, Clone)]
pub(super) struct Tlbs {
    pub(super) levels: Vec<Translations>,
}

impl Translations {
    /// The set of a page.
    #[inline(always)]
    pub(super) fn set(&self, page: u64) -> usize {
        (if self.sets.is_power_of_two() { page & (self.sets - 1) } else { page % self.sets }) as usize
    }

    /// Uses the page, or fills it; whether it was there.
    #[inline]
    pub(super) fn touch(&mut self, page: u64) -> bool {
        self.pages.touch(self.set(page), tag_of(page))
    }

    /// Puts `tags` into the level instead of what it holds.
    pub(super) fn refill(&mut self, tags: &[Tag]) {
        self.pages.clear();
        for &tag in tags {
            self.pages.fill(self.set(line_of(tag)), tag);
        }
    }
}

impl Tlbs {
    /// The TLBs of `machine`; `pieces` says how many pieces of memory so many bytes
    /// apart can be in use.
    pub(super) fn new(machine: &Machine, pieces: impl Fn(usize) -> usize) -> Tlbs {
        let level = |tlb: &Tlb| {
            let sets = tlb.entries / tlb.ways;
            Translations {
                pages: Sets::new(sets, tlb.ways, pieces(sets * machine.page_size.get()), Replacement::Lru),
                sets: sets as u64,
                misses: Box::new([0; ARRAYS]),
            }
        };
        Tlbs { levels: machine.tlbs.iter().map(level).collect() }
    }

    /// Looks `page` of that array up, level by level until one hits.
    pub(super) fn translate(&mut self, page: u64, array: u8) {
        for level in &mut self.levels {
            if level.touch(page) {
                return;
            }
            level.misses[usize::from(array)] += 1;
        }
    }
}
