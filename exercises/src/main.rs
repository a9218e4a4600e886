//! `exercises`: functions to write, and their checks.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    common::cli::run(|args: exercises::commands::Args| exercises::commands::run(&args))
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("exercises: needs Linux or macOS; on Windows use WSL");
    ExitCode::FAILURE
}
