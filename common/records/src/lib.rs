//! The programs' results in a form that outlives the run: records of rows of figures, and
//! readers of every format in which a sweep was ever saved.

pub mod authentic;
pub mod json_error;
pub mod note;
pub mod record;
pub mod saved;
pub mod sweep;
mod tagged;
mod version;

pub use version::VERSION;
