//! The ladder, and the programs.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod ladder;
mod programs;
