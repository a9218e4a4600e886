//! A chain of dependent accesses in a [`PageBlock`]: every element contains the address of
//! the next, so no access can start before the last has ended.

use std::hint::black_box;

use system::pages::PageBlock;

/// Size of an address in bytes; elements closer than this share a word.
pub(super) const WORD: usize = size_of::<usize>();

/// A closed chain, and the current position in it.
#[derive(Debug)]
pub(super) struct Chain<'a> {
    _block: &'a mut PageBlock,
    at: usize,
    words: usize,
    /// Bytes between the elements of one word: `WORD` when there is one.
    step: usize,
}

impl<'a> Chain<'a> {
    /// Links the words at these byte offsets in this order, the last to the
    /// first. `step` below [`WORD`] makes a walk visit the bytes `0, step,
    /// 2 step ...` of each word.
    ///
    /// # Panics
    ///
    /// If there is no offset, or one is not a multiple of [`WORD`] inside the
    /// block, or `step` is not 1, 2, 4 or [`WORD`].
    pub(super) fn new(block: &'a mut PageBlock, offsets: &[usize], step: usize) -> Chain<'a> {
        assert!(WORD.is_multiple_of(step), "elements of a word are 1, 2, 4 or 8 bytes apart");
        let at = link(block, offsets);
        Chain { _block: block, at, words: offsets.len(), step }
    }

    /// Accesses of one round.
    pub(super) fn round(&self) -> usize {
        self.words * (WORD / self.step)
    }

    /// Makes at least `accesses` accesses from where the last walk stopped;
    /// returns how many were made.
    #[inline(never)]
    pub(super) fn walk(&mut self, accesses: usize) -> usize {
        match self.step {
            1 => self.walk_bytes::<1>(accesses),
            2 => self.walk_bytes::<2>(accesses),
            4 => self.walk_bytes::<4>(accesses),
            _ => self.walk_words(accesses),
        }
    }

    fn walk_words(&mut self, accesses: usize) -> usize {
        let rounds = accesses.div_ceil(16);
        let mut at = self.at;
        for _ in 0..rounds {
            for _ in 0..16 {
                at = follow(at);
            }
        }
        self.at = black_box(at);
        16 * rounds
    }

    /// Accesses each word's elements in order: the first as the word (which contains the
    /// next word's address), the others as bytes. Each value read is masked to zero and
    /// added to the next address, which makes that access dependent.
    fn walk_bytes<const STEP: usize>(&mut self, accesses: usize) -> usize {
        let words = accesses.div_ceil(WORD / STEP);
        let nothing = black_box(0usize);
        let mut at = self.at;
        for _ in 0..words {
            let next = follow(at);
            let mut last = next;
            for element in 1..WORD / STEP {
                last = usize::from(byte(at + element * STEP + (last & nothing)));
            }
            at = next + (last & nothing);
        }
        self.at = black_box(at);
        words * (WORD / STEP)
    }
}

/// Links the words at these offsets to a ring; returns the address of the first.
fn link(block: &mut PageBlock, offsets: &[usize]) -> usize {
    assert!(!offsets.is_empty(), "a chain needs elements");
    let base = block.base();
    let address = base.expose_provenance();
    for (i, &offset) in offsets.iter().enumerate() {
        assert!(
            offset.is_multiple_of(WORD) && offset <= block.bytes() - WORD,
            "offset {offset} is not in this memory"
        );
        let next = offsets[(i + 1) % offsets.len()];
        // SAFETY: just checked to be an aligned word of the block, which only this function
        // borrows.
        unsafe { base.add(offset).cast::<usize>().write(address + next) };
    }
    address + offsets[0]
}

#[inline(always)]
fn follow(at: usize) -> usize {
    // SAFETY: `at` is the address of a linked word of the memory (`Chain::new`
    // wrote only such addresses), which outlives the chain.
    unsafe { std::ptr::with_exposed_provenance::<usize>(at).read_volatile() }
}

#[inline(always)]
fn byte(at: usize) -> u8 {
    // SAFETY: a byte of the linked word that was just read; see `follow`.
    unsafe { std::ptr::with_exposed_provenance::<u8>(at).read_volatile() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::pages::PageKind;

    #[test]
    fn a_walk_comes_round_to_where_it_began() {
        let mut block = PageBlock::new(4096, PageKind::Base).unwrap();
        let offsets = [0, 64, 24, 4000];
        for step in [1, 2, 4, WORD] {
            let mut chain = Chain::new(&mut block, &offsets, step);
            let start = chain.at;
            let per_word = WORD / step;
            assert_eq!(chain.round(), 4 * per_word);
            let made = chain.walk(16 * per_word);
            assert_eq!((made % chain.round(), chain.at), (0, start), "step {step}");
        }
    }

    #[test]
    #[should_panic(expected = "not in this memory")]
    fn an_offset_whose_end_wraps_round_is_refused() {
        let mut block = PageBlock::new(4096, PageKind::Base).unwrap();
        Chain::new(&mut block, &[usize::MAX - WORD + 1], WORD);
    }
}
