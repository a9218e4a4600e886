//! The ladder, its model, and the program.

#![cfg(feature = "program")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod model;
mod program;
mod variants;
