//! What only an instructor's edition has: machines for a class, and its grades.

pub(crate) mod grade;
pub(crate) mod key;
pub(crate) mod mystery;
mod names;
mod procedure;
pub(crate) mod roster;
mod tables;
