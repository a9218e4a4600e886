//! From experiments to geometry, with the argument. With a way to measure any access
//! pattern ([`Probe`]), geometry need not be guessed from a sweep. The same experiments
//! run on real memory by time (crate `latency`) and on a modelled machine
//! ([`OnModel`]), so what they conclude can be compared with known truth.

mod agreement;
mod argument;
mod congruent;
mod exploration;
mod explore;
mod knee;
mod least_cost;
mod line;
mod model;
mod order;
mod plateau;
mod policy;
mod probe;
mod scattered;
mod second_level;
mod translation;
mod ways;

pub use agreement::{Settled, SettledLevel, settle};
pub use argument::Why;
pub use exploration::{Exploration, LevelFound};
pub use explore::explore;
pub use infer::Confidence;
pub use line::Partners;
pub use model::OnModel;
pub use order::cell_order;
pub use plateau::{Plateau, Scan};
pub use policy::{PolicyFound, policy};
pub use probe::{Probe, shuffled};
pub use ways::Denied;

use probe::{in_order, key, usual_sizes};
