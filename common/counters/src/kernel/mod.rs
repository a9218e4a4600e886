//! The kernel's side of counting, behind a few calls: opening an event, its
//! file's calls, the buffer of samples, the page by which a program reads a
//! counter itself, waiting for overflows. Linux has them; elsewhere every call is
//! refused; in tests they also go to kernels that are played from descriptions
//! of processors. Nothing above this module knows how events are opened.
//!
//! | call | what it does |
//! |---|---|
//! | [`Handle::open`] | opens an event in a group, not counting yet |
//! | [`Handle::enable`], [`Handle::disable`] | starts and stops the group |
//! | [`Handle::id`], [`Handle::read`] | gives an event's number, and values |
//! | [`Ring::map`], [`Ring::drain`] | the samples of an event |
//! | [`UserCounter::map`], [`UserCounter::read`] | the count without the kernel |
//! | [`Bell::new`], [`Bell::ring`], [`Bell::wait`] | waiting for overflows, and its end |
//! | [`Errno::of`] | what an error means |

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod mapping;
#[cfg(test)]
#[cfg(target_os = "linux")]
pub(crate) mod replayed;
#[cfg(target_os = "linux")]
mod ring;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
#[cfg(target_os = "linux")]
mod user_read;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Bell, Handle, Ring, UserCounter};
#[cfg(target_os = "linux")]
pub(crate) use linux::Bell;
#[cfg(not(test))]
#[cfg(target_os = "linux")]
pub(crate) use linux::Handle;
#[cfg(target_os = "linux")]
use mapping::Mapping;
#[cfg(test)]
#[cfg(target_os = "linux")]
pub(crate) use replayed::Handle;
#[cfg(target_os = "linux")]
pub(crate) use ring::Ring;
#[cfg(target_os = "linux")]
pub(crate) use user_read::UserCounter;

/// How events are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Opening {
    /// Threads started later are counted too; such events cannot be read as a
    /// group.
    pub(crate) inherit: bool,
    /// One read gives the whole group.
    pub(crate) group_read: bool,
    /// Always on a counter, or in error.
    pub(crate) pinned: bool,
    /// A sibling starts and stops with its leader.
    pub(crate) sibling: bool,
    /// Events per sample; 0: none are taken.
    pub(crate) sample_period: u64,
    /// The program may read the counter without the kernel, where it can.
    pub(crate) user_read: bool,
    /// A read reports how many samples found the buffer full; kernels before 6.1
    /// refuse that.
    pub(crate) lost: bool,
}

/// A count, and how long it counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// The count as it is, not scaled.
    pub value: u64,
    /// Nanoseconds the event was to count.
    pub enabled: u64,
    /// Nanoseconds it was on a counter.
    pub running: u64,
}

impl std::ops::Sub for Count {
    type Output = Count;

    fn sub(self, earlier: Count) -> Count {
        Count {
            value: self.value.wrapping_sub(earlier.value),
            enabled: self.enabled.saturating_sub(earlier.enabled),
            running: self.running.saturating_sub(earlier.running),
        }
    }
}

/// What the kernel wrote down while it sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
pub(crate) enum Record {
    /// The program was at this address when the counter ran over.
    Sample(u64),
    /// So many samples found the buffer full.
    Lost(u64),
    /// The kernel paused sampling because it came too often.
    Throttled,
}

/// Why the kernel does not open an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
pub(crate) enum Errno {
    /// No such event or no PMU for it (ENOENT, ENODEV).
    Missing,
    /// The PMU lacks what was asked for: the event, an interrupt when it runs
    /// over, or leaving out what was to be left out (EOPNOTSUPP).
    Unsupported,
    /// Not permitted (EACCES, EPERM).
    Forbidden,
    /// No such system call (ENOSYS), or another system than Linux.
    NoCall,
    /// Somebody else has the counters (EBUSY, ENOSPC).
    Busy,
    /// Refused in this form (EINVAL).
    Invalid,
    /// Too many open files (EMFILE).
    Files,
    /// Anything else, by its number.
    Other(i32),
}
