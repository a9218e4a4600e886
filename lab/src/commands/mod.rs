//! One file for each command other than `lab run`.

pub(crate) mod causes;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) mod cc;
pub(crate) mod handin;
pub(crate) mod machines;
pub(crate) mod plot;
pub(crate) mod trace;
