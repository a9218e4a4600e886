//! The driver of a ladder: rungs of one kernel, timed in turns so that a slow moment of the machine affects all,
//! and swept over the size of their matrices. A lesson is its table of rungs and a [`Ladder`].

mod sizes;
mod sweep;
mod turns;

pub use sizes::Sizes;
pub use sweep::{Args, Ladder, Setup, name, run};
pub use turns::{LEFT_OUT, Runs, count, in_turns};
