//! What the kernel is asked for, and what it gives.

/// How events are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Opening {
    /// Threads started later are counted too.
    pub(crate) inherit: bool,
    /// Events per sample of the first event of a group; 0: none are taken.
    pub(crate) sample_period: u64,
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
    /// The kernel paused sampling because it came too often.
    Throttled,
}

/// Why the kernel does not open an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
pub(crate) enum Errno {
    /// No such event or no PMU for it (ENOENT, ENODEV).
    Missing,
    /// The PMU lacks what was asked for: the event, or an interrupt when it runs over
    /// (EOPNOTSUPP).
    Unsupported,
    /// Not permitted by the kernel's settings or a security module (EACCES).
    Forbidden,
    /// Not permitted by a filter of system calls (EPERM).
    Filtered,
    /// No such system call (ENOSYS), or another system than Linux.
    NoCall,
    /// Somebody else has the counters (EBUSY, ENOSPC).
    Busy,
    /// Refused in this form (EINVAL).
    Invalid,
    /// Anything else.
    Other,
}
