//! A modelled machine whose memory can be walked.

use std::collections::HashMap;

use cache::Modelled;
use geometry::Probe;
use machine::{Machine, Mapping};
use memory::{Arena, Array, Memory};

/// Accesses whose cost is taken: random replacement is steady only on average.
const STEADY: usize = 4096;

pub(crate) struct OnModel<'a> {
    machine: Machine,
    walked: Array<'a, u64>,
    model: Modelled,
    /// Costs of the patterns walked so far: a model's do not change.
    known: HashMap<Vec<u64>, f64>,
}

impl<'a> OnModel<'a> {
    /// Memory for twice the largest cache, and much more than the first, whose ways are searched for.
    pub(crate) fn arena(machine: &Machine) -> Arena {
        let sizes = machine.levels.iter().map(|level| level.size.0);
        let reach = (4 * sizes.max().unwrap()).min(24 << 20).max(48 * machine.levels[0].size.0);
        Arena::with_capacity(reach.next_multiple_of(Arena::ALIGNMENT as u64) as usize).unwrap()
    }

    pub(crate) fn new(machine: &Machine, arena: &'a Arena) -> OnModel<'a> {
        let walked = arena.array::<u64>("walked", arena.capacity() / 8).unwrap();
        let model = Modelled::new(machine, arena).unwrap();
        OnModel { machine: machine.clone(), walked, model, known: HashMap::new() }
    }

    fn walk(&mut self, offsets: &[u64]) -> f64 {
        // FIFO and tree-PLRU need some rounds to evict earlier lines
        let (warm, least) = if offsets.len() < 256 { (8, 8) } else { (3, 1) };
        for pass in 0..warm + (STEADY / offsets.len().max(1)).max(least) {
            if pass == warm {
                self.model.reset_counts();
            }
            for &offset in offsets {
                self.model.load(self.walked.at(offset as usize / 8));
            }
        }
        self.model.counts().time(&self.machine).unwrap().average_load.nanos()
    }
}

impl Probe for OnModel<'_> {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        if let Some(cost) = self.known.get(offsets) {
            return *cost;
        }
        let cost = self.walk(offsets);
        self.known.insert(offsets.to_vec(), cost);
        cost
    }

    fn reach(&self) -> u64 {
        self.walked.len() as u64 * 8
    }

    fn contiguous(&self) -> u64 {
        if self.machine.mapping == Mapping::Identity { u64::MAX } else { self.machine.page_size.0 }
    }
}
