//! The whole assignment in one run, plots, inference, report.

mod plot;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The cache lab: the whole assignment, its charts and its report.
#[derive(Debug, Parser)]
#[command(name = "lab", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Plot(plot::Args),
}

fn main() -> ExitCode {
    common::cli::run(|args: Args| match args.command {
        Command::Plot(args) => plot::run(&args),
    })
}
