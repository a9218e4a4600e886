//! Replacement policies: which line of a full set is evicted.
//!
//! To add one: a file in this folder that implements [`Policy`], a name in
//! [`machine::Replacement`], and a line in
//! [`new_sets`](crate::level::new_sets).

mod fifo;
mod lru;
pub mod plru;
mod random;
mod replacement;

pub(crate) use fifo::Fifo;
pub(crate) use lru::Lru;
pub(crate) use plru::Plru;
pub(crate) use random::RandomVictim;
use replacement::empty;
pub(crate) use replacement::{Policy, find};
