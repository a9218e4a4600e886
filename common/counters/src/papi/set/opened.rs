//! The events of a set as the kernel has them.

use std::io;

use crate::encoding::Part;
use crate::error::CounterError;
use crate::group::Group;
use crate::kernel::{Count, UserCounter};
use crate::papi::overflow::Handler;
use figures::value::{Multiplexed, Reading};

/// An overflow that was asked for.
pub(super) struct Threshold {
    pub(super) part: Part,
    pub(super) period: u64,
    pub(super) handler: Option<Handler>,
    /// What the kernel had lost when counting began.
    pub(super) lost_before: u64,
}

/// The events as the kernel has them.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) groups: Vec<Group>,
    /// For each event, where its parts are among all members in order.
    pub(super) slots: Vec<Vec<usize>>,
    /// One per member, if all of them can be read without the kernel.
    pub(super) user: Option<Vec<UserCounter>>,
}

impl Open {
    /// Starts counting: nearly always there is one group.
    #[inline]
    pub(super) fn enable(&self) -> io::Result<()> {
        self.groups.iter().try_for_each(Group::enable)
    }

    /// Stops counting.
    #[inline]
    pub(super) fn disable(&self) -> io::Result<()> {
        self.groups.iter().try_for_each(Group::disable)
    }

    /// Whether every member can be read without the kernel now.
    pub(super) fn reads_itself(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.iter().all(|u| u.read().is_some()))
    }

    /// The counts of all members; `live` if they are on counters that the
    /// program may read itself.
    pub(super) fn counts(&self, live: bool) -> Result<Vec<Count>, CounterError> {
        if let Some(user) = self.user.as_ref().filter(|_| live)
            && let Some(counts) = user.iter().map(UserCounter::read).collect()
        {
            return Ok(counts);
        }
        let mut counts = Vec::new();
        for group in &self.groups {
            counts.extend(group.read().map_err(|e| CounterError::system("reading the counters", &e))?);
        }
        Ok(counts)
    }
}

/// A total and another reading; what is missing stays missing.
pub(super) fn plus(total: &Reading, reading: Reading) -> Reading {
    let multiplexed = match (total.multiplexed(), reading.multiplexed()) {
        (Some(a), Some(b)) => {
            Some(Multiplexed { enabled: a.enabled + b.enabled, running: a.running + b.running })
        }
        (a, b) => a.or(b),
    };
    Reading::joined(total, &reading, |total, more| total + more).estimated(multiplexed)
}

impl std::fmt::Debug for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Threshold")
            .field("part", &self.part)
            .field("period", &self.period)
            .finish_non_exhaustive()
    }
}
