//! Names of events: the presets of PAPI that the course texts use, and the native events of
//! a machine.

mod event;
mod family;
mod formula;
pub mod kernel;
pub mod map;
mod native;
pub mod notes;
mod preset;

pub use event::Event;
pub use family::{FAMILIES, Family, Identity, Vendor};
pub use formula::{Derivation, Formula};
pub use native::{EventError, Native, Spec};
pub use preset::{CacheEvent, Preset};

pub use native::number;
