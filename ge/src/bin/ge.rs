//! `ge VARIANT SIZE [MEASURE]`, `ge --list`: any rung of the ladder.

fn main() -> std::process::ExitCode {
    common::cli::run(ge::measuring::program::any)
}
