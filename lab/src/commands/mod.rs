//! One file for each command beside `lab run`.

pub(crate) mod dgemm;
pub(crate) mod discover;
pub(crate) mod ge;
pub(crate) mod infer;
pub(crate) mod machines;
pub(crate) mod mystery;
pub(crate) mod plot;
