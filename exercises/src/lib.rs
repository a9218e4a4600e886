#![doc = include_str!("../README.md")]
#![cfg_attr(not(unix), allow(dead_code))]

#[cfg(unix)]
mod check;
#[cfg(unix)]
pub mod commands;
#[cfg(unix)]
mod compile;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod program;
#[cfg(unix)]
pub mod score;
#[cfg(unix)]
pub mod task;
#[cfg(unix)]
mod wrong;

#[cfg(unix)]
pub use check::{Checked, Passed};
#[cfg(unix)]
pub use wrong::{Reason, Wrong};
