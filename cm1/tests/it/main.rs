//! The program, and the inference from its sweeps.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod inference;
mod program;
