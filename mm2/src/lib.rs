#![doc = include_str!("../README.md")]

#[cfg(feature = "program")]
mod experiment;
mod in_register;
mod kernel;

#[cfg(feature = "program")]
pub use experiment::measure;
pub use in_register::multiply_in_register;
pub use kernel::{N, TIME_TRANSPOSE, multiply, transpose};
use memory::Matrix;

isa::native! {
    transpose(mul2: Matrix<i16>, tmp: Matrix<i16>);
    multiply(mul1: Matrix<i16>, tmp: Matrix<i16>, res: Matrix<i16>);
    multiply_in_register(mul1: Matrix<i16>, tmp: Matrix<i16>, res: Matrix<i16>);
}

/// The name and the text of the kernel's file.
pub const KERNEL: (&str, &str) = ("mm2/src/kernel.rs", include_str!("kernel.rs"));
