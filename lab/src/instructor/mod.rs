//! The instructor's edition only: machines for a class, its grades, a survey of its lab.

pub(crate) mod grade;
pub(crate) mod key;
pub(crate) mod mystery;
mod names;
pub(crate) mod roster;
pub(crate) mod survey;
mod tables;
