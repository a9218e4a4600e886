//! `ge VARIANT SIZE [MEASURE]`, `ge --list`: any rung of the ladder.

/// Gaussian elimination of the course's matrix, by any rung of the ladder.
#[derive(Debug, clap::Parser)]
#[command(name = "ge", version)]
struct Arguments {
    #[command(flatten)]
    rung: ge::measuring::program::AnyRung,
}

fn main() -> std::process::ExitCode {
    common::cli::run(|arguments: Arguments| ge::measuring::program::any(arguments.rung))
}
