//! Everything that a user gives to the kit, as people's programs save it.

mod encodings;
mod sentences;
