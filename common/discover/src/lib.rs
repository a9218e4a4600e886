//! From experiments to geometry, with the argument. With a way to measure any access
//! pattern ([`Probe`]), geometry need not be guessed from a sweep. The same experiments
//! run on real memory by time (crate `latency`) and on a modelled machine
//! ([`OnModel`]), so what they conclude can be compared with known truth.

mod agreement;
mod congruent;
mod explore;
mod found;
mod model;
mod probe;
mod scan;
mod scattered;
mod ways;

pub use agreement::explore_repeatedly;
pub use explore::explore;
pub use found::{Exploration, LevelFound, Why};
pub use infer::Confidence;
pub use model::OnModel;
pub use probe::{Probe, cell_order, shuffled, translation};
pub use scan::{Plateau, Scan};
