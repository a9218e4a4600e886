//! The model compared with recorded curves and with a reference.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod figures;
mod reference;
mod replay;
