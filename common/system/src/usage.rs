//! What child processes used, as far as the system counts it.

use figures::units::Seconds;

use crate::os::{CurrentOs, Os};

/// What finished child processes used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// Processor time in the programs.
    pub user: Seconds,
    /// Processor time in the system on their behalf.
    pub system: Seconds,
    /// Page faults that needed no input or output.
    pub minor_faults: u64,
    /// Page faults that did.
    pub major_faults: u64,
    /// Times that they waited, for input or output for example.
    pub waits: u64,
    /// Times that the system took the processor away from them.
    pub preemptions: u64,
}

impl Usage {
    /// Of all children of this process that have ended and were waited for, and theirs;
    /// `None` if the system does not say.
    pub fn of_children() -> Option<Usage> {
        CurrentOs::children()
    }

    /// The difference to an earlier moment.
    #[must_use]
    pub fn since(self, before: Usage) -> Usage {
        Usage {
            user: Seconds(self.user.0 - before.user.0),
            system: Seconds(self.system.0 - before.system.0),
            minor_faults: self.minor_faults - before.minor_faults,
            major_faults: self.major_faults - before.major_faults,
            waits: self.waits - before.waits,
            preemptions: self.preemptions - before.preemptions,
        }
    }
}
