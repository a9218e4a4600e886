//! The preset map compared with the tables of PAPI and of the vendors.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod operations;
mod vendors;
