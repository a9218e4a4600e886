//! Outer loops whose turns are alike: see [`turns!`](crate::turns).

use std::ops::Range;

/// What is to be done with an outer loop next.
#[derive(Debug)]
pub enum Turn {
    /// Run this turn on the memory at hand.
    Observed(usize),
    /// Only compute the numbers of these turns: their accesses are counted by now.
    Known(Range<usize>),
    /// Nothing: the loop is done.
    End,
}

/// How far an outer loop has come.
#[derive(Debug)]
pub struct Turns {
    /// The turns that are neither run nor counted.
    pub left: Range<usize>,
    /// Whether the memory watches this loop; unknown before its first turn.
    pub watched: Option<bool>,
}

impl Turns {
    /// All turns of a loop.
    #[inline(always)]
    pub fn new(range: Range<usize>) -> Turns {
        Turns { left: range, watched: None }
    }

    /// The next turn, to be run.
    #[inline(always)]
    pub fn step(&mut self) -> Turn {
        match self.left.next() {
            Some(turn) => Turn::Observed(turn),
            None => Turn::End,
        }
    }
}

/// `turns!(mem; for i in 0..n { ... })`: an outer loop over a `Range<usize>` in
/// which every access advances by a constant stride from turn to turn, whatever
/// the numbers in memory. On the machine's own memory that is the plain loop. The
/// cache model looks at the addresses of a few turns beforehand, walks turns until
/// the state of its caches recurs, advanced as far as the accesses have, and
/// counts those that are left; their numbers are computed on
/// [`Unobserved`](crate::Unobserved) memory. `mem` is a variable that holds the
/// `&mut` memory. As in [`steps!`](crate::steps), every turn runs to its end.
///
/// ```
/// use memory::{Arena, Memory, Unobserved, steps, turns};
///
/// let arena = Arena::with_capacity(128).unwrap();
/// let x = arena.matrix::<u32>("x", 4, 8).unwrap();
/// let mem = &mut Unobserved;
/// turns!(mem; for i in 0..4 {
///     steps!(mem; for j in 0..8 {
///         mem.store(x.at(i, j), 1);
///     });
/// });
/// assert_eq!(x.flat().to_vec().iter().sum::<u32>(), 32);
/// ```
#[macro_export]
macro_rules! turns {
    ($mem:ident; for $i:ident in $($range_and_body:tt)+) => {
        $crate::turns!(@split $mem $i [] $($range_and_body)+)
    };
    (@split $mem:ident $i:ident [$($range:tt)+] $body:block) => {{
        let range: ::core::ops::Range<usize> = $($range)+;
        let end = range.end;
        let mut turns = $crate::Turns::new(range);
        loop {
            // Told that a turn lies in the range, the compiler drops the checks of it.
            match $crate::Memory::next_turn($mem, &mut turns) {
                $crate::Turn::Observed($i) if $i < end => $body,
                $crate::Turn::Known(known) => {
                    // Never called: a closure, which nothing in the body can leave early.
                    let _ = |$mem: &mut $crate::Unobserved, $i: usize| -> $crate::StepEnd {
                        $body
                        $crate::StepEnd
                    };
                    for $i in known.start..end.min(known.end) {
                        let $mem = &mut $crate::Unobserved;
                        $body
                    }
                }
                _ => break,
            }
        }
    }};
    (@split $mem:ident $i:ident [$($range:tt)*] $next:tt $($rest:tt)+) => {
        $crate::turns!(@split $mem $i [$($range)* $next] $($rest)+)
    };
}
