//! The ladder, its model, and the program.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod model;
#[cfg(feature = "program")]
mod program;
mod variants;
