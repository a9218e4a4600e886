//! The model's counts, and the time that follows from them.

use serde::Serialize;

use crate::addresses::OUTSIDE;
use crate::table::PAGE_TABLE;
use crate::tally::{LevelTally, Tally};
use events::{CacheEvent, Event};
use figures::units::Seconds;
use figures::value::{Reading, Source};
use machine::Machine;

const NO_SUCH_EVENT: &str = "the cache model has no such event";

/// Loads and stores, separately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LoadsStores {
    /// By load instructions.
    pub loads: u64,
    /// By store instructions.
    pub stores: u64,
}

impl LoadsStores {
    /// Both together.
    pub fn total(self) -> u64 {
        self.loads + self.stores
    }
}

/// One array's misses at one level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArrayCounts {
    /// The array's name; `(outside)` for memory outside the arrays, `(page table)` for the entries
    /// that page walks read.
    pub name: &'static str,
    /// Its misses.
    pub misses: LoadsStores,
}

/// One level's counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LevelCounts {
    /// 1 for the level next to the core.
    pub level: u8,
    /// Accesses to this level, the reads of page walks included.
    pub accesses: LoadsStores,
    /// Of these, misses.
    pub misses: LoadsStores,
    /// Lines that another one replaced. (A line that an inclusive level below removes is
    /// not among them.)
    pub evictions: u64,
    /// Dirty lines that were evicted.
    pub write_backs: u64,
    /// Stores written through to the next level.
    pub written_through: u64,
    /// Misses by array, in the order of the arrays.
    pub arrays: Vec<ArrayCounts>,
}

impl LevelCounts {
    /// Hits.
    pub fn hits(&self) -> u64 {
        self.accesses.total() - self.misses.total()
    }

    /// The figures of a record's row for this level, by name.
    pub fn figures(&self) -> Vec<(&'static str, u64)> {
        let figures = [
            ("accesses", self.accesses.total()),
            ("hits", self.hits()),
            ("misses", self.misses.total()),
            ("load_misses", self.misses.loads),
            ("store_misses", self.misses.stores),
            ("evictions", self.evictions),
            ("write_backs", self.write_backs),
        ];
        let walks = self.walk_misses().map(|misses| ("page_walk_misses", misses));
        figures.into_iter().chain(walks).collect()
    }

    /// Of the misses, those of page walks; `None` if the machine has no walks.
    pub fn walk_misses(&self) -> Option<u64> {
        let table = self.arrays.iter().find(|array| array.name == PAGE_TABLE);
        table.map(|table| table.misses.loads)
    }
}

/// Why TLB misses are not counted, and what to do.
const WITHOUT_TLB: &str = "the machine's description has no TLB: save what `lab machines NAME` prints, add [[tlb]] with level = 1, entries = 64, ways = 4 or whatever the processor has (`avail --mem`), and give that file to --machine";

/// One TLB level's counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TlbCounts {
    /// 1 for the level next to the core.
    pub level: u8,
    /// Misses.
    pub misses: u64,
    /// Misses by array: name, misses.
    pub arrays: Vec<(&'static str, u64)>,
}

/// Everything counted since the start, or since the last reset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Load instructions.
    pub loads: u64,
    /// Store instructions.
    pub stores: u64,
    /// Passes of [`repeat`](memory::Memory::repeat).
    pub passes: u64,
    /// Caches, level 1 first.
    pub levels: Vec<LevelCounts>,
    /// TLBs, level 1 first; empty if the machine describes none.
    pub tlbs: Vec<TlbCounts>,
    /// Page walks: misses of the last TLB but the first access to each page, at which the system
    /// writes the entry.
    pub walks: u64,
    /// Lines read from memory.
    pub memory_reads: u64,
    /// Lines (or written-through stores) written to memory.
    pub memory_writes: u64,
    /// From what the counts are estimated; `None` if they are exact.
    pub estimate: Option<Box<Estimate>>,
}

/// Two samples of outer iterations, from which counts are estimated. Loads and stores are exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Outer iterations that were simulated.
    pub walked: u64,
    /// All of them.
    pub iterations: u64,
    /// The counts that each sample alone gives; the estimate is their mean.
    pub samples: [Counts; 2],
}

impl Estimate {
    /// The half-width of the 90 % interval of a count: 6.31 (Student's t, one degree of freedom)
    /// standard errors of the mean of two samples, each half their distance.
    pub fn half_width(&self, count: impl Fn(&Counts) -> u64) -> f64 {
        let [first, second] = self.samples.each_ref().map(count);
        6.31 * first.abs_diff(second) as f64 / 2.0
    }
}

impl Counts {
    /// The counts of cache `level`, if the machine has it.
    pub fn level(&self, level: u8) -> Option<&LevelCounts> {
        self.levels.iter().find(|counts| counts.level == level)
    }

    /// The model's count of `event`, or why there is none.
    pub fn reading(&self, event: &Event) -> Reading {
        let samples = self.estimate.iter().flat_map(|estimate| &estimate.samples);
        let samples: Vec<f64> =
            samples.filter_map(|counts| counts.count(event).ok()).map(|n| n as f64).collect();
        match self.count(event) {
            Ok(_) if samples.len() == 2 => Reading::from_runs(&samples, Source::Model),
            Ok(count) => Reading::new(count as f64, Source::Model),
            Err(reason) => Reading::missing(reason),
        }
    }

    /// Of the misses that `event` counts, those of page walks; `None` if the machine has no walks or
    /// the event counts other things.
    pub fn walk_misses(&self, event: &Event) -> Option<u64> {
        let Event::Preset(preset) = event else { return None };
        match preset.cache_event()? {
            (level, CacheEvent::Misses) => self.level(level)?.walk_misses(),
            _ => None,
        }
    }

    /// The misses at each level of each array that was accessed, named `l1_misses_mul1`.
    pub fn by_array(&self) -> Vec<(String, Reading)> {
        let accessed = |name| {
            let mut all =
                self.levels.iter().flat_map(|level| &level.arrays).filter(|array| array.name == name);
            name != OUTSIDE && all.any(|array| array.misses.total() > 0)
        };
        let named = |level: &LevelCounts, array: &ArrayCounts| {
            let misses = Reading::new(array.misses.total() as f64, Source::Model);
            let name = array.name.trim_matches(['(', ')']).replace(' ', "_");
            (format!("l{}_misses_{name}", level.level), misses)
        };
        let all = self.levels.iter().flat_map(|level| level.arrays.iter().map(move |array| (level, array)));
        all.filter(|(_, array)| accessed(array.name)).map(|(level, array)| named(level, array)).collect()
    }

    fn count(&self, event: &Event) -> Result<u64, String> {
        match *event {
            Event::LD_INS => Ok(self.loads),
            Event::SR_INS => Ok(self.stores),
            Event::LST_INS => Ok(self.loads + self.stores),
            Event::TLB_DM => {
                let last = self.tlbs.last().map(|tlb| tlb.misses);
                last.ok_or_else(|| WITHOUT_TLB.to_owned())
            }
            Event::Preset(preset) => match preset.cache_event() {
                Some((level, what)) => self.cache_count(level, what),
                None => Err(NO_SUCH_EVENT.to_owned()),
            },
            Event::Native(_) => Err(NO_SUCH_EVENT.to_owned()),
        }
    }

    fn cache_count(&self, level: u8, what: CacheEvent) -> Result<u64, String> {
        let pick: fn(&LevelCounts) -> u64 = match what {
            CacheEvent::Misses => |counts| counts.misses.total(),
            CacheEvent::Accesses => |counts| counts.accesses.total(),
            CacheEvent::Hits => LevelCounts::hits,
            CacheEvent::Reads => |counts| counts.accesses.loads,
            CacheEvent::Writes => |counts| counts.accesses.stores,
            CacheEvent::LoadMisses => |counts| counts.misses.loads,
            CacheEvent::StoreMisses => |counts| counts.misses.stores,
            CacheEvent::Instructions => return Err("the cache model fetches no instructions".to_owned()),
        };
        let counts = self.level(level);
        counts.map(pick).ok_or_else(|| format!("the modelled machine has no level {level} cache"))
    }

    /// The time of the counted accesses on `machine`, for which the model counted them.
    ///
    /// # Errors
    ///
    /// The reason, if the machine's description lacks a latency.
    pub fn time(&self, machine: &Machine) -> Result<AccessTime, String> {
        let lacks = |what: &str| format!("the description of {} gives no latency of {what}", machine.name);
        let mut loads = Seconds(0.0);
        for (counts, cache) in self.levels.iter().zip(&machine.levels) {
            let latency = cache.latency.ok_or_else(|| lacks(&format!("level {}", cache.level)))?;
            let hits = counts.accesses.loads - counts.misses.loads;
            loads.0 += hits as f64 * latency.0;
        }
        let from_memory = self.levels.last().map_or(self.loads, |last| last.misses.loads);
        if from_memory > 0 {
            loads.0 += from_memory as f64 * machine.memory_latency.ok_or_else(|| lacks("memory"))?.0;
        }
        for (counts, tlb) in self.tlbs.iter().zip(&machine.tlbs) {
            loads.0 += counts.misses as f64 * tlb.penalty.map_or(0.0, |penalty| penalty.0);
        }
        let per_store = machine.core.store.0 + machine.core.step.0;
        let rest = self.stores as f64 * per_store + self.passes as f64 * machine.core.pass.0;
        Ok(AccessTime {
            average_load: Seconds(loads.0 / self.loads.max(1) as f64),
            dependent: Seconds(loads.0 + rest),
            overlapped: Seconds(loads.0 / machine.core.in_flight + rest),
        })
    }
}

/// Time from latencies. Stores do not wait; their cost is in the machine's description. The
/// time of TLB misses is added to the loads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AccessTime {
    /// Average time of a load: the sum over the levels of the share of loads
    /// that hit there times its latency (AMAT).
    pub average_load: Seconds,
    /// Total, if every load waits for the one before.
    pub dependent: Seconds,
    /// Total, if the core has as many loads in flight as it can (Little's law: loads in
    /// flight = rate of loads * latency).
    pub overlapped: Seconds,
}

/// All counts, in the form for readers.
pub(crate) fn gather(tally: &Tally, names: &[&'static str], machine: &Machine) -> Counts {
    let ([loads, stores], splits) = (tally.core.accesses, tally.core.splits);
    let mut accesses = LoadsStores { loads: loads + splits[0], stores: stores + splits[1] };
    let mut levels = Vec::new();
    for (level, cache) in tally.levels.iter().zip(&machine.levels) {
        if let Some(walk) = machine.walk.filter(|walk| walk.cache == cache.level) {
            accesses.loads += tally.walks * u64::from(walk.levels);
        }
        let counts = level_counts(cache.level, level, names, accesses);
        let missed = counts.misses.stores - level.not_allocated;
        accesses = LoadsStores { loads: counts.misses.loads, stores: missed + counts.written_through };
        levels.push(counts);
    }
    let tlbs = tally.tlbs.iter().zip(1..);
    Counts {
        loads,
        stores,
        passes: tally.core.passes,
        levels,
        tlbs: tlbs.map(|(misses, level)| tlb_counts(level, misses, names)).collect(),
        walks: tally.walks,
        memory_reads: tally.reads,
        memory_writes: tally.writes,
        estimate: None,
    }
}

fn level_counts(
    number: u8,
    tally: &LevelTally,
    names: &[&'static str],
    accesses: LoadsStores,
) -> LevelCounts {
    let one = |(&[loads, stores], &name): (&[u64; 2], &&'static str)| ArrayCounts {
        name,
        misses: LoadsStores { loads, stores },
    };
    let names = names.iter().chain(&[PAGE_TABLE]);
    let arrays: Vec<ArrayCounts> = tally.misses.iter().zip(names).map(one).collect();
    let sum = |pick: fn(&ArrayCounts) -> u64| arrays.iter().map(pick).sum();
    LevelCounts {
        level: number,
        accesses,
        misses: LoadsStores { loads: sum(|a| a.misses.loads), stores: sum(|a| a.misses.stores) },
        evictions: tally.evictions,
        write_backs: tally.write_backs,
        written_through: tally.written_through,
        arrays,
    }
}

fn tlb_counts(level: u8, misses: &[u64], names: &[&'static str]) -> TlbCounts {
    let arrays: Vec<(&'static str, u64)> = names.iter().copied().zip(misses.iter().copied()).collect();
    TlbCounts { level, misses: misses.iter().sum(), arrays }
}
