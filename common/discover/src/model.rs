//! Experiments on a modelled machine.

use std::collections::HashMap;

use super::probe::{Probe, key};
use cache::Modelled;
use figures::units::{Bytes, Seconds};
use machine::{Index, Machine, Mapping};
use memory::{Arena, Array, Memory};

/// Largest working set that is worth the model's time.
const REACH: Bytes = Bytes::mib(64);

/// Accesses whose cost is taken: random replacement is steady only on average.
const STEADY: usize = 4096;

/// A modelled machine whose memory can be walked.
#[derive(Debug)]
pub struct OnModel<'a> {
    machine: Machine,
    walked: Array<'a, u64>,
    model: Modelled,
    /// Costs of the patterns walked so far: a model's do not change.
    known: HashMap<u64, f64>,
}

impl<'a> OnModel<'a> {
    /// Memory for [`OnModel::new`]: six times the largest cache, five of which
    /// the search for ways needs.
    /// Fails, with a sentence, if there is no such memory.
    pub fn arena(machine: &Machine) -> Result<Arena, String> {
        let sizes = machine.levels.iter().map(|l| l.size.0);
        let (first, last) = (machine.levels.first().map_or(0, |l| l.size.0), sizes.max().unwrap_or(0));
        let reach = (6 * last).max(48 * first).min(REACH.0.max(6 * first));
        Arena::with_capacity(reach.next_multiple_of(Arena::ALIGNMENT as u64) as usize)
            .map_err(|e| e.to_string())
    }

    /// Experiments on `machine` as it is described. Latencies its description has
    /// not got are taken as 1, 4, 16 ... ns.
    /// Fails, with a sentence, if the machine cannot be modelled.
    pub fn new(machine: &Machine, arena: &'a Arena) -> Result<OnModel<'a>, String> {
        let mut machine = machine.clone();
        let mut next = Seconds(1e-9);
        for latency in machine.levels.iter_mut().map(|l| &mut l.latency).chain([&mut machine.memory_latency])
        {
            let known = *latency.get_or_insert(next);
            next = Seconds(4.0 * known.0);
        }
        let walked = arena.array::<u64>("walked", arena.capacity() / 8).map_err(|e| e.to_string())?;
        let model = Modelled::new(&machine, arena).map_err(|e| e.to_string())?;
        Ok(OnModel { machine, walked, model, known: HashMap::new() })
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
        self.model.counts().time(&self.machine).map_or(f64::NAN, |time| time.average_load.nanos())
    }
}

impl Probe for OnModel<'_> {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let key = key(offsets);
        if let Some(cost) = self.known.get(&key) {
            return *cost;
        }
        let cost = self.walk(offsets);
        self.known.insert(key, cost);
        cost
    }

    fn reach(&self) -> u64 {
        self.walked.len() as u64 * 8
    }

    fn contiguous(&self) -> u64 {
        let physical = self.machine.levels.iter().any(|l| l.index == Index::Physical);
        let scattered = matches!(self.machine.mapping, Mapping::Random { .. });
        if physical && scattered { self.machine.page_size.0 } else { u64::MAX }
    }

    fn real(&self) -> bool {
        false
    }
}
