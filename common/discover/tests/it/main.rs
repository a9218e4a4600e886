//! Experiments on machines whose truth is known.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod bench;
mod machines;
mod readings;
