#![doc = include_str!("../README.md")]

#[cfg(feature = "program")]
mod experiment;
mod kernel;
mod unblocked;

#[cfg(feature = "program")]
pub use experiment::{elements_per_line, measure};
pub use kernel::{CACHE_LINE_SIZE, N, multiply};
use memory::Matrix;
pub use unblocked::multiply_unblocked;

isa::native! {
    multiply(mul1: Matrix<i16>, mul2: Matrix<i16>, res: Matrix<i16>, block: usize);
    multiply_unblocked(mul1: Matrix<i16>, mul2: Matrix<i16>, res: Matrix<i16>);
}

/// The name and the text of the kernel's file.
pub const KERNEL: (&str, &str) = ("mm3/src/kernel.rs", include_str!("kernel.rs"));
