#![doc = include_str!("../README.md")]

pub mod counted;
pub mod estimate;
pub mod events;
pub mod kernels;
pub mod known;
pub mod program;
pub mod sampled;
pub mod team;

/// The handout, as Markdown.
pub const HANDOUT: &str = include_str!("../README.md");
