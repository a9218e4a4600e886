//! Hardware counters, over the kernel's perf events: what can be counted, what
//! is in the way, and counts that say how they were got.
//!
//! The programs use [`survey`], [`definition`], [`count`], [`Sampler`] and
//! [`Platform`] and [`watched_code`]. The rest is PAPI's interface, for whoever ports a program that
//! calls it; the examples `do_flops` and `guest_checks` and the tests call it too.
//!
//! | PAPI | this crate |
//! |---|---|
//! | `PAPI_query_event` | [`query_event`] |
//! | `PAPI_event_name_to_code` | [`event`] |
//! | `PAPI_num_hwctrs`, `PAPI_num_counters` | [`num_counters`] |
//! | `PAPI_create_eventset`, `PAPI_destroy_eventset` | [`EventSet::create`], [`EventSet::destroy`] |
//! | `PAPI_add_event`, `PAPI_add_events`, `PAPI_remove_event` | [`EventSet::add`], [`EventSet::add_all`], [`EventSet::remove`] |
//! | `PAPI_list_events`, `PAPI_state` | [`EventSet::list_events`], [`EventSet::state`] |
//! | `PAPI_start`, `PAPI_read`, `PAPI_accum`, `PAPI_reset`, `PAPI_stop` | [`EventSet::start`], [`EventSet::read`], [`EventSet::accum`], [`EventSet::reset`], [`EventSet::stop`] |
//! | `PAPI_set_multiplex` | [`EventSet::multiplex`] |
//! | `PAPI_set_opt(PAPI_INHERIT)` | [`EventSet::inherit`] |
//! | `PAPI_overflow`, `PAPI_profil` | [`EventSet::overflow`], [`EventSet::profil`] |
//! | `PAPI_start_counters`, `PAPI_read_counters`, `PAPI_accum_counters`, `PAPI_stop_counters` | [`start_counters`], [`read_counters`], [`accum_counters`], [`stop_counters`] |
//! | `PAPI_flops`, `PAPI_flips`, `PAPI_ipc` | [`flops()`], [`flips`], [`ipc()`] |
//! | `PAPI_hl_region_begin`, `PAPI_hl_region_end`; `PAPI_EVENTS`, the report | [`region_begin`], [`region_end`]; [`region_events`], [`regions`] |
//! | `PAPI_strerror` | [`Code::name`], [`Code::meaning`] |

mod cores;
mod count;
mod definition;
mod encoding;
mod environment;
mod error;
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
mod trials;
mod watched;

pub use cores::Choice;
pub use count::{count, definition, definitions, survey};
pub use definition::{Definition, Origin};
pub use encoding::{Encoding, Part, Scope};
pub use environment::Environment;
pub use error::{Code, CounterError};
pub use high::{
    Flops, Ipc, accum_counters, flips, flops, ipc, num_counters, read_counters, start_counters, stop_counters,
};
pub use kernel::Count;
pub use overflow::{Handler, Overflow, PATIENCE};
pub use platform::Platform;
pub use pmu::Pmu;
pub use refusal::Refusal;
pub use region::{HighLevelRegion, region_begin, region_end, region_events, regions};
pub use sampling::{Histogram, Sampler, Samples};
pub use set::{EventSet, State, query_event};
pub use watched::watched_code;

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
    plain && Platform::lists(name)
}
