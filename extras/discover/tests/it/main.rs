//! `discover` as instructors run it, with the programs that draw and compare the same files.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod experiment;
#[allow(dead_code, reason = "the tests of other packages use all of it")]
#[path = "../../../../lab/tests/it/kit.rs"]
mod kit;
mod sentences;

// As in the tests of `course`, so that cargo builds these once.
const PACKAGES: [&str; 5] = ["course", "discover-host", "page", "lab", "cm1"];

/// The program that has the command with which `args` begin.
fn program_of(args: &str) -> &'static str {
    if args.starts_with("infer") { "discover" } else { "lab" }
}
