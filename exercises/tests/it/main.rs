//! The program as a student and an instructor run it.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod attempts;
mod bad;
mod commands;
mod kit;
