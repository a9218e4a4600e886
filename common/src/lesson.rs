//! The programs of the lessons: own options and the shared ones, a session, a result.

use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser};

use crate::cli::{self, Measuring, Modelling, Output};
use crate::failure::Failure;
use crate::measure::Session;

#[derive(Debug, Parser)]
struct Lesson<O: Args> {
    #[command(flatten)]
    own: O,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

/// Runs the program `name` with its own options; its help begins with `about` and ends with `examples`.
pub fn main<O: Args>(
    name: &'static str,
    about: &'static str,
    examples: &'static str,
    program: impl FnOnce(&Session, O, &Output) -> Result<(), Failure>,
) -> ExitCode {
    let command = Lesson::<O>::command().name(name).about(about).after_help(examples);
    cli::run_as(command, |args: Lesson<O>| {
        program(&Session::start(&args.measuring, &args.modelling, &args.output)?, args.own, &args.output)
    })
}
