//! PAPI's interface on the kit's counters, for programs and lectures that call it.
//! `docs/background.md` has the table "PAPI call and what it is here".
//!
//! An error has PAPI's [`Code`] and number, and says what helps.

mod high_level;
mod set;

pub use counters::{Code, CounterError, definition as query_event, event, num_counters};
pub use high_level::{Rate, Region, flips, flops, ipc, region_begin, region_end, region_events, regions};
pub use set::EventSet;
