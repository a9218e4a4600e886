//! Address translation: levels of cached page translations.

use super::level::ARRAYS;
use super::sets::Sets;
use super::tag::tag_of;
use machine::{Machine, Replacement, Tlb};

/// One level of TLB, always LRU.
#[derive(Debug, Clone)]
pub(super) struct Translations {
    pub(super) pages: Sets,
    sets: u64,
    /// Misses per array.
    pub(super) misses: Box<[u64; ARRAYS]>,
}

/// All levels of TLB.
#[derive(Debug, Clone)]
pub(super) struct Tlbs {
    pub(super) levels: Vec<Translations>,
}

impl Tlbs {
    pub(super) fn new(machine: &Machine) -> Tlbs {
        let level = |tlb: &Tlb| Translations {
            pages: Sets::new(tlb.entries / tlb.ways, tlb.ways, Replacement::Lru),
            sets: (tlb.entries / tlb.ways) as u64,
            misses: Box::new([0; ARRAYS]),
        };
        Tlbs { levels: machine.tlbs.iter().map(level).collect() }
    }

    /// Looks `page` of that array up, level by level until one hits.
    pub(super) fn translate(&mut self, page: u64, array: u8) {
        for level in &mut self.levels {
            let set = if level.sets.is_power_of_two() { page & (level.sets - 1) } else { page % level.sets };
            let (set, key) = (set as usize, tag_of(page));
            if level.pages.touch(set, key) {
                return;
            }
            level.misses[usize::from(array)] += 1;
        }
    }
}
