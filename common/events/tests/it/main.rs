//! The preset map against others' tables.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod makers;
mod mix;
mod papi;
mod units;
mod vendors;
