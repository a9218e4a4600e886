//! The programs' results in a form that outlives the run: records of rows of figures, and
//! readers of saved sweeps.

pub mod authentic;
pub mod note;
pub mod product;
pub mod record;
pub mod saved;
pub mod sweep;
mod values;

// For their features: see the workspace's Cargo.toml.
use memchr as _;
use serde_core as _;

/// The kit's version, with the commit of its sources if that is known: `0.1.0+bedc93e1ab`.
pub const VERSION: &str = env!("CACHE_LAB_VERSION");
