//! `discover [infer FILE]`: the caches of this machine by experiment, or a cache from a saved sweep.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use discover_host::{Args, infer};

/// Find size, line, ways and latency of each cache by experiment
#[derive(Debug, Parser)]
#[command(
    name = "discover",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  discover --seconds 10                 this machine's caches
  discover --machine zen3               the same experiments on a modelled machine
  discover infer cm1.out                size, line and ways from a saved sweep"
)]
struct Discover {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    experiment: Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    Infer(infer::Args),
}

fn main() -> ExitCode {
    common::cli::run(|args: Discover| match args.command {
        Some(Command::Infer(args)) => infer::run(&args),
        None => discover_host::run(&args.experiment),
    })
}
