//! The problem: the matrices, the arrays of one run, the checks of its result.

pub mod matrices;
pub mod rand;
pub mod residual;
pub mod system;
