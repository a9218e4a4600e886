//! The driver of a ladder: rungs of one kernel, timed in turns so that a slow moment of the machine affects all,
//! and swept over the size of their matrices. A lesson is its table of rungs and a [`Ladder`].

mod sizes;
mod sweep;
mod turns;

pub use sizes::Sizes;
pub use sweep::{Args, Ladder, Setup, name, run};
pub use turns::{LEFT_OUT, count, in_turns};

use common::failure::Failure;

/// The rung called `name` in `table`.
/// Fails if there is none; the sentence names all.
pub fn find<R>(
    table: &'static [R],
    name_of: fn(&R) -> &'static str,
    name: &str,
) -> Result<&'static R, Failure> {
    table.iter().find(|rung| name_of(rung) == name).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(name_of).collect();
        Failure::usage(format!("there is no rung '{name}'; there are {}", names.join(", ")))
    })
}
