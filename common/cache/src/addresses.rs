//! Maps addresses of this process to addresses in the model: arrays at their offset in the
//! arena, all other memory (loop variables) after them in order of first use, so that
//! counts are the same in every process.

use std::collections::HashMap;
use std::ops::Range;

use memory::{Allocation, Arena};

use crate::table::PageTable;
use crate::tally::MAX_ARRAYS;

/// The name of memory outside the arrays.
pub(crate) const OUTSIDE: &str = "(outside)";

/// Offsets below this share one entry of the table.
const GRANULE: u32 = 12;
/// The entry of a granule with more than one array.
const MIXED: u8 = u8::MAX;
/// Memory outside the arrays is relocated in pieces of this size: the alignment of stacks
/// and heaps, which is the same in every process.
const PIECE: usize = 16;
/// Size of the area for them in bytes, enough for any kernel's variables; more would share
/// addresses.
const OUTSIDE_BYTES: usize = 4096;

#[derive(Debug)]
pub(crate) struct AddressMap {
    /// Address of the first array; the model's addresses start there.
    origin: usize,
    arrays: Vec<Allocation>,
    /// Array of each granule.
    table: Vec<u8>,
    /// The end of the last array.
    end: usize,
    /// The address to which memory outside the arrays is relocated: a power of two.
    outside: u64,
    /// The accessed arrays, if the kernel accesses nothing else.
    only: Option<Vec<Range<usize>>>,
    /// Pieces of memory outside the arrays that were accessed, by offset / [`PIECE`].
    pieces: HashMap<usize, u64>,
}

impl AddressMap {
    /// For the arrays of `arena`; `only`: the arrays that are accessed, if nothing else is.
    pub(crate) fn new(arena: &Arena, only: Option<&[&str]>) -> AddressMap {
        let mut arrays = arena.allocations();
        let only = only.map(|names| {
            let named = arrays.iter().filter(|array| names.contains(&array.name));
            joined(named.map(|array| array.bytes.clone()).collect())
        });
        arrays.truncate(MAX_ARRAYS - 1);
        let end = arrays.iter().map(|array| array.bytes.end).max().unwrap_or(0);
        let outside = end.next_power_of_two().max(Arena::ALIGNMENT) as u64;
        let table = (0..end.div_ceil(1 << GRANULE)).map(|granule| owner(&arrays, granule)).collect();
        AddressMap { origin: arena.origin(), arrays, table, end, outside, only, pieces: HashMap::new() }
    }

    /// Names of the arrays in order; the last entry is everything else.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.arrays.iter().map(|array| array.name).chain([OUTSIDE]).collect()
    }

    /// The arrays, and their addresses.
    pub(crate) fn arrays(&self) -> &[Allocation] {
        &self.arrays
    }

    /// First address after all arrays.
    pub(crate) fn outside(&self) -> u64 {
        self.outside
    }

    /// First address after all memory that can be accessed.
    pub(crate) fn end(&self) -> u64 {
        if self.only.is_some() { self.end as u64 } else { self.outside + OUTSIDE_BYTES as u64 }
    }

    /// The largest number of blocks of `block` bytes, used by data or by the entries of `table`,
    /// whose distances are multiples of `distance` bytes.
    pub(crate) fn blocks_per_set(&self, block: usize, distance: usize, table: Option<&PageTable>) -> usize {
        let blocks = |used: Range<usize>| used.start / block..used.end.div_ceil(block);
        let sets = distance / block;
        let used = self.used();
        let entries = used.iter().flat_map(|used| table.into_iter().flat_map(|table| table.entries_of(used)));
        let all = used.iter().cloned().chain(entries).map(blocks).collect();
        joined(all).iter().map(|used| used.len().div_ceil(sets)).sum()
    }

    /// The largest number of used pages of `page` bytes in one of `sets` sets.
    pub(crate) fn pages_per_set(&self, page: usize, sets: usize, set: impl Fn(u64) -> usize) -> usize {
        let pages = |used: &Range<usize>| used.start / page..used.end.div_ceil(page);
        let mut counts = vec![0; sets];
        for page in joined(self.used().iter().map(pages).collect()).into_iter().flatten() {
            counts[set(page as u64)] += 1;
        }
        counts.into_iter().max().unwrap_or(0)
    }

    /// All addresses that can be used: arrays, and memory outside them.
    fn used(&self) -> Vec<Range<usize>> {
        let outside = self.outside as usize;
        match &self.only {
            Some(only) => only.clone(),
            None => vec![0..self.end, outside..outside + OUTSIDE_BYTES],
        }
    }

    /// The model's address of `pointer`, and the index into [`names`](AddressMap::names) of
    /// its array; `None` if the access is outside and only arrays are modelled.
    #[inline]
    pub(crate) fn place(&mut self, pointer: usize) -> Option<(u64, u8)> {
        let offset = pointer.wrapping_sub(self.origin);
        if let Some(only) = &self.only {
            let is_used = only.iter().any(|range| range.contains(&offset));
            return is_used.then(|| (offset as u64, self.array(offset)));
        }
        let address = if offset < self.end { offset as u64 } else { self.outside_address(offset) };
        Some((address, self.array(address as usize)))
    }

    #[cold]
    fn outside_address(&mut self, offset: usize) -> u64 {
        let next = self.outside + (self.pieces.len() * PIECE % OUTSIDE_BYTES) as u64;
        *self.pieces.entry(offset / PIECE).or_insert(next) + (offset % PIECE) as u64
    }

    /// Whether an index into [`names`](AddressMap::names) is that of memory outside the
    /// arrays.
    pub(crate) fn is_outside(&self, array: u8) -> bool {
        usize::from(array) == self.arrays.len()
    }

    #[inline]
    fn array(&self, address: usize) -> u8 {
        match self.table.get(address >> GRANULE) {
            Some(&MIXED) => self.search(address),
            Some(&array) => array,
            None => self.arrays.len() as u8,
        }
    }

    #[cold]
    fn search(&self, address: usize) -> u8 {
        let found = self.arrays.iter().position(|array| array.bytes.contains(&address));
        found.unwrap_or(self.arrays.len()) as u8
    }
}

/// Ranges with adjacent ones joined.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, last| {
        let touch = next.start <= last.end;
        last.end = last.end.max(if touch { next.end } else { 0 });
        touch
    });
    ranges
}

/// The only array in a granule, or [`MIXED`].
fn owner(arrays: &[Allocation], granule: usize) -> u8 {
    let (start, end) = (granule << GRANULE, (granule + 1) << GRANULE);
    let whole = |array: &Allocation| array.bytes.start <= start && end <= array.bytes.end;
    arrays.iter().position(whole).map_or(MIXED, |found| found as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_lie_at_their_offset_and_the_rest_behind_them() {
        let arena = Arena::with_capacity(1 << 16).unwrap();
        arena.array::<u8>("a", 5000).unwrap();
        arena.array::<u8>("b", 9000).unwrap();
        let mut addresses = AddressMap::new(&arena, None);
        assert_eq!(addresses.names(), ["a", "b", "(outside)"]);
        let origin = addresses.origin;
        let mut place = |offset: usize| addresses.place(origin + offset).unwrap();
        assert_eq!([4095, 4096, 4999, 5000].map(|x| place(x).1), [0, 0, 0, 1]);
        assert_eq!([8192, 13999].map(|x| place(x).1), [1, 1]);
        let outside = [0x99_0008, 0x77_0000, 0x99_000c, 5007].map(place);
        assert_eq!(outside, [(65544, 2), (65552, 2), (65548, 2), (5007, 1)]);
        let mut only = AddressMap::new(&arena, Some(&["b"]));
        assert_eq!([0x99_0008, 4999, 5007].map(|x| only.place(origin + x)), [None, None, Some((5007, 1))]);
    }
}
