//! From an event's numbers to what the kernel is asked to open.

use perf_event::hooks::sys::bindings;

use super::sys::Attr;
use events::kernel;

/// The numbers behind a native event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Encoding {
    /// Type of the PMU: `PERF_TYPE_RAW`, or a number from sysfs.
    pub kind: u32,
    /// Event and unit mask, and whatever else the PMU's format says.
    pub config: u64,
    /// For what does not fit in `config`.
    pub config1: u64,
    /// For what does not fit in `config1`.
    pub config2: u64,
    /// Whether the event happens inside the kernel and is lost without it.
    pub kernel: bool,
}

/// A native event with its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Part {
    /// As the manual, the kernel or the user calls it.
    pub name: String,
    /// Its numbers.
    pub encoding: Encoding,
}

/// Term `rdpmc` of the Arm PMU's format.
const ARM_USER_READ: u64 = 1 << 1;

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
}

impl Encoding {
    /// A software event: always there, unless perf events are forbidden.
    pub fn is_software(self) -> bool {
        self.kind == kernel::SOFTWARE
    }

    /// User code alone is counted, except for events that happen in the kernel.
    pub(crate) fn attr(self, opening: Opening) -> Attr {
        let mut attr = Attr { type_: self.kind, config: self.config, ..Attr::default() };
        let user_read = opening.user_read && cfg!(target_arch = "aarch64") && !self.is_software();
        attr.__bindgen_anon_3.config1 = self.config1 | if user_read { ARM_USER_READ } else { 0 };
        attr.__bindgen_anon_4.config2 = self.config2;
        attr.set_disabled(u64::from(!opening.sibling));
        attr.set_exclude_kernel(u64::from(!self.kernel));
        attr.set_exclude_hv(1);
        attr.set_inherit(u64::from(opening.inherit));
        attr.set_pinned(u64::from(opening.pinned));
        if opening.sample_period > 0 {
            attr.__bindgen_anon_1.sample_period = opening.sample_period;
            attr.sample_type = u64::from(bindings::PERF_SAMPLE_IP);
        }
        attr.read_format =
            u64::from(bindings::PERF_FORMAT_TOTAL_TIME_ENABLED | bindings::PERF_FORMAT_TOTAL_TIME_RUNNING);
        if opening.group_read {
            attr.read_format |= u64::from(bindings::PERF_FORMAT_GROUP | bindings::PERF_FORMAT_ID);
        }
        attr
    }
}

impl std::fmt::Display for Encoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "type={} config={:#x}", self.kind, self.config)?;
        if self.config1 != 0 {
            write!(f, " config1={:#x}", self.config1)?;
        }
        if self.config2 != 0 {
            write!(f, " config2={:#x}", self.config2)?;
        }
        Ok(())
    }
}
