//! Maps addresses of this process to virtual addresses of the model, and these to physical
//! ones.

use std::collections::HashMap;
use std::ops::Range;

use figures::random::mix;
use machine::{Machine, Mapping};
use memory::Arena;

/// Memory outside the arrays is relocated in pieces of so many bytes.
const PIECE: usize = 16;

/// The addresses of arrays and other variables. Arrays are at their offset from the arena's
/// first byte. Everything else is after them, in order of first use, so that nothing
/// depends on where the system puts it.
pub(crate) struct Arrays {
    origin: usize,
    names: Vec<&'static str>,
    bytes: Vec<Range<usize>>,
    /// Accesses outside the arrays are not served.
    alone: bool,
    /// Where other variables begin.
    outside: usize,
    pieces: Vec<usize>,
}

impl Arrays {
    pub(crate) fn new(arena: &Arena, alone: bool) -> Arrays {
        let arrays = arena.allocations();
        let end = arrays.iter().map(|array| array.bytes.end).max().unwrap_or(0);
        Arrays {
            origin: arena.origin(),
            names: arrays.iter().map(|array| array.name).chain(["(outside)"]).collect(),
            bytes: arrays.into_iter().map(|array| array.bytes).collect(),
            alone,
            outside: end.next_power_of_two().max(Arena::ALIGNMENT),
            pieces: Vec::new(),
        }
    }

    /// Where the page table begins.
    pub(crate) fn end(&self) -> u64 {
        2 * self.outside as u64
    }

    /// The arrays in order; the last name is for everything else.
    pub(crate) fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// The virtual address and the array, if the access is served.
    pub(crate) fn locate(&mut self, pointer: usize) -> Option<(u64, usize)> {
        let offset = pointer.wrapping_sub(self.origin);
        if let Some(array) = self.bytes.iter().position(|bytes| bytes.contains(&offset)) {
            return Some((offset as u64, array));
        }
        if self.alone {
            return None;
        }
        let piece = self.pieces.iter().position(|&piece| piece == offset / PIECE).unwrap_or_else(|| {
            self.pieces.push(offset / PIECE);
            self.pieces.len() - 1
        });
        Some(((self.outside + piece * PIECE + offset % PIECE) as u64, self.bytes.len()))
    }
}

/// The mapping of virtual pages to physical memory.
pub(crate) struct Pages {
    pub(crate) size: u64,
    /// The seed of a random mapping.
    seed: Option<u64>,
    /// Half the bits of a page number.
    half: u32,
    frames: HashMap<u64, u64>,
    pages: HashMap<u64, u64>,
}

impl Pages {
    /// Memory has 2^20 pages, or fewer if the smallest lines would be more than 2^30; their
    /// numbers have an even number of bits.
    pub(crate) fn new(machine: &Machine) -> Pages {
        let smallest = machine.levels.iter().map(|cache| cache.line.0).min().unwrap_or(64);
        let size = machine.page_size.0;
        Pages {
            size,
            seed: if let Mapping::Random { seed } = machine.mapping { Some(seed) } else { None },
            half: ((smallest << 29) / size).ilog2().div_euclid(2).min(10),
            frames: HashMap::new(),
            pages: HashMap::new(),
        }
    }

    pub(crate) fn physical(&mut self, address: u64) -> u64 {
        let Some(seed) = self.seed else { return address };
        let page = address / self.size;
        let frame = *self.frames.entry(page).or_insert_with(|| frame(page, self.half, seed));
        self.pages.insert(frame, page);
        frame * self.size + address % self.size
    }

    /// The virtual address of a physical one, in a page that was accessed.
    pub(crate) fn of_physical(&self, address: u64) -> u64 {
        match self.seed {
            Some(_) => self.pages[&(address / self.size)] * self.size + address % self.size,
            None => address,
        }
    }
}

/// A seeded permutation of page numbers: a Feistel network of four rounds. Each round adds
/// (exclusive or) a hash of the lower half, the round and the seed to the upper half, then
/// exchanges the halves.
fn frame(page: u64, half: u32, seed: u64) -> u64 {
    let mask = (1 << half) - 1;
    let mut number = page;
    for round in 0..4 {
        let (upper, lower) = (number >> half, number & mask);
        let hash = mix(seed ^ mix(4 * lower + round)) & mask;
        number = lower << half | (upper ^ hash);
    }
    number
}
