//! Hardware counters, over the kernel's perf events: what can be counted, what
//! stands in the way, and counts that say how they were got.

mod count;
mod encoding;
mod environment;
mod error;
mod generic;
mod group;
mod plan;
mod platform;
mod pmu;
mod refusal;
mod sys;

pub use count::{count, definition, survey};
pub use encoding::{Encoding, Part};
pub use environment::Environment;
pub use error::{Code, CounterError};
pub use group::Count;
pub use platform::{Definition, Origin, Platform, processor_name};
pub use pmu::Pmu;
pub use refusal::Refusal;
