//! Address translation: levels of cached page translations.

use super::level::REGIONS;
use super::request::Request;
use super::sets::{Sets, tag_of};
use crate::machine::{Machine, Replacement, Tlb};

/// One level of TLB, always LRU.
#[derive(Debug, Clone)]
pub(super) struct Translations {
    pub(super) pages: Sets,
    sets: u64,
    /// Misses per array.
    pub(super) misses: Box<[u64; REGIONS]>,
}

/// All levels of TLB.
#[derive(Debug, Clone)]
pub(super) struct Tlbs {
    shift: u32,
    /// The most recently used page of each set of the first level: using it
    /// again changes nothing.
    recent: Vec<u64>,
    pub(super) levels: Vec<Translations>,
}

impl Tlbs {
    pub(super) fn new(machine: &Machine) -> Tlbs {
        let level = |tlb: &Tlb| Translations {
            pages: Sets::new(tlb.entries / tlb.ways, tlb.ways, Replacement::Lru),
            sets: (tlb.entries / tlb.ways) as u64,
            misses: Box::new([0; REGIONS]),
        };
        let recent = machine.tlbs.first().map_or(0, |tlb| tlb.entries / tlb.ways);
        Tlbs {
            recent: vec![u64::MAX; recent],
            shift: machine.page_size.0.trailing_zeros(),
            levels: machine.tlbs.iter().map(level).collect(),
        }
    }

    /// Looks the page of `request` up, level by level until one has it.
    pub(super) fn translate(&mut self, request: Request) {
        let page = request.address() >> self.shift;
        let sets = self.recent.len() as u64;
        let set = if sets.is_power_of_two() { page & (sets - 1) } else { page % sets };
        let recent = &mut self.recent[set as usize];
        if *recent == page {
            return;
        }
        *recent = page;
        for level in &mut self.levels {
            let (set, key) = ((page % level.sets) as usize, tag_of(page));
            if level.pages.hit(set, key, 0).is_some() {
                return;
            }
            level.pages.fill(set, key);
            level.misses[request.region() % REGIONS] += 1;
        }
    }
}
