//! Experiments instead of curves: with a way to measure any access pattern,
//! geometry need not be guessed from a sweep. The same experiments run on real
//! memory by time (crate `latency`) and on a modelled machine
//! ([`OnModel`]), so what they conclude can be held against known truth.

mod agreement;
mod argument;
mod congruent;
mod exploration;
mod explore;
mod knee;
mod least_cost;
mod line;
mod model;
mod order;
mod plateau;
mod policy;
mod scattered;
mod second_level;
mod translation;
mod ways;

pub use agreement::{Settled, SettledLevel, settle};
pub use argument::Why;
pub use exploration::{Exploration, LevelFound};
pub use explore::explore;
pub use line::Partners;
pub use model::OnModel;
pub use order::cell_order;
pub use plateau::{Plateau, Scan};
pub use policy::{PolicyFound, policy};
pub use ways::Denied;

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
fn in_order(number: u64, count: u64, at: impl Fn(u64) -> u64) -> Vec<u64> {
    let mut offsets: Vec<u64> = (0..count).map(at).collect();
    Random::new(number).shuffle(&mut offsets);
    offsets
}

/// A number that stands for a pattern.
fn key(offsets: &[u64]) -> u64 {
    offsets.iter().fold(offsets.len() as u64, |key, offset| mix(key ^ offset))
}

/// Sizes that caches have: a power of two times 1, 3, 5, 7 ... `odd`.
pub(crate) fn usual_sizes(from: u64, to: u64, odd: u64) -> Vec<u64> {
    let mut sizes: Vec<u64> = (1..=odd)
        .step_by(2)
        .flat_map(|m| (0..40).map(move |k| m << k))
        .filter(|s| (from..=to).contains(s))
        .collect();
    sizes.sort_unstable();
    sizes
}

#[cfg(test)]
mod bench;
#[cfg(test)]
mod tests;
