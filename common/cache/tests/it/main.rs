//! The model against recorded curves and against a reference.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod figures;
mod reference;
