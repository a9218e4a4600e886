//! The model compared with recorded curves, with a simulator in lists, and with itself without
//! shortcuts.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod figures;
mod kernels;
mod lists;
mod machines;
mod replay;
mod shortcuts;

fn pick<T: Copy>(random: &mut ::figures::random::Random, values: &[T]) -> T {
    values[random.below(values.len())]
}
