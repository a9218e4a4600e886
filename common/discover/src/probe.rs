//! What the experiments ask of memory, and the patterns that they walk.

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

    /// The largest working set that is worth walking in fine steps.
    fn finest(&self) -> u64;

    /// How far, as a share of the step to the next level, a cost may be off:
    /// what is less is no miss.
    fn noise(&self, level: usize) -> f64;

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
