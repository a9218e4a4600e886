#![doc = include_str!("../README.md")]

mod book;
mod commands;
mod compare;
mod exercise;
mod handed_in;
#[cfg(feature = "instructor")]
mod instructor;
#[cfg(feature = "instructor")]
mod page;
mod quiz;
mod run;
#[cfg(feature = "instructor")]
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use common::failure::Failure;

use commands::{assignment, causes, dgemm, ge, handin, machines, plot, trace};
#[cfg(feature = "instructor")]
use commands::{discover, infer};
#[cfg(feature = "instructor")]
use instructor::{grade, mystery, survey};

/// The cache lab: the whole assignment in one run, its charts and its report
///
/// Without a command it does `lab run`.
#[derive(Debug, Parser)]
#[command(name = "lab", version, args_conflicts_with_subcommands = true)]
struct Lab {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Asked),
    Assignment(assignment::Args),
    Book(book::Args),
    Causes(causes::Args),
    Compare(compare::Args),
    Exercise(exercise::Args),
    Quiz(quiz::Args),
    Dgemm(dgemm::Args),
    #[cfg(feature = "instructor")]
    Discover(discover::Args),
    #[cfg(feature = "instructor")]
    Infer(infer::Args),
    Ge(ge::Args),
    Handin(handin::Args),
    Plot(plot::Args),
    Machines(machines::Args),
    Trace(trace::Args),
    #[cfg(feature = "instructor")]
    Mystery(mystery::Args),
    #[cfg(feature = "instructor")]
    Grade(Box<grade::Args>),
    #[cfg(feature = "instructor")]
    Survey(survey::Args),
    #[cfg(feature = "instructor")]
    Web(web::Args),
    #[cfg(not(feature = "instructor"))]
    #[command(name = "infer", aliases = ["discover", "mystery", "grade", "survey", "web"])]
    #[command(hide = true, disable_help_flag = true)]
    Instructors(Instructors),
}

/// A command of the instructor's edition, with whatever it is given.
#[cfg(not(feature = "instructor"))]
#[derive(Debug, clap::Args)]
struct Instructors {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<std::ffi::OsString>,
}

fn main() -> ExitCode {
    common::cli::run(|args: Lab| match args.command {
        None => run::run(&args.run),
        Some(command) => done(command),
    })
}

fn done(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(asked) => run::run(&asked.args()),
        Command::Assignment(args) => assignment::run(&args),
        Command::Book(args) => book::run(&args),
        Command::Causes(args) => causes::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Exercise(args) => exercise::run(&args),
        Command::Quiz(args) => quiz::run(&args),
        #[cfg(feature = "instructor")]
        Command::Discover(args) => discover::run(&args),
        #[cfg(feature = "instructor")]
        Command::Infer(args) => infer::run(&args),
        Command::Dgemm(args) => dgemm::run(&args),
        Command::Ge(args) => ge::run(&args),
        Command::Handin(args) => handin::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Machines(args) => machines::run(&args),
        Command::Trace(args) => trace::run(&args),
        #[cfg(feature = "instructor")]
        Command::Mystery(args) => mystery::run(&args),
        #[cfg(feature = "instructor")]
        Command::Grade(args) => grade::run(&args),
        #[cfg(feature = "instructor")]
        Command::Survey(args) => survey::run(&args),
        #[cfg(feature = "instructor")]
        Command::Web(args) => web::run(&args),
        #[cfg(not(feature = "instructor"))]
        Command::Instructors(_) => {
            let name = std::env::args().nth(1).unwrap_or_default();
            Err(Failure::usage(format!("'lab {name}' is not in the student's edition; see lab --help")))
        }
    }
}
