//! The experiments of [`geometry`] on real memory, by timing.

use super::batch::{Effort, Timed, time};
use super::chain::{Chain, WORD};
use figures::units::Seconds;
use geometry::{Probe, shuffled};
use system::clock;
use system::pages::{self, HUGE_PAGE, PageBlock};

/// Largest number of lines of a working set that may fit into a private cache.
const PRIVATE: usize = 1 << 16;

/// Time for one pattern: experiments are repeated, and the shortest time counts, so several
/// short measurements at different times show more than a long one.
const EFFORT: Effort = Effort { batches: 15, rounds: 1.0, limit: Seconds(0.02) };

/// Bytes between the lines accessed in successive pages.
const LINE: u64 = 64;

/// Parts of one huge page: more than any first-level TLB has entries, and no more lines
/// than every L1 holds.
const PIECES: u64 = 256;

/// If parts cost more by this factor, each has its own TLB entry.
const SPLIT: f64 = 1.15;

/// Lines in [`PIECES`] parts of a page, or as many as `reach` has, and as many adjacent lines.
fn pieces(page: u64, reach: u64) -> [Vec<u64>; 2] {
    let count = PIECES.min(reach / page).max(1);
    [shuffled(count, |i| i * page + i * LINE % page), shuffled(count, |i| i * LINE)]
}

/// Real memory whose accesses are timed.
#[derive(Debug)]
pub(super) struct OnTime {
    block: PageBlock,
    /// Bytes within which physical memory is contiguous, as far as known.
    page: u64,
    pub(super) effort: Effort,
    began: Seconds,
    /// Time for all experiments.
    limit: Seconds,
}

impl OnTime {
    /// Experiments in this memory, for at most so long.
    pub(super) fn new(block: PageBlock, limit: Seconds) -> OnTime {
        let page = if block.huge() { HUGE_PAGE as u64 } else { pages::base().0 };
        let mut probe = OnTime { block, page, effort: EFFORT, began: clock::wall(), limit };
        if probe.huge() && probe.in_pieces() {
            probe.page = pages::base().0;
        }
        probe
    }

    /// Whether lines in more base pages than a first-level TLB has entries cost more than
    /// as many adjacent lines.
    fn in_pieces(&mut self) -> bool {
        let [apart, together] = pieces(pages::base().0, self.reach());
        let [apart, together] = [self.cost(&apart), self.cost(&together)];
        apart > SPLIT * together
    }

    /// Whether the memory is in huge pages.
    pub(super) fn huge(&self) -> bool {
        self.block.huge()
    }

    /// The time of one access when these words are accessed in a loop, at the bytes `0, step, 2 step ...` of
    /// each.
    pub(super) fn time(&mut self, offsets: &[usize], step: usize) -> Timed {
        let mut chain = Chain::new(&mut self.block, offsets, step);
        time(&mut chain, self.effort)
    }
}

impl Probe for OnTime {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let offsets: Vec<usize> = offsets.iter().map(|o| *o as usize).collect();
        let timed = self.time(&offsets, WORD);
        // other programs on the same cache (on a sibling hardware thread, which a virtual
        // machine often hides) can only add misses: for working sets that fit into private
        // caches the least disturbed batch is the truth
        if offsets.len() <= PRIVATE { timed.fastest } else { timed.typical }
    }

    fn reach(&self) -> u64 {
        self.block.bytes() as u64
    }

    fn contiguous(&self) -> u64 {
        self.page
    }

    fn spent(&self) -> f64 {
        (clock::wall().0 - self.began.0) / self.limit.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_page_are_in_the_memory() {
        for page in [4 << 10, 16 << 10, 32 << 10, 64 << 10, 2 << 20, 32 << 20] {
            let [apart, _] = pieces(page, 8 << 20);
            assert!(apart.iter().all(|at| at + LINE <= 8 << 20), "{page}");
        }
    }
}
