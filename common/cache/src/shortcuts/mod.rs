//! Iterations that need not be simulated, since they do what earlier ones did.
//!
//! A shortcut says *when* iterations may recur: after how many of them, with what moved by
//! how much. Whether they do is decided by comparing the state that the simulator is in with
//! the one it was in (see [`Journal`](crate::journal::Journal)), so a shortcut that is wrong
//! about that costs time, not counts; but what it says about the *accesses* must be right.

mod same_lines;
mod shortcut;
mod translated;

pub(crate) use shortcut::{Answer, Plan, Shortcut};

/// All shortcuts, in the order in which they are tried.
pub(crate) const ALL: &[&dyn Shortcut] = &[&same_lines::SameLines, &translated::Translated];

/// Whether [`same_lines`] is among `shortcuts`: the innermost loops have their own form of it.
pub(crate) fn uses_same_lines(shortcuts: &[&'static dyn Shortcut]) -> bool {
    shortcuts.iter().any(|shortcut| shortcut.name() == same_lines::NAME)
}
