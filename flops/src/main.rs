//! `flops KERNEL N [--threads T]`: one rate, three ways to get it.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::cli::run(flops::program::run)
}
