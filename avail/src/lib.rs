#![doc = include_str!("../README.md")]

/// The handout, as Markdown.
pub const HANDOUT: &str = include_str!("../README.md");
