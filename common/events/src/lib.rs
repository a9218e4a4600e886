//! Names of events: the presets of PAPI that the course texts use, and the native events of
//! a machine.

mod error;
mod event;
mod family;
mod formula;
pub mod generic;
mod identity;
pub mod kernel;
pub mod map;
pub mod metric;
mod native;
pub mod notes;
mod preset;
mod suggest;

pub use error::EventError;
pub use event::Event;
pub use family::{FAMILIES, Family};
pub use formula::{Derivation, Formula};
pub use identity::{Identity, Vendor};
pub use native::{Native, Spec};
pub use preset::{CacheEvent, Preset};

pub use native::number;
