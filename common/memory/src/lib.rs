//! One kernel, two memories. A kernel says *which* element it loads or stores
//! ([`Cell`]s out of an [`Arena`]); the [`Memory`] it runs on says what that
//! does. On `isa::Native` memory each access is one machine instruction, on the
//! modelled memory of `cache` the same source feeds a cache model.

mod arena;
mod array;
mod recorded;
mod vector;
mod word;

pub use arena::{Allocation, Arena, OutOfMemory};
pub use array::{Array, Matrix, Pairs, squares};
pub use recorded::{Recorded, Touched};
pub use vector::{Lanes, Vector};
pub use word::Word;

use std::cell::Cell;
use std::ops::Range;

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

    /// Whether [`run_loop`](Memory::run_loop) may leave iterations out.
    #[inline(always)]
    fn skips_iterations(&self) -> bool {
        false
    }
}

/// `steps!(mem; for k in 0..n { ... })`: a loop over a `Range<usize>` in which every
/// access advances by a constant stride, as `a[i][k]`, `b[k][j]` and `c[i][j]` do; such
/// loops may be nested. On the machine's own memory that is the plain loop. The cache
/// model runs two iterations and the last one, and knows the addresses of the others.
/// `mem` is a variable that holds the `&mut` memory.
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
///   loads before each step and once more after the last.
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
/// Every iteration runs to its end: one that ends early would make other
/// accesses than the model expects. So the body may not `break` or
/// `continue` the loop:
///
/// ```compile_fail,E0267
/// # use memory::{Memory, Unobserved, steps};
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
/// # use memory::{Memory, Unobserved, steps};
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
    (@split $mem:ident $k:ident [$($range:tt)+] $body:block) => {
        if $crate::Memory::skips_iterations($mem) {
            $crate::steps!(@described $mem $k ($($range)+) $body)
        } else {
            for $k in $($range)+ $body
        }
    };
    (@described $mem:ident $k:ident ($range:expr) $body:block) => {
        // A closure, which nothing in the body can leave early.
        $crate::Memory::run_loop($mem, $range, |$mem, $k| -> $crate::IterationEnd {
            $body
            $crate::IterationEnd
        })
    };
    (@split $mem:ident $k:ident [$($range:tt)*] $next:tt $($rest:tt)+) => {
        $crate::steps!(@split $mem $k [$($range)* $next] $($rest)+)
    };
    ($mem:ident; while $j:ident < $end:ident $body:block) => {
        $crate::steps!(@while ($j < $end) $mem $j 1 $end $body)
    };
    ($mem:ident; while $j:ident + $by:literal <= $end:ident $body:block) => {
        $crate::steps!(@while ($j + $by <= $end) $mem $j $by $end $body)
    };
    (@while ($condition:expr) $mem:ident $j:ident $by:literal $end:ident $body:block) => {
        if $crate::Memory::skips_iterations($mem) {
            let (start, steps) = ($j, $end.saturating_sub($j) / $by);
            $crate::steps!(@described $mem step (0..steps) {
                $j = start + step * $by;
                $body
            });
        } else {
            while $condition $body
        }
    };
    ($mem:ident; while [$j:ident] < [$end:ident] $body:block) => {
        if $crate::Memory::skips_iterations($mem) {
            let (start, end) = ($j.get(), $end.get());
            $crate::steps!(@described $mem step (start..end) {
                $j.set(step);
                let _ = ($crate::Memory::load($mem, $j), $crate::Memory::load($mem, $end));
                $body
            });
            let _ = ($crate::Memory::load($mem, $j), $crate::Memory::load($mem, $end));
        } else {
            while $crate::Memory::load($mem, $j) < $crate::Memory::load($mem, $end) $body
        }
    };
}

/// What the body of a loop cannot make itself: see [`steps!`](crate::steps).
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct IterationEnd;

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
