//! What the last level is asked in steps that are left out.

use crate::request::Request;
use crate::tag::Tag;

/// All of that.
pub(super) struct Asked {
    /// The line of the first step.
    pub(super) now: u64,
    pub(super) steps: usize,
    /// By set of the level above, in order of steps, what leaves it, if that is of interest.
    pub(super) leaves: Vec<Leaves>,
    /// The line that is written back and fetched again when it leaves that, and these two
    /// requests.
    pub(super) again: Option<(u64, [Request; 2])>,
}

/// What leaves a set as lines come to it.
pub(super) enum Leaves {
    /// What it held, then what has come, the first one first.
    InTurn(Vec<Tag>),
    /// With each line, and with the one that is fetched again then.
    Each(Vec<[Tag; 2]>),
}
