//! Prefetchers. They learn from a level's misses and the first use of each prefetched line,
//! and never cross the end of a page.

use figures::units::Bytes;
use machine::{CacheLevel, Prefetch};

/// Largest number of lines fetched at a time.
const AHEAD: usize = 2;
/// Largest number of pages that a stream prefetcher follows at a time.
const STREAMS: usize = 16;

/// Lines to fetch.
pub(crate) type Wanted = [Option<u64>; AHEAD];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prefetcher {
    /// Lines per page, as a shift.
    page: u32,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    NextLine,
    /// For each array: its last line, and the distance to the one before.
    Stride(Vec<(u64, i64)>),
    /// Pages in order of last use: page, last line, direction (0: not known).
    Stream(Vec<(u64, u64, i64)>),
}

impl Prefetcher {
    pub(crate) fn new(cache: &CacheLevel, page_size: Bytes) -> Option<Prefetcher> {
        let kind = match cache.prefetch {
            Prefetch::None => return None,
            Prefetch::NextLine => Kind::NextLine,
            Prefetch::Stride => Kind::Stride(Vec::new()),
            Prefetch::Stream => Kind::Stream(Vec::new()),
        };
        let lines = page_size.0 / cache.line.0;
        Some(Prefetcher { page: lines.max(1).trailing_zeros(), kind })
    }

    /// The lines to fetch after `line` of array `array` missed, or was used for the first
    /// time.
    pub(crate) fn after(&mut self, line: u64, array: usize) -> Wanted {
        let (distance, lines) = match &mut self.kind {
            Kind::NextLine => (1, 1),
            Kind::Stride(arrays) => (same_distance(arrays, line, array), AHEAD),
            Kind::Stream(pages) => (direction(pages, line >> self.page, line), AHEAD),
        };
        let mut wanted = [None; AHEAD];
        for (ahead, wanted) in (1..=lines as i64).zip(&mut wanted) {
            let next = line.checked_add_signed(ahead * distance);
            *wanted = next.filter(|next| distance != 0 && next >> self.page == line >> self.page);
        }
        wanted
    }
}

/// The distance from the last line of this array, if the previous distance was the same;
/// else 0.
fn same_distance(arrays: &mut Vec<(u64, i64)>, line: u64, array: usize) -> i64 {
    arrays.resize(arrays.len().max(array + 1), (line, 0));
    let (last, before) = arrays[array];
    let distance = line.wrapping_sub(last) as i64;
    arrays[array] = (line, distance);
    if distance == before { distance } else { 0 }
}

/// The direction in which `page` is accessed, if two steps had the same; else 0.
fn direction(pages: &mut Vec<(u64, u64, i64)>, page: u64, line: u64) -> i64 {
    let Some(at) = pages.iter().position(|&(known, ..)| known == page) else {
        pages.truncate(STREAMS - 1);
        pages.insert(0, (page, line, 0));
        return 0;
    };
    pages[..=at].rotate_right(1);
    let (_, last, before) = pages[0];
    let step = (line as i64 - last as i64).signum();
    pages[0] = (page, line, step);
    if step == before { step } else { 0 }
}
