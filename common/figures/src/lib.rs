//! The lowest layer: quantities with their units, figures with their source,
//! and the arithmetic that every other crate needs.

pub mod checksum;
pub mod encoding;
pub mod quantity;
pub mod random;
pub mod stats;
pub mod table;
pub mod text;
pub mod units;
pub mod value;
