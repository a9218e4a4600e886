//! From an address in this process to one in the model: arrays at their
//! offset in the arena, everything else (loop variables kept in memory) behind
//! them in order of first use, so that counts are the same in every process.

use std::collections::HashMap;
use std::ops::Range;

use super::request::Request;
use memory::{Allocation, Arena};

/// Offsets below this share one entry of the table.
const GRANULE: u32 = 12;
/// Entry of a granule that more than one array lies in.
const MIXED: u8 = u8::MAX;
/// Memory outside the arrays is relocated in pieces of this size: the alignment
/// that stacks and heaps keep from process to process.
const STRAY: usize = 16;
/// Bytes for all of it, enough for any kernel's variables; more would share.
const STRAYS: usize = 4096;

#[derive(Debug)]
pub(super) struct AddressMap {
    origin: usize,
    arrays: Vec<Allocation>,
    /// Array of each granule.
    table: Vec<u8>,
    /// Where the last array ends.
    end: usize,
    /// Where memory outside the arrays is relocated to: a power of two.
    outside: u64,
    /// What is accessed if nothing else is: what else is, is not served.
    alone: Option<Vec<Range<usize>>>,
    /// Pieces of memory met outside the arrays, by offset / [`STRAY`].
    strays: HashMap<usize, u64>,
}

impl AddressMap {
    /// For the arrays of `arena`; `alone` says which of them are accessed where
    /// nothing else is.
    pub(super) fn new(arena: &Arena, alone: Option<&[&str]>) -> AddressMap {
        let mut arrays = arena.allocations();
        let alone = alone.map(|names| {
            let named = arrays.iter().filter(|array| names.contains(&array.name));
            joined(named.map(|array| array.bytes.clone()).collect())
        });
        arrays.truncate(usize::from(MIXED) - 1);
        let end = arrays.iter().map(|array| array.bytes.end).max().unwrap_or(0);
        let outside = end.next_power_of_two().max(Arena::ALIGNMENT) as u64;
        let table = (0..end.div_ceil(1 << GRANULE)).map(|granule| owner(&arrays, granule)).collect();
        AddressMap { origin: arena.origin(), arrays, table, end, outside, alone, strays: HashMap::new() }
    }

    /// Names of the arrays in order; the last entry is everything else.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.arrays.iter().map(|array| array.name).chain(["(outside)"]).collect()
    }

    /// First address behind all arrays.
    pub(super) fn outside(&self) -> u64 {
        self.outside
    }

    /// How many blocks of `block` bytes that lie a multiple of `apart` bytes from
    /// each other can be in use at most.
    pub(super) fn pieces(&self, block: usize, apart: usize) -> usize {
        let blocks = |used: &Range<usize>| used.start / block..used.end.div_ceil(block);
        let sets = apart / block;
        joined(self.used().iter().map(blocks).collect()).iter().map(|used| used.len().div_ceil(sets)).sum()
    }

    /// Whether what lies at `address` is served at all.
    pub(super) fn serves(&self, address: u64) -> bool {
        let holds = |used: &Range<usize>| used.contains(&(address as usize));
        self.alone.as_ref().is_none_or(|alone| alone.iter().any(holds))
    }

    /// All addresses that can be in use: arrays, and what lies outside them.
    pub(super) fn used(&self) -> Vec<Range<usize>> {
        let outside = self.outside as usize;
        match &self.alone {
            Some(alone) => alone.clone(),
            None => vec![0..self.end, outside..outside + STRAYS],
        }
    }

    /// Address of the first array; the model's addresses count from here.
    pub(super) fn origin(&self) -> usize {
        self.origin
    }

    /// Largest power of two on whose multiples all arrays begin and end.
    pub(super) fn alignment(&self) -> usize {
        let ends = self.arrays.iter().flat_map(|array| [array.bytes.start, array.bytes.end]);
        1 << ends.fold(1 << 12, |bits, end| bits | end).trailing_zeros().min(12)
    }

    /// Whether what lies at `address` is served, and need not be moved.
    #[inline(always)]
    pub(super) fn is_in_place(&self, address: u64) -> bool {
        match &self.alone {
            Some(alone) => alone.iter().any(|range| range.contains(&(address as usize))),
            None => address < self.outside,
        }
    }

    /// Moves what lies outside the arrays to its address in the model.
    pub(super) fn relocate(&mut self, batch: &mut Vec<Request>) {
        if self.alone.is_some() {
            batch.retain(|request| self.serves(request.address()));
            return;
        }
        if Request::reach(batch) < self.outside {
            return;
        }
        for request in batch {
            if request.address() >= self.outside {
                *request = request.moved_to(self.stray(request.address() as usize));
            }
        }
    }

    #[cold]
    fn stray(&mut self, offset: usize) -> u64 {
        let next = self.outside + (self.strays.len() * STRAY % STRAYS) as u64;
        *self.strays.entry(offset / STRAY).or_insert(next) + (offset % STRAY) as u64
    }

    /// Index into [`names`](AddressMap::names) of the array at `address`.
    #[inline(always)]
    pub(super) fn array(&self, address: u64) -> u8 {
        match self.table.get((address >> GRANULE) as usize) {
            Some(&MIXED) => self.search(address),
            Some(&array) => array,
            None => self.arrays.len() as u8,
        }
    }

    /// Where the array of that index lies: anywhere, if it is everything else.
    pub(super) fn bytes(&self, array: u8) -> Range<i64> {
        let bytes = self.arrays.get(usize::from(array)).map(|array| &array.bytes);
        bytes.map_or(i64::MIN..i64::MAX, |bytes| bytes.start as i64..bytes.end as i64)
    }

    #[cold]
    fn search(&self, address: u64) -> u8 {
        let found = self.arrays.iter().position(|array| array.bytes.contains(&(address as usize)));
        found.unwrap_or(self.arrays.len()) as u8
    }
}

/// The same ranges with those that touch made one.
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
    fn arrays_lie_at_their_offset_and_strays_behind_them() {
        let arena = Arena::with_capacity(1 << 16).unwrap();
        let a = arena.array::<u8>("a", 5000).unwrap();
        let b = arena.array::<u8>("b", 9000).unwrap();
        let mut addresses = AddressMap::new(&arena, None);
        assert_eq!(addresses.names(), ["a", "b", "(outside)"]);
        assert_eq!(addresses.alignment(), 8);
        let offset = |cell: &std::cell::Cell<u8>| cell.as_ptr() as usize - addresses.origin();
        assert_eq!((offset(a.at(0)), offset(b.at(7))), (0, 5007));
        assert_eq!([4095, 4096, 4999, 5000].map(|x| addresses.array(x)), [0, 0, 0, 1]);
        assert_eq!([8192, 13999, 14000].map(|x| addresses.array(x)), [1, 1, 2]);
        let mut batch =
            [0x99_0008, 0x77_0000, 0x99_000c, 5007].map(|address| Request::new(address, 1)).to_vec();
        addresses.relocate(&mut batch);
        let addresses_of = |batch: &[Request]| batch.iter().map(|r| r.address()).collect::<Vec<u64>>();
        assert_eq!(addresses_of(&batch), [65544, 65552, 65548, 5007]);
        assert!(batch[0].is(Request::STORE));
        assert_eq!(addresses.array(65544), 2);
        AddressMap::new(&arena, Some(&["a", "b"])).relocate(&mut batch);
        assert_eq!(addresses_of(&batch), [5007]);
        AddressMap::new(&arena, Some(&["a"])).relocate(&mut batch);
        assert_eq!(addresses_of(&batch), [0; 0]);
    }

    #[test]
    fn pieces_are_those_of_the_arrays_in_use() {
        let arena = Arena::with_capacity(1 << 16).unwrap();
        for name in ["a", "b", "c"] {
            arena.array::<u8>(name, 8192).unwrap();
        }
        let pieces = |alone: &[&str], apart| AddressMap::new(&arena, Some(alone)).pieces(64, apart);
        assert_eq!(pieces(&["a", "b", "c"], 4096), 6);
        assert_eq!(pieces(&["a", "c"], 4096), 4);
        assert_eq!(pieces(&["a", "b"], 1 << 15), 1);
        assert_eq!(pieces(&["a", "c"], 1 << 15), 2);
        assert_eq!(AddressMap::new(&arena, None).pieces(64, 4096), 7);
    }
}
