//! The same sweep, counted: size, line and ways of a cache.

fn main() {}
