//! The programs as students and instructors run them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

#[cfg(target_os = "linux")]
mod accesses;
#[cfg(unix)]
mod assignment;
#[cfg(unix)]
mod broken_off;
mod command_lines;
mod compare;
mod exercises;
#[cfg(target_os = "linux")]
mod faults;
mod formats;
#[cfg(feature = "instructor")]
mod grade;
#[cfg(unix)]
mod hostile;
#[cfg(feature = "instructor")]
mod input;
mod kit;
#[cfg(feature = "instructor")]
mod mystery;
mod programs;
mod questions;
mod schema;
mod sealed;
mod secret;
mod stat;
mod trace;
