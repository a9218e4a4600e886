//! PAPI's interface, for whoever ports a program that calls it. The examples `do_flops`
//! and `guest_checks` call it too, and `avail` measures what its calls cost.
//!
//! | PAPI | this module |
//! |---|---|
//! | `PAPI_query_event` | [`query_event`] |
//! | `PAPI_event_name_to_code` | [`event`](crate::event) |
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
//! | `PAPI_strerror` | [`Code::name`](crate::Code::name), [`Code::meaning`](crate::Code::meaning) |

mod high;
mod overflow;
mod region;
mod set;

pub use high::{
    Flops, Ipc, accum_counters, flips, flops, ipc, num_counters, read_counters, start_counters, stop_counters,
};
pub use overflow::{Handler, Overflow, PATIENCE};
pub use region::{HighLevelRegion, region_begin, region_end, region_events, regions};
pub use set::{EventSet, State, query_event};
