//! The extras' programs as instructors run them, with those of the kit.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../../../../lab/tests/it/command_lines.rs"]
mod command_lines;
mod encodings;
mod grade;
#[path = "../../../../lab/tests/it/kit.rs"]
mod kit;
mod mystery;

const PACKAGES: [&str; 4] = ["course", "page", "lab", "cm1"];
const PROGRAMS: [&str; 2] = ["course", "page"];
const TABLE: &[u8] = include_bytes!("command_lines.tsv");

/// The program that has the command with which `args` begin.
fn program_of(args: &str) -> &'static str {
    match args.split(' ').next().unwrap_or_default() {
        "grade" | "mystery" => "course",
        _ => "lab",
    }
}
