//! One kernel, two memories. A kernel says *which* element it loads or stores
//! ([`Cell`](std::cell::Cell)s out of an [`Arena`]); the [`Memory`] it runs on says what that
//! does. On `isa::Native` memory each access is one machine instruction, on the
//! modelled memory of `cache` the same source feeds a cache model.

mod arena;
mod array;
mod memory;
mod vector;
mod word;

pub use arena::{Allocation, Arena, OutOfMemory};
pub use array::{Array, Matrix, Pairs, squares};
pub use memory::{IterationEnd, Memory, Unobserved};
pub use vector::{Lanes, Vector};
pub use word::Word;

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
        // A closure: the body cannot leave it early.
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
