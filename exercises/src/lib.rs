#![doc = include_str!("../README.md")]

// Files for students to edit, one function each.
pub mod block;
pub mod ge4_tail;
pub mod policy;
pub mod stencil;
pub mod transpose;

pub mod check;

mod tasks;

pub use tasks::{TASKS, Task};

/// The handout, as Markdown.
pub const HANDOUT: &str = include_str!("../README.md");
