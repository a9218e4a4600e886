//! What child processes used, as far as the system counts it.

use figures::units::Seconds;

use crate::os::{CurrentOs, Os};

pub use crate::os::Usage;

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
