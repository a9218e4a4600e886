//! What an event is on this machine.

use events::{Family, Formula};

use super::encoding::Part;

/// Where the meaning of an event was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// In PAPI's map of the processor's family.
    Table(&'static Family),
    /// The kit's own, where that map has a gap or says something else than the
    /// vendor.
    Kit(&'static Family),
    /// The kernel's generic events, whatever the processor.
    Generic,
    /// The event is given by its own numbers.
    Native,
}

/// What has to be counted for an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Where this was found.
    pub origin: Origin,
    /// The native events.
    pub parts: Vec<Part>,
    /// How the event follows from them.
    pub formula: Formula,
    /// What it includes without saying so, or why it is only nearly that.
    pub notes: Vec<&'static str>,
}
