//! From costs to the geometry of caches, with the argument.
//!
//! The costs come from a sweep of array size and stride ([`read`]), or from experiments that walk any pattern of
//! addresses ([`Probe`]). Both see a level as a plateau and its end as a rise, and `rise` is the one reading of these;
//! repeated experiments are compared in [`Runs`]. The first level has a size, a line and ways. Each further level is an
//! interval: physical addresses pick its sets. Where the data do not decide, the answer is an interval or a refusal.

mod explore;
mod level;
mod one_set;
mod probe;
mod rise;
mod runs;
mod scan;
mod sweep;
mod translation;

use serde::Serialize;

pub use explore::explore;
pub use level::{Argument, Exploration, LevelFound};
pub use probe::{Probe, cell_order, shuffled};
pub use rise::Plateau;
pub use runs::{Runs, explore_repeatedly};
pub use sweep::answer::{Answer, Geometry, Times};
pub use sweep::grid::spikes;
pub use sweep::read;
pub use sweep::sentence::{Hint, Sentence};
pub use translation::translation;

/// How far to trust an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Several readings of the data are possible: an interval, no point.
    Low,
    /// Right if nothing interfered that the data do not show.
    Medium,
    /// The data exclude everything else.
    High,
}
