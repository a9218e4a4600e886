//! The modelled memory: the kernel that runs on the machine also feeds a cache model, which
//! counts what the machine's caches would do.
//!
//! The model covers the data accesses of one core, in program order. A miss removes its
//! victim from the set, fetches the line from the next level, and then passes the victim to
//! that level. A write-back does not change the recency of the line it updates. Not
//! modelled: instruction fetches, other cores, the store buffer and other out-of-order
//! effects, and anything that the machine's description does not contain.
//!
//! From a kernel's access to a count:
//!
//! | step | file |
//! |---|---|
//! | the kernel's accesses and loops are written down as a description | `modelled.rs`, `loops.rs`, `addresses.rs` |
//! | the description is walked, iterations that recur are left out | `walk.rs`, `shortcuts.rs`, `journal.rs` |
//! | each access goes through TLBs and levels, page walks read the page table | `simulator.rs`, `pages.rs`, `level.rs`, `request.rs`, `promoted.rs`, `table.rs` |
//! | a set finds the line, or a victim | `sets.rs`, `tag.rs`, `recent.rs`, `plru.rs` |
//! | it is counted; iterations left out are multiplied | `tally.rs` |
//! | counts get names | `counts.rs` |
//!
//! `replay.rs` feeds the same simulator with a trace in place of a kernel. `kinds.rs` decides why accesses
//! miss, with `seen.rs`: the one definition of compulsory, capacity and conflict misses.

#![forbid(unsafe_code)]

mod addresses;
mod counts;
mod journal;
mod kinds;
mod level;
mod loops;
mod modelled;
mod pages;
pub mod plru;
mod promoted;
mod recent;
mod replay;
mod request;
mod seen;
mod sets;
mod shortcuts;
mod simulator;
mod table;
mod tag;
mod tally;
mod walk;

pub use counts::{AccessTime, ArrayCounts, Counts, Estimate, LevelCounts, LoadsStores, TlbCounts};
pub use kinds::{Classifier, MissKind, MissKinds};
pub use modelled::{Held, Modelled, switch_off_shortcuts};
pub use replay::{LEVELS, Outcome, Replay, TooFar};

#[cfg(test)]
mod tests;
