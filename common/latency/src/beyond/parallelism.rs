//! How many misses a core can have in flight (memory-level parallelism): the same lines in
//! one chain of dependent accesses, then in 2, 4, 8 ... independent chains.

use super::span::{STEADY, Span};
use crate::batch::once;
use crate::chain::Chains;
use figures::random::Random;
use figures::units::Bytes;
use system::pages::PageBlock;

/// Numbers of chains.
const CHAINS: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// Fewest lines in all chains together, and bytes between them: far enough that no
/// adjacent-line prefetch loads two.
const LINES: usize = 1 << 15;
const LINE_DISTANCE: usize = 256;
/// The chains cover so many times the size of the cache.
const TIMES_LARGER: usize = 4;
/// If the largest number of chains is faster than half as many by this factor, more might
/// be faster still.
const STILL_GAINS: f64 = 1.15;

/// How accesses overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct Parallelism {
    /// Misses in flight on average: the speed-up of the best number of chains over one
    /// chain.
    pub misses: Span,
    /// Whether more chains than were tried might be faster still.
    pub at_least: bool,
    /// Nanoseconds per access by number of chains.
    pub scan: Vec<(usize, f64)>,
}

/// Measures misses in flight below a cache of `size` bytes.
///
/// # Errors
///
/// A sentence, if the memory is too small to miss in the cache, or one chain is as fast as
/// any other number.
pub fn parallelism(block: &mut PageBlock, size: u64) -> Result<Parallelism, String> {
    let lines = (TIMES_LARGER * size as usize / LINE_DISTANCE).next_power_of_two().max(LINES);
    if lines * LINE_DISTANCE > block.len() {
        return Err(format!(
            "{} of memory are too few to miss a cache of {} with every access",
            Bytes(block.len() as u64),
            Bytes(size)
        ));
    }
    let mut order: Vec<usize> = (0..lines).map(|line| line * LINE_DISTANCE).collect();
    Random::new(1).shuffle(&mut order);
    let times: Vec<(usize, Span)> = CHAINS
        .iter()
        .map(|&count| {
            let mut chains = Chains::new(block, order.chunks(lines / count));
            let round = lines / count;
            (count, Span::of(|| once(|| chains.walk(round)).nanos / lines as f64))
        })
        .collect();
    found(&times)
}

/// The result from the times of several numbers of chains.
fn found(times: &[(usize, Span)]) -> Result<Parallelism, String> {
    let (_, one) = times[0];
    let best = times.iter().map(|(_, time)| *time).min_by(|a, b| a.low.total_cmp(&b.low)).unwrap_or(one);
    if !(one.within(STEADY) && best.within(STEADY)) {
        return Err(
            "the times of the same accesses differ too much: other programs hide the result".to_owned()
        );
    }
    let misses = Span { low: one.low / best.high, high: one.high / best.low, ..one };
    if misses.low <= 1.0 {
        return Err("several chains were no faster than one: other programs hide the result".to_owned());
    }
    let [.., (_, half), (_, most)] = times else { return Err("too few numbers of chains".to_owned()) };
    Ok(Parallelism {
        misses,
        at_least: half.low > STILL_GAINS * most.low,
        scan: times.iter().map(|(count, time)| (*count, time.low)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::pages::PageKind;

    fn span(nanos: f64) -> Span {
        Span { low: nanos, high: 1.1 * nanos, samples: 5 }
    }

    #[test]
    fn ten_buffers_are_ten_misses_however_many_chains() {
        let times = CHAINS.map(|count| (count, span(80.0 / (count as f64).min(10.0))));
        let found = found(&times).unwrap();
        assert!(found.misses.low < 10.0 && 10.0 < found.misses.high && !found.at_least, "{found:?}");
    }

    #[test]
    fn a_gain_up_to_the_last_number_of_chains_is_a_lower_bound_and_no_gain_is_refused() {
        let times = CHAINS.map(|count| (count, span(80.0 / count as f64)));
        assert!(found(&times).unwrap().at_least);
        assert!(found(&CHAINS.map(|count| (count, span(80.0)))).is_err());
        let disturbed = |count| Span { low: 80.0 / count as f64, high: 200.0 / count as f64, samples: 5 };
        assert!(found(&CHAINS.map(|count| (count, disturbed(count)))).is_err());
    }

    #[test]
    fn memory_that_is_too_small_is_refused() {
        let mut block = PageBlock::new(2 << 20, PageKind::Base).unwrap();
        assert!(parallelism(&mut block, 1 << 20).unwrap_err().contains("2 MiB"));
    }
}
