//! The operating systems; this module selects one of them.

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
mod elsewhere;
mod interface;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod posix;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod ptrace;
#[cfg(windows)]
mod windows;

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
pub(crate) use elsewhere::Elsewhere as CurrentOs;
pub(crate) use interface::Os;
pub use interface::{PageKind, StepError, TaskLimit, TaskLimits, Trace, Usage};
#[cfg(target_os = "linux")]
pub(crate) use linux::Linux as CurrentOs;
#[cfg(target_os = "macos")]
pub(crate) use macos::MacOs as CurrentOs;
#[cfg(windows)]
pub(crate) use windows::Windows as CurrentOs;
