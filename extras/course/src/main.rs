#![doc = include_str!("../README.md")]

mod class;
mod draw;
mod grade;
mod mystery;
mod names;
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
  course mystery --roster class.csv
  course grade handed-in --roster class.csv --key machines-key.json"
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
