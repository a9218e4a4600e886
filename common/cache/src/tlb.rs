//! Address translation: one level of cached page translations, always LRU.

use figures::units::Bytes;
use machine::Replacement;

use crate::level::SetIndex;
use crate::sets::{Layout, Store};
use crate::stores::new_sets;
use crate::tag::tag_of;

#[derive(Debug)]
pub(crate) struct Tlb {
    pub(crate) store: Box<dyn Store>,
    index: SetIndex,
}

impl Tlb {
    /// With these sets and ways; with `pages`, a TLB that holds all of these pages.
    pub(crate) fn new(sets: usize, ways: usize, page: Bytes, pages: Option<usize>) -> Tlb {
        let shift = page.0.trailing_zeros();
        let layout = match pages {
            Some(sets) => Layout { sets, ways: 1, shift, resident: true },
            None => Layout { sets, ways, shift, resident: false },
        };
        Tlb { store: new_sets(Replacement::Lru, layout), index: SetIndex::new(layout.sets) }
    }

    /// Uses the page, or fills it; returns whether it was there.
    #[inline]
    pub(crate) fn touch(&mut self, page: u64) -> bool {
        self.store.touch(self.index.of(page), tag_of(page), 0).hit
    }

    /// Whether the page is there; this is no use of it.
    pub(crate) fn has(&mut self, page: u64) -> bool {
        self.store.tag(self.index.of(page), tag_of(page)) != 0
    }
}
