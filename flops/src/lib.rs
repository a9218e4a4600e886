#![doc = include_str!("../README.md")]

pub mod estimate;
pub mod events;
pub mod kernels;
pub mod program;
pub mod report;
pub mod team;
