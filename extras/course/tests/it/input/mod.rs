//! All files that users give to the kit, as common programs save them.

mod encodings;
mod sentences;
