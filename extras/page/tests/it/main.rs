//! Tests of the page's core.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod sealed;
mod sentences;
mod steps;
