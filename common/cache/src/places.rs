//! From an address in this process to one in the model: arrays at their
//! offset in the arena, everything else (loop variables kept in memory) behind
//! them in order of first use, so that counts are the same in every run.

use std::collections::HashMap;

use super::request::Request;
use memory::{Arena, Region};

/// Offsets below this share one entry of the table.
const GRANULE: u32 = 12;
/// Entry of a granule that more than one array lies in.
const MIXED: u8 = u8::MAX;
/// Memory outside the arrays is placed in pieces of this size: the alignment
/// that stacks and heaps keep from run to run.
const STRAY: usize = 16;
/// Bytes for all of it, enough for any kernel's variables; more would share.
const STRAYS: usize = 4096;

#[derive(Debug)]
pub(super) struct Places {
    origin: usize,
    regions: Vec<Region>,
    /// Array of each granule.
    table: Vec<u8>,
    /// Where the last array ends.
    end: usize,
    /// Where memory outside the arrays is placed: a power of two.
    outside: u64,
    /// Pieces of memory met outside the arrays, by offset / [`STRAY`].
    strays: HashMap<usize, u64>,
}

impl Places {
    pub(super) fn new(arena: &Arena) -> Places {
        let mut regions = arena.regions();
        regions.truncate(usize::from(MIXED) - 1);
        let end = regions.iter().map(|region| region.bytes.end).max().unwrap_or(0);
        let outside = end.next_power_of_two().max(Arena::ALIGNMENT) as u64;
        let table = (0..end.div_ceil(1 << GRANULE)).map(|granule| owner(&regions, granule)).collect();
        Places { origin: arena.origin(), regions, table, end, outside, strays: HashMap::new() }
    }

    /// Names of the arrays in order; the last entry is everything else.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.regions.iter().map(|region| region.name).chain(["(outside)"]).collect()
    }

    /// First address behind all arrays.
    pub(super) fn outside(&self) -> u64 {
        self.outside
    }

    /// How many pieces of memory `bytes` apart can be in use at most.
    pub(super) fn pieces(&self, bytes: usize) -> usize {
        self.end.div_ceil(bytes) + STRAYS.div_ceil(bytes)
    }

    /// Address of the first array; the model's addresses count from here.
    pub(super) fn origin(&self) -> usize {
        self.origin
    }

    /// Largest power of two on whose multiples all arrays begin and end.
    pub(super) fn alignment(&self) -> usize {
        let ends = self.regions.iter().flat_map(|region| [region.bytes.start, region.bytes.end]);
        1 << ends.fold(1 << 12, |bits, end| bits | end).trailing_zeros().min(12)
    }

    /// Moves what lies outside the arrays to its place.
    pub(super) fn settle(&mut self, row: &mut [Request]) {
        if Request::reach(row) < self.outside {
            return;
        }
        for request in row {
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

    /// Index into [`names`](Places::names) of the array at `address`.
    #[inline(always)]
    pub(super) fn region(&self, address: u64) -> u8 {
        match self.table.get((address >> GRANULE) as usize) {
            Some(&MIXED) => self.search(address),
            Some(&region) => region,
            None => self.regions.len() as u8,
        }
    }

    #[cold]
    fn search(&self, address: u64) -> u8 {
        let found = self.regions.iter().position(|region| region.bytes.contains(&(address as usize)));
        found.unwrap_or(self.regions.len()) as u8
    }
}

/// The only array in a granule, or [`MIXED`].
fn owner(regions: &[Region], granule: usize) -> u8 {
    let (start, end) = (granule << GRANULE, (granule + 1) << GRANULE);
    let whole = |region: &Region| region.bytes.start <= start && end <= region.bytes.end;
    regions.iter().position(whole).map_or(MIXED, |found| found as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_lie_at_their_offset_and_strays_behind_them() {
        let arena = Arena::with_capacity(1 << 16).unwrap();
        let a = arena.array::<u8>("a", 5000).unwrap();
        let b = arena.array::<u8>("b", 9000).unwrap();
        let mut places = Places::new(&arena);
        assert_eq!(places.names(), ["a", "b", "(outside)"]);
        assert_eq!(places.alignment(), 8);
        let offset = |cell: &std::cell::Cell<u8>| cell.as_ptr() as usize - places.origin();
        assert_eq!((offset(a.at(0)), offset(b.at(7))), (0, 5007));
        assert_eq!([4095, 4096, 4999, 5000].map(|x| places.region(x)), [0, 0, 0, 1]);
        assert_eq!([8192, 13999, 14000].map(|x| places.region(x)), [1, 1, 2]);
        let mut row = [0x99_0008, 0x77_0000, 0x99_000c, 5007].map(|address| Request::new(address, 1));
        places.settle(&mut row);
        assert_eq!(row.map(Request::address), [65544, 65552, 65548, 5007]);
        assert!(row[0].is(Request::STORE));
        assert_eq!(places.region(65544), 2);
    }
}
