//! The six orders of the three loops, one file each.

pub mod ijk;
pub mod ikj;
pub mod jik;
pub mod jki;
pub mod kij;
pub mod kji;
