#![doc = include_str!("../README.md")]

mod experiment;
mod findings;
pub mod infer;
mod policy;
mod text;

pub use experiment::{Args, on_time, run};
pub use findings::Findings;
