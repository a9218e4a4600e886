//! Event sets: PAPI's low-level interface.

mod event_set;
mod opened;
mod options;

pub use event_set::{EventSet, State, query_event};
