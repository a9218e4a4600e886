#![doc = include_str!("../README.md")]

pub mod mutate;
pub mod run;
mod targets;
pub mod watch;

pub use targets::{TARGETS, Target};

/// Runs the target called `name`, for libFuzzer.
pub fn target(name: &str, input: &[u8]) {
    TARGETS.iter().filter(|target| target.name == name).for_each(|target| (target.run)(input));
}
