//! Everything that a user gives to the kit, as people's programs save it.

#![cfg(feature = "instructor")]
#![allow(clippy::unwrap_used)]

mod encodings;
#[path = "../kit/mod.rs"]
mod kit;
mod sentences;
