//! Matrix product in blocks of a cache line.

fn main() {}
