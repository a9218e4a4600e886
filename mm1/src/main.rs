//! Matrix product, straightforward.

fn main() {}
