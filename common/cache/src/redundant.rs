//! Loads of an innermost loop that change nothing. Of a line that stays the same in all iterations, only the last
//! access of an iteration counts, if it is the most recent line of its set all the time: touching such a line again
//! changes nothing, with any policy. The same holds for LRU with more ways than an iteration has lines, where the set
//! is the order of last uses.

use crate::loops::{Access, AccessKind, Loop};
use crate::simulator::Simulator;

/// Fewer are not worth the effort.
const LEAST: usize = 3;

/// Loads that an iteration can leave out while their lines are in the first level.
#[derive(Debug)]
pub(crate) struct Redundant {
    /// The accesses that are simulated.
    pub(crate) needed: Vec<usize>,
    /// One of the loads left out, for each line.
    pub(crate) lines: Vec<usize>,
    /// Number of loads left out.
    pub(crate) loads: u64,
    /// The sets in which no other line may be accessed; none if there are ways enough.
    sets: Vec<usize>,
    /// The same, one bit for each value of the lower bits.
    mask: u64,
}

impl Redundant {
    /// Those of the loop `of`, whose first iteration makes `accesses`.
    pub(crate) fn of(of: &Loop, accesses: &[Access], sim: &Simulator) -> Option<Redundant> {
        let first = &sim.levels[0];
        if accesses.len() <= LEAST || !sim.loads_change_nothing_else() || accesses.iter().any(|a| a.bytes > 1)
        {
            return None;
        }
        let touches = |at: usize| matches!(accesses[at].kind, AccessKind::Load | AccessKind::Store);
        let stays = |at: &usize| of.advances[*at] == 0 && touches(*at);
        let line = |at: usize| accesses[at].address >> first.shift;
        let set = |at: usize| first.index.of(line(at));
        let staying: Vec<usize> = (0..accesses.len()).filter(stays).collect();
        let is_redundant = |at: &usize| {
            let later = || staying.iter().filter(|later| **later > *at);
            stays(at)
                && accesses[*at].kind == AccessKind::Load
                && later().any(|later| line(*later) == line(*at))
        };
        let (redundant, needed): (Vec<usize>, Vec<usize>) = (0..accesses.len()).partition(is_redundant);
        if redundant.len() < LEAST {
            return None;
        }
        // Of two successive iterations.
        let most_lines = needed.len() + of.moving.len();
        // An access that moves to a new page may read the page table, in any set.
        let entries = sim.table().map_or(0, |table| table.levels() * of.moving.len());
        if !sim.tlbs.first().is_none_or(|tlb| tlb.store.keeps_last(most_lines)) {
            return None;
        }
        let mut lines: Vec<usize> = Vec::new();
        for &at in &redundant {
            if !lines.iter().any(|known| line(*known) == line(at)) {
                lines.push(at);
            }
        }
        let mut sets = Vec::new();
        if !first.store.keeps_last(most_lines + entries) {
            if entries > 0 {
                return None;
            }
            let shared =
                |at: &usize| staying.iter().any(|other| set(*other) == set(*at) && line(*other) != line(*at));
            if lines.iter().any(shared) {
                return None;
            }
            sets.extend(lines.iter().map(|at| set(*at)));
        }
        let mask = sets.iter().fold(0, |mask, set| mask | bit(*set));
        Some(Redundant { needed, lines, loads: redundant.len() as u64, sets, mask })
    }

    /// Whether the accesses that move stay out of the sets of the loads left out.
    pub(crate) fn is_clear(&self, of: &Loop, accesses: &[Access], sim: &Simulator) -> bool {
        let first = &sim.levels[0];
        self.mask == 0
            || of.moving.iter().all(|at| {
                let set = first.index.of(accesses[*at].address >> first.shift);
                self.mask & bit(set) == 0 || !self.sets.contains(&set)
            })
    }

    /// Those of the accesses `at` that move, or are on no line of a load left out.
    pub(crate) fn others(&self, at: &[usize], of: &Loop, accesses: &[Access], sim: &Simulator) -> Vec<usize> {
        let line = |at: usize| accesses[at].address >> sim.levels[0].shift;
        let is_known =
            |at: usize| of.advances[at] == 0 && self.lines.iter().any(|known| line(*known) == line(at));
        at.iter().copied().filter(|at| !is_known(*at)).collect()
    }
}

fn bit(set: usize) -> u64 {
    1 << (set & 63)
}
