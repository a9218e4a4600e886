//! Sweeps and experiments on machines whose truth is known.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod described;
mod machines;
mod model;
mod noisy;
