//! The experiments of [`crate::infer::probe`] on real memory, by time.

use super::batch::{Effort, Timed, time};
use super::chain::{Chain, WORD};
use super::room::{HUGE_PAGE, Room};
use crate::infer::probe::Probe;

/// Most lines of a working set that may fit into a private cache.
const PRIVATE: usize = 1 << 16;

/// Real memory whose accesses are timed.
#[derive(Debug)]
pub struct OnTime {
    room: Room,
    effort: Effort,
    kept: usize,
    dropped: usize,
}

impl OnTime {
    /// Experiments in this memory.
    pub fn new(room: Room) -> OnTime {
        OnTime { room, effort: Effort::default(), kept: 0, dropped: 0 }
    }

    /// The memory, for other uses.
    pub fn into_room(self) -> Room {
        self.room
    }

    /// Batches of accesses kept so far, and batches dropped because they were
    /// interrupted or moved to another processor.
    pub fn batches(&self) -> (usize, usize) {
        (self.kept, self.dropped)
    }

    /// Whether the memory lies in huge pages.
    pub fn huge(&self) -> bool {
        self.room.huge()
    }

    /// The time of one access when these offsets are walked round and round.
    pub fn time(&mut self, offsets: &[u64]) -> Timed {
        let offsets: Vec<usize> = offsets.iter().map(|o| *o as usize).collect();
        let mut chain = Chain::new(&mut self.room, &offsets, WORD);
        let timed = time(&mut chain, self.effort);
        self.kept += timed.kept;
        self.dropped += timed.dropped;
        timed
    }
}

impl Probe for OnTime {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let timed = self.time(offsets);
        // whoever shares a cache with this core (the sibling thread of the
        // core, in a virtual machine often unseen) only ever adds misses: for
        // sets that fit into private caches the undisturbed batch is the truth
        if offsets.len() <= PRIVATE { timed.fastest } else { timed.nanos }
    }

    fn reach(&self) -> u64 {
        self.room.len() as u64
    }

    fn contiguous(&self) -> u64 {
        if self.room.huge() { HUGE_PAGE as u64 } else { 4096 }
    }

    fn shared(&self) -> bool {
        true
    }

    fn finest(&self) -> u64 {
        4 << 20
    }

    fn noise(&self, level: usize) -> f64 {
        // in the first level the times are steady to a few percent; beyond it
        // way prediction and TLB add up to a quarter of the step
        if level == 1 { 0.2 } else { 0.35 }
    }
}
