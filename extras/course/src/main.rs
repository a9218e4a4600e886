#![doc = include_str!("../README.md")]

mod draw;
mod grade;
mod key;
mod mystery;
mod names;
mod roster;
mod systems;
mod tables;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// For instructors: machines for a class and its grades
#[derive(Debug, Parser)]
#[command(
    name = "course",
    version,
    after_help = "Examples:
  course mystery --roster class.csv --output machines
  course grade submissions --roster class.csv --key machines-key.json"
)]
struct Course {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Mystery(mystery::Args),
    Grade(Box<grade::Args>),
}

fn main() -> ExitCode {
    common::cli::run(|args: Course| match args.command {
        Command::Mystery(args) => mystery::run(&args),
        Command::Grade(args) => grade::run(&args),
    })
}
