//! The operating systems; this module selects one of them.

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[cfg_attr(windows, allow(dead_code, reason = "replaced there"))]
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
mod values;
#[cfg(windows)]
mod windows;

pub(crate) use interface::Os;
#[cfg(target_os = "linux")]
pub(crate) use linux::Linux as CurrentOs;
#[cfg(target_os = "macos")]
pub(crate) use macos::MacOs as CurrentOs;
pub use values::{PageKind, StepError, TaskLimit, TaskLimits, Trace, Usage};
#[cfg(windows)]
pub(crate) use windows::Windows as CurrentOs;

/// A system with a clock and memory only, such as WASI.
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
pub(crate) struct CurrentOs;

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
impl Os for CurrentOs {
    fn facts(_cpu: usize) -> crate::facts::Facts {
        crate::facts::Facts::default()
    }
}
