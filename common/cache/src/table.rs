//! The page table: where the entries are that a page walk reads.
//!
//! The entries of neighbouring pages are neighbours in memory, so a line holds those of eight
//! pages. The tables are after everything else, on pages that are mapped as those of the data.
//! The first access to a page walks for nothing: the entry is written then, by the system, whose
//! accesses are not modelled.

use std::ops::Range;

use machine::{Machine, Walk};

/// The name of the page table in the counts by array.
pub(crate) const PAGE_TABLE: &str = "(page table)";

#[derive(Debug)]
pub(crate) struct PageTable {
    /// Index of the first level that a walk reads.
    pub(crate) level: usize,
    /// The index by which its misses are counted: after all arrays.
    pub(crate) array: u8,
    page_shift: u32,
    /// The bytes of each level of tables, the last level first.
    tables: Vec<Range<u64>>,
}

impl PageTable {
    /// The page table of `machine` for addresses below `start`, where it begins; `None` if the
    /// machine has no page walks, or no TLB.
    pub(crate) fn new(machine: &Machine, start: u64, arrays: usize) -> Option<PageTable> {
        let walk = machine.walk.filter(|_| machine.walks())?;
        let page_shift = machine.page_size.0.trailing_zeros();
        let mut tables: Vec<Range<u64>> = Vec::new();
        for level in 0..u32::from(walk.levels) {
            let start_of_level = tables.last().map_or(start, |below| below.end);
            let entries = start >> (page_shift + level * Walk::ENTRIES.ilog2());
            let bytes = Walk::ENTRY * entries.max(Walk::ENTRIES);
            tables.push(start_of_level..start_of_level + bytes);
        }
        Some(PageTable { level: usize::from(walk.cache) - 1, array: arrays as u8, page_shift, tables })
    }

    /// The number of entries that a walk reads.
    pub(crate) fn levels(&self) -> usize {
        self.tables.len()
    }

    /// The address of the entry for `page` in a level of tables; 0 is the last level.
    #[inline]
    pub(crate) fn entry(&self, level: usize, page: u64) -> u64 {
        self.tables[level].start + Walk::ENTRY * (page >> (level as u32 * Walk::ENTRIES.ilog2()))
    }

    /// The first address after it.
    pub(crate) fn end(&self) -> u64 {
        self.tables.last().map_or(0, |last| last.end)
    }

    /// The bytes of the entries for `used` bytes of data.
    pub(crate) fn entries_of(&self, used: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let last = used.end.saturating_sub(1) as u64;
        let pages = used.start as u64 >> self.page_shift..last >> self.page_shift;
        (0..self.levels()).map(move |level| {
            let end = self.entry(level, pages.end) + Walk::ENTRY;
            self.entry(level, pages.start) as usize..end as usize
        })
    }
}
