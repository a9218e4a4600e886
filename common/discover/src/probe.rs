//! What the experiments ask of memory, the patterns that they walk, and what of a cost is
//! address translation: a step that comes with the number of pages, however few of their
//! lines are used, is the TLB's.

use std::collections::{BTreeMap, HashMap};

use figures::random::{Random, mix};

/// Something that can be walked with dependent accesses.
pub trait Probe {
    /// Nanoseconds per access when these byte offsets are loaded one after the
    /// other, round and round, each load waiting for the last, in the steady
    /// state.
    fn cost(&mut self, offsets: &[u64]) -> f64;

    /// Bytes that may be used.
    fn reach(&self) -> u64;

    /// Bytes within which neighbours are neighbours physically too: the page.
    fn contiguous(&self) -> u64;

    /// Whether this is real memory: behind a TLB, with others on the same
    /// caches, who make these look smaller.
    fn real(&self) -> bool;

    /// A working set of `size` bytes costs `nanos` per access: a point of the curve, for probes
    /// that show it while it grows.
    fn point(&mut self, _size: u64, _nanos: f64) {}

    /// Share of the time for experiments that is spent; from 1 on they must end.
    fn spent(&self) -> f64 {
        0.0
    }
}

/// The order of a pattern: anything but regular, the same in every run.
pub fn shuffled(count: u64, at: impl Fn(u64) -> u64) -> Vec<u64> {
    in_order(1, count, at)
}

/// One of many orders of a pattern.
pub(super) fn in_order(number: u64, count: u64, at: impl Fn(u64) -> u64) -> Vec<u64> {
    let mut offsets: Vec<u64> = (0..count).map(at).collect();
    Random::new(number).shuffle(&mut offsets);
    offsets
}

/// A number that stands for a pattern.
pub(super) fn key(offsets: &[u64]) -> u64 {
    offsets.iter().fold(offsets.len() as u64, |key, offset| mix(key ^ offset))
}

/// Sizes that caches have: a power of two times 1, 3, 5, 7 ... `odd`.
pub(super) fn usual_sizes(from: u64, to: u64, odd: u64) -> Vec<u64> {
    let mut sizes: Vec<u64> = (1..=odd)
        .step_by(2)
        .flat_map(|m| (0..40).map(move |k| m << k))
        .filter(|s| (from..=to).contains(s))
        .collect();
    sizes.sort_unstable();
    sizes
}

/// The size that a cache has most probably: of those with the smallest odd factor the largest.
pub(super) fn roundest(sizes: impl Iterator<Item = u64>) -> Option<u64> {
    sizes.min_by_key(|size| (size >> size.trailing_zeros(), u64::MAX - size))
}

/// Byte offsets of the words of one pass over `size` bytes in steps of
/// `stride`, in the order they are visited: blocks of `block` bytes in random
/// order, and the words of each block in random order too. So what shares a
/// line stays together in time, as in the guide's loop, and no prefetcher can
/// follow. With strides below `word` bytes each word holds several elements.
pub fn cell_order(size: usize, stride: usize, block: usize, word: usize) -> Vec<usize> {
    let stride = stride.max(word).max(1);
    let per_block = (block / stride).max(1);
    let count = (size / stride).max(1);
    let mut blocks: Vec<usize> = (0..count.div_ceil(per_block)).collect();
    let mut random = Random::new(1);
    random.shuffle(&mut blocks);
    let mut order = Vec::with_capacity(count);
    for block in blocks {
        let begin = order.len();
        order.extend((block * per_block..count.min((block + 1) * per_block)).map(|e| e * stride));
        random.shuffle(&mut order[begin..]);
    }
    order
}

/// Patterns of more lines than this are walked twice, and then known: they take
/// long, and lie in caches that others use all the time.
const LONG: usize = 1 << 14;

/// A probe that remembers. Disturbances only add to a cost, so the least of
/// measurements at different times is the nearest to the truth; repeated runs
/// of the same experiments make them.
#[derive(Debug)]
pub(super) struct Steady<'a, P> {
    probe: &'a mut P,
    least: HashMap<u64, (f64, usize)>,
    /// Bytes that are used at present.
    pub(super) reach: u64,
}

impl<'a, P: Probe> Steady<'a, P> {
    pub(super) fn new(probe: &'a mut P) -> Steady<'a, P> {
        Steady { reach: probe.reach(), probe, least: HashMap::new() }
    }
}

impl<P: Probe> Probe for Steady<'_, P> {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let key = key(offsets);
        let known = self.least.get(&key).copied();
        if let Some((cost, times)) = known
            && (offsets.len() > LONG && times > 1 || self.probe.spent() >= 1.0)
        {
            return cost;
        }
        if self.probe.spent() >= 1.0 {
            return f64::NAN;
        }
        let cost = self.probe.cost(offsets);
        let (least, times) = known.unwrap_or((cost, 0));
        let least = least.min(cost);
        self.least.insert(key, (least, times + 1));
        least
    }

    fn reach(&self) -> u64 {
        self.reach
    }

    fn contiguous(&self) -> u64 {
        self.probe.contiguous()
    }

    fn real(&self) -> bool {
        self.probe.real()
    }

    fn point(&mut self, size: u64, nanos: f64) {
        self.probe.point(size, nanos);
    }

    fn spent(&self) -> f64 {
        self.probe.spent()
    }
}

/// Base page.
const PAGE: u64 = 4096;
/// Bytes of a word, and words of a line that are used.
const WORD: u64 = 8;
const WORDS: u64 = 8;
/// Lines in one page where they are together, at the distance of the longest line.
const LINES: u64 = 16;
/// Costs that differ by less than this factor do not show a TLB that misses.
const CLEAR: f64 = 1.2;
/// Pages that every TLB holds.
const HELD: usize = 2;

/// Nanoseconds per access to these offsets without the TLB's part.
pub(super) fn untranslated(probe: &mut impl Probe, offsets: &[u64]) -> f64 {
    probe.cost(offsets) - translation(probe, offsets)
}

/// Nanoseconds of each access that are the TLB's part: what the same pages cost, visited in the
/// same order, when all accesses to a page go to one line, less what as many lines cost in few pages.
pub fn translation(probe: &mut impl Probe, offsets: &[u64]) -> f64 {
    let mut pages: BTreeMap<u64, u64> = BTreeMap::new();
    let mut visits: Vec<(u64, u64)> = Vec::new();
    for page in offsets.iter().map(|at| at / PAGE) {
        let times = pages.entry(page).or_default();
        // of many visits in random order some show as much as all
        if *times < WORDS {
            visits.push((page, *times * WORD));
            *times += 1;
        }
    }
    if pages.len() <= HELD {
        return 0.0;
    }
    let number: HashMap<u64, u64> = pages.into_keys().zip(0..).collect();
    let scattered = visits.iter().map(|(page, word)| page * PAGE + place(number[page]) + word);
    let scattered = probe.cost(&scattered.collect::<Vec<_>>());
    let together = visits.iter().map(|(page, word)| number[page] / LINES * PAGE + place(number[page]) + word);
    let together = probe.cost(&together.collect::<Vec<_>>());
    if scattered < CLEAR * together { 0.0 } else { scattered - together }
}

/// Where in its page the line of a page lies: by the sum of the digits to base 16 of the page's number, so that
/// as many lines fall into each set of a cache, whichever pages share sets.
fn place(number: u64) -> u64 {
    let digits = (0..16).map(|digit| number >> (4 * digit) & 15).sum::<u64>();
    digits % LINES * (PAGE / LINES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_visits_every_element_once_in_blocks_out_of_order() {
        for (size, stride) in [(4096, 1), (65536, 16), (65536, 4096), (49152, 512), (1000, 24)] {
            let mut order = cell_order(size, stride, 128, 8);
            if stride == 16 {
                assert!(order.chunks(8).all(|block| block.iter().all(|o| o / 128 == block[0] / 128)));
                let followed = order.windows(2).filter(|w| w[1] == w[0] + 16).count();
                assert!(followed < order.len() / 4, "{followed} accesses go to the next element");
            }
            order.sort_unstable();
            let step = stride.max(8);
            let expected: Vec<usize> = (0..size / step).map(|i| i * step).collect();
            assert_eq!(order, expected, "{size} by {stride}");
        }
    }
}
