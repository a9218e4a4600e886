//! A hierarchy fed with a trace: addresses of any program, one access at a time.

use std::collections::HashMap;

use figures::units::Bytes;
use machine::{Machine, MachineError};

use crate::counts::{self, Counts};
use crate::kinds::{Classifier, MissKinds};
use crate::level::Tlb;
use crate::loops::gcd;
use crate::pages::PageMap;
use crate::simulator::{Missed, Simulator};
use crate::table::PageTable;
use crate::tag::LINES;

/// Levels whose misses [`Replay::misses_of`] counts separately.
pub const LEVELS: usize = 3;
/// Bytes of memory, in whole regions, that a trace may use: more would take gigabytes for
/// the lines that were seen.
const MAX_REACH: u64 = 16 << 30;
/// Smallest region: large, so that a program's memory has few of them.
const REGION: u64 = 1 << 20;
/// Bytes of pages whose frames are in a table, where the machine scatters pages.
const MAPPED: u64 = 16 << 20;

/// What happened to one access. If it crosses lines, this is their sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Lines of the access that missed, for each level.
    pub misses: Vec<u64>,
    /// Lines that were replaced in each level.
    pub evictions: Vec<u64>,
    /// Pages that missed, for each TLB.
    pub tlb_misses: Vec<u64>,
}

/// A trace uses more memory than the model can number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "at {address:#x} the trace uses more separate regions of memory than the {} of {} that the model holds; \
     trace a smaller part of the program",
    reach / region,
    Bytes(*region)
)]
pub struct TooFar {
    /// The address that does not fit.
    pub address: u64,
    /// Bytes that the model reaches.
    pub reach: u64,
    /// Bytes of each region.
    pub region: u64,
}

/// A machine's caches and TLBs, with counts of the accesses that they were given.
#[derive(Debug)]
pub struct Replay {
    sim: Simulator,
    regions: Regions,
    kinds: Option<Classifier>,
    /// Misses of the levels when they were asked for last.
    asked: [u64; LEVELS],
    names: Vec<&'static str>,
    machine: Machine,
}

impl Replay {
    /// Empty caches of `machine`. Misses are counted separately for each of `names`.
    ///
    /// # Errors
    ///
    /// If the machine's caches are unknown.
    pub fn new(machine: &Machine, names: Vec<&'static str>) -> Result<Replay, MachineError> {
        if machine.levels.is_empty() {
            return Err(MachineError::Refused(machine.unknown.join("; ")));
        }
        // The page table is after everything: in the upper half of what the model reaches.
        let plain = Simulator::within(machine, MAPPED, 0, names.len(), None, None)?;
        let reach = plain.pages().map_or(LINES * plain.smallest_line(), PageMap::reach);
        let half = 1 << reach.ilog2().saturating_sub(1);
        let (sim, reach) = match PageTable::new(machine, half, names.len()) {
            Some(table) => (Simulator::within(machine, MAPPED, 0, names.len(), Some(table), None)?, half),
            None => (plain, reach),
        };
        Ok(Replay {
            regions: Regions::new(sim.virtual_span(), reach.min(MAX_REACH)),
            kinds: Some(Classifier::new(&machine.levels[0])),
            sim,
            asked: [0; LEVELS],
            names,
            machine: machine.clone(),
        })
    }

    /// The same without the kinds of misses, which take as long as a small cache.
    #[must_use]
    pub fn without_kinds(mut self) -> Replay {
        self.kinds = None;
        self
    }

    /// The first address and the length of a piece of memory around an address, and what is added to its
    /// addresses for [`repeats`](Replay::repeats); none if that is not known.
    #[inline]
    pub fn distance(&self, address: u64) -> Option<(u64, u64, u64)> {
        let own =
            self.regions.recent(address).filter(|_| self.kinds.is_none() && self.sim.knows_repeats())?;
        let start = address - address % self.regions.bytes;
        Some((start, self.regions.bytes, own.wrapping_sub(address)))
    }

    /// Whether `bytes` bytes at an address plus its [`distance`](Replay::distance) are within one line.
    #[inline(always)]
    pub fn is_within_line(&self, own: u64, bytes: u64) -> bool {
        (own ^ own.wrapping_add(bytes).wrapping_sub(1)) >> self.sim.line_shift == 0
    }

    /// Whether an access within one line, at an address plus its [`distance`](Replay::distance), hits the
    /// line of its set that was used last: then there is nothing to do but to
    /// [`count`](Replay::count) it.
    #[inline(always)]
    pub fn repeats(&mut self, own: u64, store: bool) -> bool {
        self.sim.repeats(own, store)
    }

    /// The misses in the first levels of an access within one line, at an address plus its
    /// [`distance`](Replay::distance). It is counted by [`count`](Replay::count).
    pub fn misses_at(&mut self, own: u64, store: bool) -> [u32; LEVELS] {
        match self.sim.access_line(own, store, 0) {
            Missed::No => [0; LEVELS],
            Missed::Levels(levels) => std::array::from_fn(|at| {
                self.asked[at] += u64::from(at < levels);
                u32::from(at < levels)
            }),
            Missed::More | Missed::Below => self.misses_since(),
        }
    }

    /// Counts loads and stores that [`misses_of`](Replay::misses_of) was given, or need not be.
    #[inline(always)]
    pub fn count(&mut self, loads: u64, stores: u64) {
        let [all_loads, all_stores] = &mut self.sim.tally.core.accesses;
        *all_loads += loads;
        *all_stores += stores;
    }

    /// An access of `bytes` bytes; returns its misses in the first levels. It is counted by
    /// [`count`](Replay::count).
    ///
    /// # Errors
    ///
    /// As for [`access`](Replay::access).
    #[inline]
    pub fn misses_of(&mut self, address: u64, bytes: u64, store: bool) -> Result<[u32; LEVELS], TooFar> {
        self.access_lines(address, bytes, store, 0)?;
        Ok(self.misses_since())
    }

    /// An access of `bytes` bytes, counted for the name with index `name`.
    ///
    /// # Errors
    ///
    /// If the trace uses too much memory; the access is not counted then.
    #[inline(always)]
    pub fn access(&mut self, address: u64, bytes: u64, store: bool, name: u8) -> Result<(), TooFar> {
        if let Some(own) = self.regions.recent(address)
            && self.sim.knows_repeats()
            && self.is_within_line(own, bytes.max(1))
            && self.sim.repeats(own, store)
            && self.kinds.as_mut().is_none_or(|kinds| kinds.repeats(own))
        {
            self.sim.tally.core.accesses[usize::from(store)] += 1;
            return Ok(());
        }
        self.access_lines(address, bytes, store, name)?;
        self.sim.tally.core.accesses[usize::from(store)] += 1;
        Ok(())
    }

    #[inline(never)]
    fn access_lines(&mut self, address: u64, bytes: u64, store: bool, name: u8) -> Result<(), TooFar> {
        let shift = self.sim.line_shift;
        let last = address.saturating_add(bytes.saturating_sub(1)) >> shift;
        self.access_line(address, store, name)?;
        for line in (address >> shift) + 1..=last {
            self.access_line(line << shift, store, name)?;
            self.sim.tally.core.splits[usize::from(store)] += 1;
        }
        Ok(())
    }

    #[inline]
    fn access_line(&mut self, address: u64, store: bool, name: u8) -> Result<(), TooFar> {
        let own = self.regions.place(address)?;
        let missed = self.sim.access_line(own, store, name);
        if let Some(kinds) = &mut self.kinds {
            kinds.access(own, store, matches!(missed, Missed::Levels(_) | Missed::More));
        }
        Ok(())
    }

    /// The same as [`access`](Replay::access), with what happened.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn observe(&mut self, address: u64, bytes: u64, store: bool, name: u8) -> Result<Outcome, TooFar> {
        let before = self.totals();
        self.access(address, bytes, store, name)?;
        let after = self.totals();
        let differences =
            |now: &[u64], then: &[u64]| now.iter().zip(then).map(|(now, then)| now - then).collect();
        Ok(Outcome {
            misses: differences(&after.misses, &before.misses),
            evictions: differences(&after.evictions, &before.evictions),
            tlb_misses: differences(&after.tlb_misses, &before.tlb_misses),
        })
    }

    /// What happened so far, in total.
    fn totals(&self) -> Outcome {
        let tally = &self.sim.tally;
        Outcome {
            misses: tally.levels.iter().map(|level| level.misses.as_flattened().iter().sum()).collect(),
            evictions: tally.levels.iter().map(|level| level.evictions).collect(),
            tlb_misses: tally.tlbs.iter().map(|misses| misses.iter().sum()).collect(),
        }
    }

    /// All counts so far.
    pub fn counts(&self) -> Counts {
        counts::gather(&self.sim.tally, &self.names, &self.machine)
    }

    /// The first level's misses by cause; zeros where they are not counted.
    pub fn kinds(&self) -> MissKinds {
        self.kinds.as_ref().map_or_else(MissKinds::default, Classifier::counts)
    }

    /// The misses of the first name in the first levels since this was asked last.
    fn misses_since(&mut self) -> [u32; LEVELS] {
        let levels = &self.sim.tally.levels;
        std::array::from_fn(|at| {
            let now = levels.get(at).map_or(0, |level| level.misses[0][0] + level.misses[0][1]);
            (now - std::mem::replace(&mut self.asked[at], now)) as u32
        })
    }
}

/// Gives each region of memory that is used the next free one of the model, so that
/// addresses of any program are small numbers. A region is a multiple of the distance after
/// which lines and pages share sets again: which lines compete stays as it is.
#[derive(Debug)]
struct Regions {
    bytes: u64,
    reach: u64,
    bases: HashMap<u64, u64>,
    /// Regions used last, by the lower bits of their number, and their bases.
    recent: [(u64, u64); 16],
}

impl Regions {
    fn new(bytes: u64, reach: u64) -> Regions {
        Regions { bytes, reach, bases: HashMap::new(), recent: [(u64::MAX, 0); 16] }
    }

    /// The model's address, if the region is one of those used last.
    #[inline(always)]
    fn recent(&self, address: u64) -> Option<u64> {
        if !self.bytes.is_power_of_two() {
            return None;
        }
        let region = address >> self.bytes.trailing_zeros();
        let (recent, base) = self.recent[region as usize % 16];
        (recent == region && region != u64::MAX).then_some(base + (address & (self.bytes - 1)))
    }

    /// The model's address.
    #[inline]
    fn place(&mut self, address: u64) -> Result<u64, TooFar> {
        let (region, offset) = if self.bytes.is_power_of_two() {
            (address >> self.bytes.trailing_zeros(), address & (self.bytes - 1))
        } else {
            (address / self.bytes, address % self.bytes)
        };
        let (recent, base) = self.recent[region as usize % 16];
        if recent == region && region != u64::MAX {
            return Ok(base + offset);
        }
        self.look_up(address, region).map(|base| base + offset)
    }

    #[cold]
    fn look_up(&mut self, address: u64, region: u64) -> Result<u64, TooFar> {
        let next = self.bases.len() as u64 * self.bytes;
        let base = match self.bases.get(&region) {
            Some(base) => *base,
            None if next + self.bytes > self.reach => {
                return Err(TooFar { address, reach: self.reach, region: self.bytes });
            }
            None => {
                self.bases.insert(region, next);
                next
            }
        };
        self.recent[region as usize % 16] = (region, base);
        Ok(base)
    }
}

impl Simulator {
    /// The distance in bytes after which lines and pages share sets again, at virtual
    /// addresses; a multiple of a page and of [`REGION`].
    fn virtual_span(&self) -> u64 {
        let levels = self.levels.iter().filter(|level| self.pages().is_none() || !level.physical);
        let spans = levels.map(|level| level.store.layout.span()).chain(self.tlbs.iter().map(Tlb::span));
        spans.chain([1 << self.page_shift]).fold(REGION, |all, span| all / gcd(all, span) * span)
    }
}
