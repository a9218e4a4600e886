//! Matrix product with the second matrix transposed first.

fn main() {}
