//! Hardware counters, over the kernel's perf events: what can be counted, what
//! stands in the way, and counts that say how they were got.

mod count;
mod encoding;
mod environment;
mod error;
mod generic;
mod group;
mod high;
mod kernel;
mod overflow;
mod platform;
mod pmu;
mod refusal;
mod region;
mod sampling;
mod schedule;
mod set;

pub use count::{count, definition, survey};
pub use encoding::{Encoding, Part};
pub use environment::Environment;
pub use error::{Code, CounterError};
pub use group::Count;
pub use high::{
    Flops, Ipc, accum_counters, flips, flops, ipc, num_counters, read_counters, start_counters, stop_counters,
};
pub use overflow::{Handler, Overflow, PATIENCE};
pub use platform::{Definition, Origin, Platform};
pub use pmu::Pmu;
pub use refusal::Refusal;
pub use region::{HighLevelRegion, region_begin, region_end, region_events, regions};
pub use sampling::{Histogram, Sampler, Samples};
pub use set::{EventSet, State, query_event};

use events::{Event, EventError};

/// The event called `text`, among the presets, the kernel's names and those that
/// this machine's PMUs list.
///
/// # Errors
///
/// If there is no such event.
pub fn event(text: &str) -> Result<Event, EventError> {
    Event::parse_with(text, in_sysfs)
}

/// Whether a CPU PMU of this machine has an event file of that name.
fn in_sysfs(name: &str) -> bool {
    let plain = !name.is_empty() && !name.contains(['/', '.']);
    let Ok(pmus) = std::fs::read_dir(pmu::DEVICES) else { return false };
    plain && pmus.flatten().any(|pmu| pmu.path().join("events").join(name).is_file())
}
