//! Times the cells of spark's and cm1's sweeps with dependent accesses.

use std::collections::BTreeMap;

use super::OnTime;
use super::batch::{ONCE, Timed};
use super::chain::WORD;
use figures::units::{Bytes, Seconds};
use geometry::{Exploration, Probe, cell_order, explore_repeatedly, translation};
use system::pages::{HUGE_PAGE, PageBlock, PageKind};

/// The time of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellTime {
    /// Nanoseconds per access.
    pub nanos: f64,
    /// Misses per access of the first and the second level, from 0 to 1.
    pub misses: [Option<f64>; 2],
}

/// Times the cells of a sweep; has their memory, and the latencies of the levels, from
/// which misses are computed.
#[derive(Debug)]
pub struct Cells {
    probe: OnTime,
    found: Exploration,
    line: usize,
    /// Time of a hit for steps of 1, 2, 4 and [`WORD`] bytes.
    hits: [Option<f64>; 4],
    /// What a miss of the first level costs in addition if the lines share few of its sets.
    crowded: Option<f64>,
    /// Additional time of TLB misses per block of adjacent elements, by the bytes of the array and
    /// from one block to the next.
    translations: BTreeMap<(usize, usize), f64>,
}

/// An array that fits into the L1 of every machine.
const TINY: usize = 1024;

/// Arrays up to this size may fit into a private cache.
const PRIVATE: usize = 1 << 20;

/// Strides of so many bytes or more use few sets of the first level: no usual one has a larger way.
const CROWDED: usize = 4096;

/// The levels' latencies are measured with working sets up to this size: 4 times the
/// largest private cache of any machine in the catalogue.
const EXPLORED: Bytes = Bytes::mib(8);

/// Time for that, per level.
const PATIENCE: f64 = 2.0;

impl Cells {
    /// Allocates memory for arrays up to `largest` bytes, then measures the line size and
    /// the latencies, for at most two seconds for each of the `levels`.
    /// Fails if there is no such memory, or the latencies show no level.
    pub fn new(largest: Bytes, levels: usize) -> Result<Cells, String> {
        let block =
            PageBlock::new(largest.max(EXPLORED).get(), PageKind::Huge).map_err(|error| error.to_string())?;
        let mut probe = OnTime::new(block, Seconds(PATIENCE * levels as f64));
        let found = explore_repeatedly(&mut probe, 2).map_err(|reason| {
            format!("the time of accesses shows no cache: {reason}; use --counters model")
        })?;
        probe.effort = ONCE;
        let line = found.levels.first().and_then(|level| level.line).unwrap_or(64) as usize;
        Ok(Cells { probe, found, line, hits: [None; 4], crowded: None, translations: BTreeMap::new() })
    }

    /// Why the misses of a level are not reported.
    pub fn unseen(&self) -> &'static str {
        if self.found.first_only {
            "the time ended before the levels after the first were measured: try again when the machine is idle"
        } else {
            "the time of accesses shows no such level"
        }
    }

    /// How the figures were measured, for the record: one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "each access depends on the last; blocks of {} bytes are visited in random order, and so are the words \
             of a block, so that prefetchers cannot follow",
            self.block()
        )];
        for level in &self.found.levels {
            notes.push(format!(
                "a hit in level {} takes {:.2} ns, a miss {:.2} ns or more: a cell's time between these two gives its \
                 misses per access, from 0 to 1, and a longer time counts as 1",
                level.level,
                level.latency,
                level.latency + level.penalty
            ));
        }
        if self.found.levels.len() > 1 {
            notes.push(format!(
                "at strides of {CROWDED} bytes or more a hit in level 2 takes longer, since the lines share few sets of \
                 level 1: this extra time is measured and subtracted"
            ));
        }
        notes.push(
            "at strides below 8 bytes only the first access to a word of 8 bytes reads an address. The others read \
             bytes; each value is masked to zero and added to the next address. So every access depends on the one \
             before. The time of a hit is measured for each of these strides and subtracted"
                .to_owned(),
        );
        if self.probe.contiguous() < HUGE_PAGE as u64 {
            notes.push(format!(
                "{}. Then the ways of level 2 and of later levels cannot be read from this sweep, and their size may look too \
                 small. The cost of a TLB miss is measured for \
                 each number of pages and subtracted",
                if self.probe.huge() {
                    "the system gave huge pages, but the virtual machine's host splits them into small ones"
                } else {
                    "the system gave no huge pages"
                }
            ));
        }
        notes
    }

    /// Times an array of `size` bytes accessed at a stride of `stride` bytes.
    /// Fails if the array does not fit into the memory, or the stride cannot be timed.
    pub fn time(&mut self, size: usize, stride: usize) -> Result<CellTime, String> {
        if !matches!(stride, 1 | 2 | 4) && (stride == 0 || !stride.is_multiple_of(WORD)) {
            return Err(format!(
                "a stride of {stride} bytes cannot be timed: dependent accesses need strides of 1, 2, 4 or a \
                 multiple of {WORD} bytes; choose such --strides, or --counters model"
            ));
        }
        if size as u64 > self.probe.reach() || size < stride || size < WORD {
            return Err(format!("an array of {size} bytes cannot be timed at stride {stride}"));
        }
        let hit = self.hit(stride.min(WORD));
        let timed = self.walk(size, stride);
        // other programs on a private cache can only add misses: the least disturbed batch
        // is the cell's time
        let own = if size <= PRIVATE { timed.fastest } else { timed.typical };
        let beyond = own - hit - self.translation(size, stride);
        let crowded = if stride < CROWDED { 0.0 } else { self.crowded() };
        Ok(CellTime { nanos: timed.nanos, misses: self.misses(beyond, stride, crowded) })
    }

    /// What a miss of the first level that hits the second costs in addition at large strides: of twice the lines of that
    /// level, few enough for the second wherever their pages are.
    fn crowded(&mut self) -> f64 {
        if let Some(known) = self.crowded {
            return known;
        }
        let usual = self
            .found
            .levels
            .first()
            .map(|level| (2 * level.exact_size().unwrap_or(level.fits) as usize, level.penalty));
        let extra = usual.map_or(0.0, |(size, penalty)| {
            let own = self.walk(size, CROWDED).fastest;
            (own - self.hit(WORD) - self.translation(size, CROWDED) - penalty).max(0.0)
        });
        *self.crowded.insert(extra)
    }

    /// Misses per access, from the time above that of a hit. Only the first access to a line waits for it, and a level
    /// cannot have more misses than lines that are accessed.
    fn misses(&self, beyond: f64, stride: usize, crowded: f64) -> [Option<f64>; 2] {
        let own_lines = (stride as f64 / self.line as f64).min(1.0);
        let penalties = [0, 1].map(|level| self.found.levels.get(level).map(|found| found.penalty));
        shares(beyond / own_lines, penalties, crowded).map(|share| share.map(|share| own_lines * share))
    }

    /// Additional time of TLB misses for an access of that cell: once per block of adjacent
    /// elements.
    fn translation(&mut self, size: usize, stride: usize) -> f64 {
        let block = self.block();
        let apart = stride.max(block);
        let probe = &mut self.probe;
        let each = self.translations.entry((size, apart)).or_insert_with(|| {
            let order = cell_order(size, apart, apart, WORD);
            translation(probe, &order.into_iter().map(|at| at as u64).collect::<Vec<_>>())
        });
        *each * (stride as f64 / block as f64).min(1.0)
    }

    /// A block whose words are accessed one after the other, in bytes.
    fn block(&self) -> usize {
        2 * self.line
    }

    fn hit(&mut self, step: usize) -> f64 {
        let slot = step.trailing_zeros().min(3) as usize;
        let hit = self.hits[slot].unwrap_or_else(|| self.walk(TINY, step).fastest);
        self.hits[slot] = Some(hit);
        hit
    }

    fn walk(&mut self, size: usize, stride: usize) -> Timed {
        let order = cell_order(size, stride, self.block(), WORD);
        self.probe.time(&order, stride.min(WORD))
    }
}

/// The shares of misses in a time, which is a mixture of the levels' latencies. A hit of the second level takes `crowded`
/// longer, a miss does not.
fn shares(mut left: f64, penalties: [Option<f64>; 2], crowded: f64) -> [Option<f64>; 2] {
    let hits = [0.0, crowded];
    [0, 1].map(|level| {
        let (hit, penalty) = (hits[level], penalties[level]?);
        let hit = hit.min(penalty / 2.0);
        let share = ((left - hit) / (penalty - hit)).clamp(0.0, 1.0);
        left -= share * penalty;
        Some(share)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_share_few_sets_of_the_first_level_are_no_misses_of_the_second() {
        let levels = [Some(3.0), Some(10.0)];
        for (time, crowded, [first, second]) in [
            (1.5, 0.6, [0.5, 0.0]),
            (3.6, 0.0, [1.0, 0.06]),
            (3.6, 0.6, [1.0, 0.0]),
            (8.3, 0.6, [1.0, 0.5]),
            (13.0, 0.6, [1.0, 1.0]),
        ] {
            let [Some(one), Some(two)] = shares(time, levels, crowded) else { panic!() };
            assert!((one - first).abs() + (two - second).abs() < 1e-9, "{time}: {one} {two}");
        }
        assert_eq!(shares(3.6, [Some(3.0), None], 0.6), [Some(1.0), None]);
    }

    #[test]
    fn strides_that_cannot_be_timed_are_refused() {
        let mut cells = Cells::new(Bytes::kib(64), 1).unwrap();
        for (size, stride) in [(4096, 0), (4096, 3), (4096, 12), (1 << 30, 64), (64, 128)] {
            assert!(cells.time(size, stride).is_err(), "{size} by {stride}");
        }
        let cell = cells.time(4096, 64).unwrap();
        assert!(cell.nanos > 0.0 && cell.misses[0].is_some());
        assert!(cells.notes().len() >= 3);
        assert!(cells.notes()[1].starts_with("a hit in level 1 takes"), "{:?}", cells.notes());
    }
}
