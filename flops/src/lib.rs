#![doc = include_str!("../README.md")]

pub mod counted;
pub mod estimate;
pub mod events;
pub mod kernels;
pub mod known;
pub mod program;
pub mod sampled;
pub mod team;
