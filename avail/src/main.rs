//! What can this machine count?

fn main() {}
