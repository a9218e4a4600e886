//! What is eliminated: the matrices, the arrays of one run, the checks of its
//! result, and what the cache model counts.

pub mod matrices;
pub mod modelled;
pub mod rand;
pub mod residual;
pub mod system;
