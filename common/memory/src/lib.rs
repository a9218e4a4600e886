//! One kernel, two memories. A kernel says *which* element it loads or stores
//! ([`Cell`]s out of an [`Arena`]); the [`Memory`] it runs on says what that
//! does. On `isa::Native` memory each access is one machine instruction, on the
//! modelled memory of `cache` the same source feeds a cache model.

mod arena;
mod array;
mod recorded;
mod turns;
mod vector;
mod word;

pub use arena::{Allocation, Arena, OutOfMemory};
pub use array::{Array, Matrix, Pairs, squares};
pub use recorded::{Recorded, Touched};
pub use turns::{Turn, Turns};
pub use vector::{Lanes, Vector};
pub use word::Word;

use std::cell::Cell;

/// What a kernel's loads and stores do. A kernel is generic over this, so that
/// the program, its tests, its benches and the cache model share one source.
pub trait Memory {
    /// Whether it is asked ahead of use: to a model such hints say nothing.
    const TAKES_HINTS: bool = false;

    /// Reads one element.
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T;

    /// Writes one element.
    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T);

    /// Reads [`Vector::LANES`] neighbouring elements in one access.
    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V;

    /// Writes [`Vector::LANES`] neighbouring elements in one access.
    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V);

    /// Runs `body` `times` times. Every pass must make the same accesses in
    /// the same order: a model may then stop simulating once its state recurs.
    fn repeat(&mut self, times: u64, mut body: impl FnMut(&mut Self))
    where
        Self: Sized,
    {
        for _ in 0..times {
            body(self);
        }
    }

    /// How many of the `left` steps of an inner loop of [`steps!`](crate::steps)
    /// are to run on this memory now: all, unless a model needs fewer.
    #[inline(always)]
    fn observed_steps(&mut self, left: usize) -> usize {
        left
    }

    /// Whether the accesses of the `left` steps are known and counted by now.
    #[inline(always)]
    fn predicts(&mut self, _left: usize) -> bool {
        false
    }

    /// Whether it may know the accesses of steps from a few of them: then a loop is
    /// taken apart, which otherwise is left as it is written.
    #[inline(always)]
    fn foresees(&self) -> bool {
        false
    }

    /// Whether the numbers of steps whose accesses are known shall be computed.
    #[inline(always)]
    fn computes(&self) -> bool {
        true
    }

    /// What is to be done next of an outer loop of [`turns!`](crate::turns): its
    /// next turn, unless a model knows better.
    #[inline(always)]
    fn next_turn(&mut self, turns: &mut Turns) -> Turn {
        turns.step()
    }
}

/// `steps!(mem; for k in 0..n { ... })`: an inner loop over a `Range<usize>` in
/// which every access advances by a constant stride, as `a[i][k]`, `b[k][j]` and
/// `c[i][j]` do. On the machine's own memory that is the plain loop. The cache
/// model observes two steps, knows the addresses of the others, and runs those
/// on [`Unobserved`] memory. `mem` is a variable that holds the `&mut` memory.
///
/// ```
/// use memory::{Arena, Memory, Unobserved, steps};
///
/// let arena = Arena::with_capacity(64).unwrap();
/// let x = arena.array::<u32>("x", 16).unwrap();
/// let mem = &mut Unobserved;
/// steps!(mem; for k in 2..x.len().min(9) {
///     mem.store(x.at(k), 1);
/// });
/// assert_eq!(x.to_vec().iter().sum::<u32>(), 7);
/// ```
///
/// The loop may also be one of C's, whose body moves a variable on to the next step:
///
/// - `while j + 8 <= n { ...; j += 8; }`, or `while j < n { ...; j += 1; }`, by a variable
///   of the kernel;
/// - `while [j] < [size] { ... }`, by one of two variables in memory, which the condition
///   loads before each step and once more behind the last.
///
/// ```
/// # use memory::{Arena, Memory, Unobserved, steps};
/// # let arena = Arena::with_capacity(64).unwrap();
/// # let (mem, x) = (&mut Unobserved, arena.array::<usize>("x", 7).unwrap());
/// let (j, size) = (x.at(0), x.at(1));
/// mem.store(size, 7);
/// mem.store(j, 2);
/// steps!(mem; while [j] < [size] {
///     let column = mem.load(j);
///     mem.store(x.at(column), 1);
///     mem.store(j, column + 1);
/// });
/// assert_eq!(x.to_vec(), [7, 7, 1, 1, 1, 1, 1]);
/// ```
///
/// Every step runs to its end: a step that is left early would make other
/// accesses than those the model foresees. So the body may not `break` or
/// `continue` the loop:
///
/// ```compile_fail,E0267
/// # use memory::{Unobserved, steps};
/// fn find(mem: &mut Unobserved, wanted: usize) {
///     steps!(mem; for k in 0..9 {
///         if k == wanted {
///             break;
///         }
///     });
/// }
/// ```
///
/// nor `return`, nor use `?`:
///
/// ```compile_fail,E0308
/// # use memory::{Unobserved, steps};
/// fn find(mem: &mut Unobserved, wanted: usize) {
///     steps!(mem; for k in 0..9 {
///         if k == wanted {
///             return;
///         }
///     });
/// }
/// ```
#[macro_export]
macro_rules! steps {
    ($mem:ident; for $k:ident in $($range_and_body:tt)+) => {
        $crate::steps!(@split $mem $k [] $($range_and_body)+)
    };
    (@split $mem:ident $k:ident [$($range:tt)+] $body:block) => {{
        let range: ::core::ops::Range<usize> = $($range)+;
        let (mut next, end) = (range.start, range.end);
        while next < end {
            let upto = end.min(next + $crate::Memory::observed_steps($mem, end - next));
            for $k in next..upto $body
            next = upto;
            if next < end && $crate::Memory::predicts($mem, end - next) {
                // A closure, which nothing in the body can leave early.
                let mut step = |$mem: &mut $crate::Unobserved, $k: usize| -> $crate::StepEnd {
                    $body
                    $crate::StepEnd
                };
                let computed = if $crate::Memory::computes($mem) { end } else { next };
                for k in next..computed {
                    let $crate::StepEnd = step(&mut $crate::Unobserved, k);
                }
                break;
            }
        }
    }};
    (@split $mem:ident $k:ident [$($range:tt)*] $next:tt $($rest:tt)+) => {
        $crate::steps!(@split $mem $k [$($range)* $next] $($rest)+)
    };
    ($mem:ident; while $j:ident < $end:ident $body:block) => {
        $crate::steps!(@while ($j < $end) $mem $j 1 $end $body)
    };
    ($mem:ident; while $j:ident + $by:literal <= $end:ident $body:block) => {
        $crate::steps!(@while ($j + $by <= $end) $mem $j $by $end $body)
    };
    (@while ($goes_on:expr) $mem:ident $j:ident $by:literal $end:ident $body:block) => {
        if $crate::Memory::foresees($mem) {
            let (start, steps) = ($j, $end.saturating_sub($j) / $by);
            $crate::steps!($mem; for _step in 0..steps $body);
            $j = start + steps * $by; // where steps were not computed
        } else {
            while $goes_on $body
        }
    };
    ($mem:ident; while [$j:ident] < [$end:ident] $body:block) => {
        if $crate::Memory::foresees($mem) {
            let steps = $j.get()..$end.get();
            $crate::steps!($mem; for _step in steps {
                let _ = ($crate::Memory::load($mem, $j), $crate::Memory::load($mem, $end));
                $body
            });
            $j.set($j.get().max($end.get())); // where steps were not computed
            let _ = ($crate::Memory::load($mem, $j), $crate::Memory::load($mem, $end));
        } else {
            while $crate::Memory::load($mem, $j) < $crate::Memory::load($mem, $end) $body
        }
    };
}

/// What a step's body cannot make itself: see [`steps!`](crate::steps).
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct StepEnd;

/// Memory whose accesses nobody observes: the compiler may keep cells in
/// registers, reorder and vectorise.
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
