//! Everything in the lab kit that is not the lesson.
pub mod memory;
pub mod stats;
pub mod units;
pub mod value;
