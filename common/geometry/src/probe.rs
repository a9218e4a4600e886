//! What the experiments ask of memory, and the patterns that they walk.

use figures::random::Random;

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
