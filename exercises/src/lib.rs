#![doc = include_str!("../README.md")]
#![cfg(unix)]

pub mod commands;
mod program;
pub mod score;
pub mod task;
mod wrong;

pub use score::{Checked, Passed};
pub use wrong::{Reason, Wrong};
