//! `ge VARIANT SIZE [MEASURE]`, `ge --list`: any rung of the ladder.

/// Gaussian elimination of the course's matrix, by any rung of the ladder.
#[derive(Debug, clap::Parser)]
#[command(
    name = "ge",
    version,
    after_help = "Examples:\n  ge --list                        all rungs, and which of them run on this processor\n  ge fma 1000 1 --runs 5           MFLOPS of one of them\n  ge ge1 200 --machine i5-7500     its misses, by the model of another machine"
)]
struct Arguments {
    #[command(flatten)]
    rung: ge::measuring::program::AnyRung,
}

fn main() -> std::process::ExitCode {
    common::cli::run(|arguments: Arguments| ge::measuring::program::any(arguments.rung))
}
