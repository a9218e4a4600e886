#![doc = include_str!("../README.md")]
#![cfg_attr(not(unix), allow(dead_code))]

#[cfg(unix)]
pub mod commands;
#[cfg(unix)]
mod program;
#[cfg(unix)]
pub mod score;
pub mod task;
mod wrong;

#[cfg(unix)]
pub use score::{Checked, Passed};
pub use wrong::{Reason, Wrong};
