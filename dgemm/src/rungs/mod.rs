//! The rungs, a file each: loop orders, blocks, registers.

pub mod block_l1;
pub mod block_l2;
pub mod flat_ijk;
pub mod flat_ikj;
pub mod orders;
mod panels;
pub mod recursive;
pub mod tiled;
pub mod unrolled;
pub mod widest;
