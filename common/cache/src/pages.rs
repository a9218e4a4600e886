//! The mapping of virtual pages to physical memory.

use figures::random::mix;
use machine::{Machine, Mapping};

/// A seeded permutation of all page numbers of the modelled memory.
#[derive(Debug, Clone)]
pub(crate) struct PageMap {
    shift: u32,
    seed: u64,
    /// Bits of each half of a page number.
    half: u32,
    /// Frames of the first pages.
    frames: Vec<u64>,
}

impl PageMap {
    /// Half the number of bits of a page number: for 2^20 pages, or for all below the
    /// highest address of the model if those are more.
    const HALF: u32 = 10;

    /// The mapping of `machine` for addresses up to `reach`, to fewer than `limit` bytes if
    /// they suffice; `None` for the identity.
    pub(crate) fn new(machine: &Machine, reach: u64, limit: u64) -> Option<PageMap> {
        let Mapping::Random { seed } = machine.mapping else { return None };
        let shift = machine.page_size.0.trailing_zeros();
        let used = (reach >> shift) + 1;
        let mut half = (limit.ilog2().saturating_sub(shift) / 2).min(Self::HALF);
        while used > 1 << (2 * half) {
            half += 1;
        }
        let mut map = PageMap { shift, seed, half, frames: Vec::new() };
        map.frames = (0..used).map(|page| map.frame(page)).collect();
        Some(map)
    }

    /// Size of the physical memory in bytes.
    pub(crate) fn reach(&self) -> u64 {
        1u64.checked_shl(2 * self.half + self.shift).unwrap_or(u64::MAX)
    }

    pub(crate) fn physical(&self, address: u64) -> u64 {
        let page = address >> self.shift;
        let frame = self.frames.get(page as usize).copied().unwrap_or_else(|| self.frame(page));
        frame << self.shift | address & ((1 << self.shift) - 1)
    }

    pub(crate) fn virtual_of(&self, address: u64) -> u64 {
        self.page(address >> self.shift) << self.shift | address & ((1 << self.shift) - 1)
    }

    /// Four rounds of a Feistel network: a permutation for any round function. Never
    /// inlined: otherwise compilers compute it also for pages that are in the table.
    #[cold]
    #[inline(never)]
    fn frame(&self, page: u64) -> u64 {
        let (mut left, mut right) = self.halves(page);
        for round in 0..4 {
            (left, right) = (right, left ^ self.scramble(right, round));
        }
        left << self.half | right
    }

    /// The same rounds in reverse order.
    fn page(&self, frame: u64) -> u64 {
        let (mut left, mut right) = self.halves(frame);
        for round in (0..4).rev() {
            (left, right) = (right ^ self.scramble(left, round), left);
        }
        left << self.half | right
    }

    fn halves(&self, number: u64) -> (u64, u64) {
        let mask = (1 << self.half) - 1;
        (number >> self.half & mask, number & mask)
    }

    fn scramble(&self, half: u64, round: u64) -> u64 {
        mix(self.seed ^ mix(half << 2 | round)) & ((1 << self.half) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_frame_of_its_own() {
        let mut machine = Machine::named("lecture").unwrap();
        assert!(PageMap::new(&machine, 1 << 20, 1 << 36).is_none());
        machine.mapping = Mapping::Random { seed: 7 };
        let pages = PageMap::new(&machine, 1 << 20, 1 << 36).unwrap();
        let frames: std::collections::BTreeSet<u64> = (0..4096).map(|p| pages.physical(p << 12)).collect();
        assert_eq!(frames.len(), 4096);
        for address in [0, 4095, 4096, 0x1234_5678] {
            assert_eq!(pages.virtual_of(pages.physical(address)), address);
            assert!(pages.physical(address) < pages.reach());
        }
    }
}
