#![doc = include_str!("../README.md")]

pub mod auto;
pub mod avx512;
pub mod beside;
pub mod blocked;
pub mod cformat;
pub mod fma;
pub mod ge1;
pub mod ge2;
pub mod ge3;
pub mod ge4;
pub mod ge5;
pub mod ge6;
pub mod ge7;
pub mod instructions;
pub mod matrices;
pub mod measure;
pub mod narrow;
pub mod needs;
pub mod peak;
pub mod pivoting;
pub mod pivots4;
pub mod printed;
pub mod program;
pub mod rand;
pub mod residual;
pub mod room;
mod rung;
pub mod simd;
pub mod sweep;
pub mod system;
pub mod team;
pub mod threads;
pub mod update;
mod variants;

pub use variants::{Rounding, Unavailable, VARIANTS, Variant, find, inner_steps};
