//! The program as a student and an instructor run it.

#![allow(clippy::unwrap_used)]

mod attempts;
mod bad;
mod commands;
mod kit;
