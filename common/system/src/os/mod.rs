//! The operating systems; this module selects one of them. Each is a module with the same functions;
//! `portable` has those that some systems have no call for.

#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[allow(dead_code, reason = "each system has calls for some")]
mod portable;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod posix;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod ptrace;
mod values;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(target_os = "macos")]
pub(crate) use macos::*;
pub use values::{PageKind, StepError, Trace};
#[cfg(windows)]
pub(crate) use windows::*;
