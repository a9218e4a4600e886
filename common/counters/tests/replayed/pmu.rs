//! A PMU, and what its driver says.

use super::described::Driver;
use crate::kernel::linux::Attr;
use events::kernel;

/// Intel's events whose wanted answers are in config1; elsewhere that is empty or
/// says how the event is read.
pub(super) const OFFCORE: [u64; 2] = [0xb7, 0xbb];

/// A PMU of the cores.
pub(crate) struct Pmu {
    pub(super) name: &'static str,
    pub(super) kind: u32,
    pub(super) driver: &'static Driver,
    pub(super) general: usize,
    /// Whether the kernel or anything else can be left out, and an overflow raises an interrupt.
    pub(super) has_filters: bool,
    /// Processors it counts on; `None`: all.
    pub(super) cpus: Option<Vec<usize>>,
}

impl Pmu {
    /// What the driver says to an event that it has.
    pub(super) fn takes(&self, attr: &Attr) -> Result<(), i32> {
        let excludes = attr.exclude_kernel() + attr.exclude_hv() + attr.exclude_guest() > 0;
        let samples = attr.sample_type != 0;
        if samples && !self.has_filters {
            return Err(libc::EOPNOTSUPP);
        }
        if excludes && !self.has_filters { Err(libc::EINVAL) } else { Ok(()) }
    }

    /// The code of a generic event.
    pub(super) fn generic(&self, attr: &Attr) -> Result<u64, i32> {
        let wanted = (attr.type_, attr.config & 0xffff_ffff);
        let found = self.driver.generic.iter().find(|(name, _)| kernel::lookup(name) == Some(wanted));
        found.map(|(_, code)| *code).ok_or(libc::ENOENT)
    }

    /// Whether events of these codes get counters at the same time.
    pub(super) fn fits(&self, codes: impl Iterator<Item = (u64, u64)>, watchdog: bool) -> bool {
        // The watchdog counts cycles, in their own counter where they have one.
        let cycles =
            self.driver.own.iter().find(|own| self.driver.generic.first().is_some_and(|g| g.1 == **own));
        let mut own: Vec<u64> =
            self.driver.own.iter().copied().filter(|own| !watchdog || Some(own) != cycles).collect();
        let mut general = self.general - usize::from(watchdog && cycles.is_none());
        let mut answers: Vec<u64> = Vec::new();
        for (code, with) in codes {
            // Intel's two registers of wanted answers are shared by equal events alone.
            if with != 0 && !answers.contains(&with) {
                answers.push(with);
            }
            match own.iter().position(|own| *own == code) {
                Some(at) => drop(own.swap_remove(at)),
                None if general == 0 => return false,
                None => general -= 1,
            }
        }
        answers.len() <= 2
    }
}
