//! What the page's core does.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod sealed;
mod steps;
