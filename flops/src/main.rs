//! `flops KERNEL N [--threads T]`: one rate, estimated in three ways.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::cli::run(flops::program::run)
}
