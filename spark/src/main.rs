//! Sweep of array size and stride, timed.

fn main() {}
