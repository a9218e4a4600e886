//! Dependent accesses: every word of a closed chain contains the address of the next, so no
//! load can start before the last has ended.

use std::hint::black_box;

use memory::Arena;

/// Size of an address in bytes: 4 in WebAssembly.
pub(crate) const WORD: usize = size_of::<usize>();

/// A closed chain in an arena, and the current position in it.
#[derive(Debug)]
pub(crate) struct Chain<'a> {
    _arena: &'a Arena,
    at: usize,
}

impl<'a> Chain<'a> {
    /// Links the words at these byte offsets in this order, the last to the first. Offsets
    /// that are not words of the arena are ignored.
    pub(crate) fn new(arena: &'a Arena, offsets: &[u64]) -> Chain<'a> {
        let base = std::ptr::with_exposed_provenance_mut::<u8>(arena.origin());
        let inside = |offset: &usize| offset.is_multiple_of(WORD) && offset + WORD <= arena.capacity();
        let words: Vec<usize> = offsets.iter().map(|offset| *offset as usize).filter(inside).collect();
        let next = words.iter().cycle().skip(1);
        for (&word, &next) in words.iter().zip(next) {
            // SAFETY: an aligned word of the arena (`inside`), none of whose
            // bytes is handed out as an array.
            unsafe { base.add(word).cast::<usize>().write(arena.origin() + next) };
        }
        Chain { _arena: arena, at: words.first().map_or(0, |word| arena.origin() + word) }
    }

    /// Makes at least `accesses` accesses from where the last walk stopped;
    /// returns how many were made.
    #[inline(never)]
    pub(crate) fn walk(&mut self, accesses: usize) -> usize {
        if self.at == 0 {
            return 1;
        }
        let turns = accesses.div_ceil(16).max(1);
        let mut at = self.at;
        for _ in 0..turns {
            for _ in 0..16 {
                // SAFETY: the address of a linked word of the arena, which
                // outlives the chain.
                at = unsafe { std::ptr::with_exposed_provenance::<usize>(at).read_volatile() };
            }
        }
        self.at = black_box(at);
        16 * turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_comes_round_to_where_it_began() {
        let arena = Arena::with_capacity(4096).unwrap();
        let mut chain = Chain::new(&arena, &[0, 64, 24, 4088, 4096, 3]);
        assert_eq!(chain.at, arena.origin());
        let places: Vec<usize> = (0..4)
            .map(|_| {
                chain.walk(16);
                chain.at - arena.origin()
            })
            .collect();
        assert_eq!(places, [0, 0, 0, 0], "16 accesses are four rounds of four words");
        assert_eq!(Chain::new(&arena, &[]).walk(8), 1);
    }
}
