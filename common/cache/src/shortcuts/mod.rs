//! Shortcuts find iterations that need not be simulated, because they do what earlier ones
//! did.
//!
//! A shortcut proposes *when* the state may recur: after how many iterations, and by how
//! much everything has then moved. The simulator decides whether it recurs, by comparing
//! its present state with the earlier one (see [`Journal`](crate::journal::Journal)). So a
//! wrong proposal costs time, but no counts. What a shortcut says about the *accesses* must
//! be right.

mod same_lines;
mod shortcut;
mod translated;

pub(crate) use shortcut::{Answer, Plan, Shortcut};

/// All shortcuts, in the order in which they are tried.
pub(crate) const ALL: &[&dyn Shortcut] = &[&same_lines::SameLines, &translated::Translated];

/// Whether [`same_lines`] is among `shortcuts`: innermost loops have a version of their
/// own.
pub(crate) fn uses_same_lines(shortcuts: &[&'static dyn Shortcut]) -> bool {
    shortcuts.iter().any(|shortcut| shortcut.name() == same_lines::NAME)
}
