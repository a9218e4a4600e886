//! The whole assignment in one run, plots, inference, report.

fn main() {}
