#![doc = include_str!("../README.md")]

#[cfg(target_arch = "wasm32")]
mod abi;
mod explore;
mod kernels;
mod misses;
mod requests;
mod steps;
mod sweep;
mod tab;

pub use kernels::{Kernel, Rung};
pub use requests::Lab;
pub use steps::{Outcome, Step, Steps};
pub use tab::Clock;
