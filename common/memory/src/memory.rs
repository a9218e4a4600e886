//! What a kernel runs on.

use std::cell::Cell;
use std::ops::Range;

use crate::vector::{Lanes, Vector};
use crate::word::Word;

/// What a kernel's loads and stores do. A kernel is generic over this, so that
/// the program, its tests and the cache model share one source.
pub trait Memory {
    /// Whether this is the machine's own memory, for which a large kernel is compiled once.
    const IS_NATIVE: bool = false;

    /// Reads one element.
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T;

    /// Writes one element.
    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T);

    /// Reads [`Vector::LANES`] adjacent elements in one access.
    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V;

    /// Writes [`Vector::LANES`] adjacent elements in one access.
    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V);

    /// Prefetches the line of `cell` into L1. A hint: it loads nothing into a register, and a
    /// model does not see it. An address without memory is ignored.
    #[inline(always)]
    fn prefetch(&mut self, _cell: *const Cell<f64>) {}

    /// Runs `body` `times` times. Every pass must make the same accesses in
    /// the same order: a model may then skip passes that count the same.
    fn repeat(&mut self, times: u64, mut body: impl FnMut(&mut Self))
    where
        Self: Sized,
    {
        for _ in 0..times {
            body(self);
        }
    }

    /// Runs `body` for each iteration of `range`, in order. [`steps!`](crate::steps)
    /// is this; from one iteration to the next, every access must advance by a constant
    /// number of bytes, whatever the numbers in memory. Only the last iteration may differ.
    /// A model then describes the loop instead of running it.
    #[inline(always)]
    fn run_loop(&mut self, range: Range<usize>, mut body: impl FnMut(&mut Self, usize) -> IterationEnd)
    where
        Self: Sized,
    {
        for iteration in range {
            let IterationEnd = body(self, iteration);
        }
    }

    /// Whether [`run_loop`](Memory::run_loop) may skip iterations.
    #[inline(always)]
    fn skips_iterations(&self) -> bool {
        false
    }
}

/// A value that the body of a loop cannot make itself: see [`steps!`](crate::steps).
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct IterationEnd;

/// Memory whose accesses nobody observes: the compiler may hold cells in registers, reorder
/// and vectorise.
#[derive(Debug, Default, Clone, Copy)]
pub struct Unobserved;

impl Memory for Unobserved {
    #[inline(always)]
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T {
        cell.get()
    }

    #[inline(always)]
    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T) {
        cell.set(value);
    }

    #[inline(always)]
    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V {
        lanes.read()
    }

    #[inline(always)]
    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V) {
        lanes.write(value);
    }
}
