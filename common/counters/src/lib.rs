//! Hardware counters, over the kernel's perf events: what can be counted, what
//! is in the way, and counts that say how they were got.
//!
//! The programs use [`Counting`], [`definition`], [`num_counters`], [`Platform`], and to sample
//! [`Sampler`] with [`watched!`]. PAPI's C interface on the same counters is the crate `papi`.
//!
//! Before an event of a PMU is counted, cycles and instructions of a known loop are: a PMU that
//! stays at 0, or counts more than any processor can do, is refused for all its events.

mod counting;
mod definition;
mod environment;
mod error;
mod group;
mod kernel;
mod platform;
mod pmu;
mod refusal;
mod sampling;
mod schedule;
mod trials;
mod watched;

pub use counting::{Counting, definition, num_counters};
pub use definition::{Definition, Encoding, Origin, Part, Scope};
pub use environment::Environment;
pub use error::{Code, CounterError};
pub use kernel::Count;
pub use platform::Platform;
pub use pmu::Pmu;
pub use sampling::{Sampler, Samples};
pub use watched::watched_code;

use events::{Event, EventError};

/// The event called `text`, among the presets, the kernel's names and those that
/// this machine's PMUs list.
/// Fails if there is no such event.
pub fn event(text: &str) -> Result<Event, EventError> {
    Event::parse_with(text, |name| !name.contains('.') && Platform::lists(name))
}
