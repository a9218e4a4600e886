#![doc = include_str!("../README.md")]

pub mod block_l1;
pub mod block_l2;
pub mod charts;
pub mod experiment;
pub mod flat_ijk;
pub mod flat_ikj;
pub mod model;
pub mod orders;
pub mod packed;
mod panels;
pub mod problem;
pub mod program;
pub mod recursive;
pub mod report;
pub mod simd;
pub mod theory;
pub mod threads;
pub mod tiled;
pub mod unrolled;
pub mod variants;
pub mod view;
pub mod yardstick;

pub use problem::{Blocks, Problem};
pub use variants::{Kernel, VARIANTS, Variant};
pub use view::View;
