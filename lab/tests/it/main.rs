//! The programs as students and instructors run them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

#[cfg(target_os = "linux")]
mod accesses;
#[cfg(unix)]
mod assignment;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod cc;
mod command_lines;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod counts;
#[cfg(target_os = "linux")]
mod faults;
mod formats;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod interrupted;
mod kit;
mod programs;
mod questions;
mod sealed;
mod secret;
mod trace;

/// The packages whose programs the tests run.
const PACKAGES: [&str; 11] =
    ["lab", "spark", "cm1", "mm1", "mm2", "mm3", "ge", "dgemm", "flops", "avail", "exercises"];
/// The programs whose options are checked, and the table that does it. (ge2 to ge7 are made as ge1.)
const PROGRAMS: [&str; 11] =
    ["lab", "spark", "cm1", "mm1", "mm2", "mm3", "ge", "ge1", "dgemm", "flops", "avail"];
const TABLE: &[u8] = include_bytes!("command_lines.tsv");

/// The program that has the command with which `args` begin.
fn program_of(_: &str) -> &'static str {
    "lab"
}
