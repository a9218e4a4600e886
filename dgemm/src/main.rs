//! `dgemm VARIANT N`, `dgemm all N`, `dgemm --list`.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::cli::run(dgemm::experiment::program::run)
}
