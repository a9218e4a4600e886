//! The program, and what is read from its sweeps.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod inference;
mod program;
