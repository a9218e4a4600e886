//! An order that no prefetcher can predict.

use figures::random::Random;

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
    fn a_pass_visits_every_element_once() {
        for (size, stride) in [(4096, 1), (4096, 8), (65536, 64), (65536, 4096), (49152, 512), (1000, 24)] {
            let mut order = cell_order(size, stride, 128, 8);
            let step = stride.max(8);
            order.sort_unstable();
            let expected: Vec<usize> = (0..size / step).map(|i| i * step).collect();
            assert_eq!(order, expected, "{size} by {stride}");
        }
    }

    #[test]
    fn blocks_stay_together_and_are_out_of_order() {
        let order = cell_order(65536, 16, 128, 8);
        assert!(order.chunks(8).all(|block| block.iter().all(|o| o / 128 == block[0] / 128)));
        let followed = order.windows(2).filter(|w| w[1] == w[0] + 16).count();
        assert!(followed < order.len() / 4, "{followed} accesses go to the next element");
    }
}
