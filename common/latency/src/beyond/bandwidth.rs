//! Bytes per second that one core reads from each level.

use std::hint::black_box;

use super::Span;
use crate::batch::once;
use isa::{Isa, Task, Widest};

/// Fewest words of a sample.
const WORDS: usize = 1 << 17;
/// Words added at once: enough independent sums to hide the latency of an addition.
const LANES: usize = 64;

/// The read bandwidth of one core.
#[derive(Debug, Clone, PartialEq)]
pub struct Bandwidth {
    /// Size of the working set in bytes.
    pub size: u64,
    /// Gigabytes per second.
    pub rate: Span,
}

/// Sums words over working sets of these sizes, at most the whole of `words`, with the
/// widest instructions.
pub fn bandwidth(words: &mut [u64], sizes: &[u64]) -> Vec<Bandwidth> {
    let isa = Widest::detect();
    sizes
        .iter()
        .map(|&size| {
            let count = (size as usize / 8).next_multiple_of(LANES).min(words.len());
            let part = &words[..count];
            let passes = WORDS.div_ceil(count.max(1));
            let bytes = (8 * count * passes) as f64;
            let nanos = Span::of(|| {
                once(|| {
                    for _ in 0..passes {
                        black_box(added(isa, black_box(part)));
                    }
                })
                .nanos
            });
            Bandwidth { size, rate: nanos.inverse(|nanos| bytes / nanos) }
        })
        .collect()
}

fn added(isa: Widest, words: &[u64]) -> u64 {
    match isa {
        Widest::Avx512(isa) => isa.run(Added(words)),
        Widest::Avx2Fma(isa) => isa.run(Added(words)),
        Widest::Neon(isa) => isa.run(Added(words)),
        Widest::Portable(isa) => isa.run(Added(words)),
    }
}

struct Added<'a>(&'a [u64]);

impl Task for Added<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let (blocks, rest) = self.0.as_chunks::<LANES>();
        let mut sums = [0u64; LANES];
        for block in blocks {
            for (sum, word) in sums.iter_mut().zip(block) {
                *sum = sum.wrapping_add(*word);
            }
        }
        sums.iter().chain(rest).fold(0, |sum, word| sum.wrapping_add(*word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read() {
        for count in [0, 1, 63, 64, 65, 1000] {
            let words: Vec<u64> = (0..count).collect();
            let sum: u64 = words.iter().sum();
            assert_eq!(
                (added(Widest::detect(), &words), added(Widest::Portable(isa::Twice::ANY), &words)),
                (sum, sum)
            );
        }
    }

    #[test]
    fn rates_are_those_of_the_sizes_asked_for() {
        let mut words = vec![1; 1 << 14];
        let read = bandwidth(&mut words, &[4096, 1 << 16]);
        assert_eq!(read.iter().map(|one| one.size).collect::<Vec<_>>(), [4096, 1 << 16]);
        assert!(read.iter().all(|one| 0.0 < one.rate.low && one.rate.low <= one.rate.high));
    }
}
