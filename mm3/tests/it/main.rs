//! The kernel, and the program.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod kernel;
mod program;
