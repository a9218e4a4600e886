//! The kernel's side of counting, behind a few calls: opening an event, its
//! file's calls, the buffer of samples. Linux has them; elsewhere every call is
//! refused; in tests they also go to kernels that are played from descriptions
//! of processors. Nothing above this module knows how events are opened.
//!
//! | call | what it does |
//! |---|---|
//! | [`Handle::open`] | opens an event in a group, not counting yet |
//! | [`Handle::enable`], [`Handle::disable`] | starts and stops the group |
//! | [`Handle::read`] | gives an event's count |
//! | [`Ring::map`], [`Ring::drain`] | the samples of an event |
//! | [`Errno::of`] | what an error means |
//! | [`known_loop`] | in tests, lets a played machine do the known loop too |

mod calls;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "../../tests/played/mod.rs"]
pub(crate) mod played;
#[cfg(target_os = "linux")]
mod ring;
#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "../../tests/kernel/mod.rs"]
mod tests;

pub use calls::Count;
pub(crate) use calls::{Errno, Opening, Record};
#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Handle, Ring};
#[cfg(not(test))]
#[cfg(target_os = "linux")]
pub(crate) use linux::Handle;
#[cfg(test)]
#[cfg(target_os = "linux")]
pub(crate) use played::{Handle, known_loop};
#[cfg(target_os = "linux")]
pub(crate) use ring::Ring;

/// Real machines did it already.
#[cfg(not(all(test, target_os = "linux")))]
pub(crate) fn known_loop() {}
