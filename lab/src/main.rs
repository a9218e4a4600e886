#![doc = include_str!("../README.md")]

mod answers;
mod commands;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use common::cli::{self, Counters};
use common::failure::Failure;
use dgemm::experiment::Products;
use ge::measuring::Eliminations;

use commands::{causes, handin, machines, plot, trace};

/// The cache lab: the whole assignment in one run, its charts and its report
///
/// Without a command it does `lab run`.
#[derive(Debug, Parser)]
#[command(
    name = "lab",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "`lab COMMAND --help` explains a command, with an example."
)]
struct Lab {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(after_help = "Example:\n  lab run --quick")]
    Run(run::Args),
    #[command(after_help = "Example:\n  lab handin report")]
    Handin(handin::Args),
    /// Sweep the Gaussian-elimination ladder by size; draw its charts
    #[command(
        mut_arg("counters", cli::sources(&[Counters::Auto, Counters::Hardware, Counters::None])),
        mut_arg("machine", cli::host_alone),
        mut_arg("sizes", |sizes| sizes.default_value("200..1200:200")),
        mut_arg("variants", |variants| variants.default_value("ge1,ge2,ge3,ge4,ge5,ge6,ge7")),
        mut_arg("chart", cli::refused::<PathBuf>("this sweep draws five charts; choose their folder with --output")),
        after_help = "Example:\n  lab ge --sizes 100..800:100 --output charts"
    )]
    Ge(ladder::Args),
    /// Draw time, rate and misses of the matrix product over the side n
    #[command(
        mut_arg("counters", dgemm::experiment::sources),
        mut_arg("sizes", |sizes| sizes.default_value("64,96,128,192,256,384,512,768,1024")),
        mut_arg("variants", |variants| variants.default_value("ijk,ikj,block-l1,unrolled,block-l2,recursive,tiled,threads")),
        mut_arg("chart", cli::refused::<PathBuf>("this sweep draws three charts; choose their folder with --output")),
        after_help = "Example:\n  lab dgemm --sizes 64,128,256,512 --variants ijk,ikj,tiled --output charts"
    )]
    Dgemm(ladder::Args),
    #[command(after_help = "Example:\n  lab causes 512 --chart causes.svg")]
    Causes(causes::Args),
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    Cc(commands::cc::Args),
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[command(name = "c++")]
    Cxx(commands::cc::Args),
    #[command(
        after_help = "Example:\n  valgrind --tool=lackey --trace-mem=yes --log-file=a.trace ./a.out\n  lab trace a.trace --machine zen3"
    )]
    Trace(trace::Args),
    #[command(after_help = "Example:\n  lab plot cm1.out --sizes 32K,64K -o cm1.svg")]
    Plot(plot::Args),
    #[command(after_help = "Example:\n  lab machines i5-7500 > mine.toml")]
    Machines(machines::Args),
    /// Print the assignment of `lab run`, to change it
    ///
    /// Sizes, sections, questions and points are data: change the printed file, and give
    /// it to `lab run --assignment`.
    #[command(after_help = "Example:\n  lab assignment > ours.toml")]
    Assignment,
}

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    if let Some(name) = commands::cc::tool() {
        return commands::cc::run_tool(&name);
    }
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    if std::env::args().nth(1).is_some_and(|first| ["cc", "c++"].contains(&first.as_str())) {
        common::output::message("lab: programs in C and C++ are counted on Linux on x86-64 alone");
        return ExitCode::from(2);
    }
    cli::run(|args: Lab| match args.command {
        None => run::run(&args.run),
        Some(command) => done(command),
    })
}

fn done(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(&args),
        Command::Assignment => common::output::print(report::GUIDE),
        Command::Causes(args) => causes::run(&args),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        Command::Cc(_) => commands::cc::run(commands::cc::Language::C),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        Command::Cxx(_) => commands::cc::run(commands::cc::Language::Cxx),
        Command::Dgemm(args) => ladder::run::<Products>(&args),
        Command::Ge(args) => ladder::run::<Eliminations>(&args),
        Command::Handin(args) => handin::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Machines(args) => machines::run(&args),
        Command::Trace(args) => trace::run(&args),
    }
}
