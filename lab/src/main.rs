#![doc = include_str!("../README.md")]

mod commands;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use common::cli::{self, Counters};
use common::failure::Failure;
use dgemm::experiment::Products;
use ge::measuring::Eliminations;

use commands::{assignment, causes, handin, machines, plot, trace};

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
    Run(run::Args),
    Assignment(assignment::Args),
    Causes(causes::Args),
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    Cc(commands::cc::Args),
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[command(name = "c++")]
    Cxx(commands::cc::Args),
    /// Draw time, rate and misses of the matrix product over the side n
    #[command(
        mut_arg("runs", cli::runs(dgemm::experiment::DEFAULT_RUNS)),
        mut_arg("counters", dgemm::experiment::sources),
        mut_arg("sizes", |sizes| sizes.default_value("64,96,128,192,256,384,512,768,1024")),
        mut_arg("variants", |variants| variants.default_value("ijk,ikj,block-l1,unrolled,block-l2,recursive,tiled,threads")),
        mut_arg("chart", cli::refused::<PathBuf>("this sweep draws three charts; choose their folder with --output"))
    )]
    Dgemm(ladder::Args),
    /// Sweep the Gaussian-elimination ladder by size; draw its charts
    #[command(
        mut_arg("runs", cli::runs("3")),
        mut_arg("counters", cli::sources(&[Counters::Auto, Counters::Hardware, Counters::None])),
        mut_arg("machine", cli::host_alone),
        mut_arg("sizes", |sizes| sizes.default_value("200..1200:200")),
        mut_arg("variants", |variants| variants.default_value("ge1,ge2,ge3,ge4,ge5,ge6,ge7")),
        mut_arg("chart", cli::refused::<PathBuf>("this sweep draws five charts; choose their folder with --output"))
    )]
    Ge(ladder::Args),
    Handin(handin::Args),
    Plot(plot::Args),
    Machines(machines::Args),
    Trace(trace::Args),
}

/// The commands by what they are for; any other is listed last.
const GROUPS: [(&str, &[&str]); 3] = [
    ("The report", &["run", "handin"]),
    ("Measure and draw", &["ge", "dgemm", "causes", "cc", "c++", "trace", "plot", "machines"]),
    ("For a course", &["assignment"]),
];

/// An example of each command.
const EXAMPLES: [(&str, &str); 9] = [
    ("run", "lab run --quick"),
    ("handin", "lab handin report"),
    ("ge", "lab ge --sizes 100..800:100 --output charts"),
    ("dgemm", "lab dgemm --sizes 64,128,256,512 --variants ijk,ikj,tiled --output charts"),
    ("causes", "lab causes 512 --chart causes.svg"),
    (
        "trace",
        "valgrind --tool=lackey --trace-mem=yes --log-file=a.trace ./a.out\n  lab trace a.trace --machine zen3 --chart misses.svg",
    ),
    ("plot", "lab plot cm1.out --sizes 32K,64K -o cm1.svg"),
    ("machines", "lab machines i5-7500 > mine.toml"),
    ("assignment", "lab assignment > ours.toml"),
];

/// The command line, with the commands in groups and an example for each.
fn command() -> clap::Command {
    let mut command = Lab::command();
    for (name, example) in EXAMPLES {
        command = command.mut_subcommand(name, |one| one.after_help(format!("Example:\n  {example}")));
    }
    let listed = |name: &str| {
        let one = command.get_subcommands().find(|one| one.get_name() == name && !one.is_hide_set())?;
        Some(format!("  {name:<12}{}\n", one.get_about().map(ToString::to_string).unwrap_or_default()))
    };
    let grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others: Vec<&str> =
        command.get_subcommands().map(clap::Command::get_name).filter(|name| !grouped(name)).collect();
    let groups =
        GROUPS.iter().map(|(heading, names)| (*heading, *names)).chain([("Other commands", &*others)]);
    let list: String = groups
        .map(|(heading, names)| (heading, names.iter().filter_map(|name| listed(name)).collect::<String>()))
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(heading, lines)| format!("{heading}:\n{lines}\n"))
        .collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"
    );
    command
        .help_template(template)
        .after_help("`lab COMMAND --help` explains a command, with an example.\n\nExamples:\n  lab --quick    the whole assignment, smaller\n  lab ge         the elimination ladder over N")
}

/// Why a system lacks `lab cc` and `lab c++`.
const NO_CC: &str = "programs in C and C++ are counted on Linux on x86-64 alone";

/// What replaces a command that is elsewhere or was removed, or that another system has.
const SUCCESSORS: [(&str, &str); 9] = [
    ("c++", NO_CC),
    ("cc", NO_CC),
    ("book", "the handouts are the README.md of each program's folder"),
    ("compare", "lab plot A.json B.json draws both in one chart"),
    ("discover", "cm1 --until-decided finds the caches of a machine"),
    ("grade", "course grade does that (extras/course)"),
    ("infer", "cm1 --until-decided reads a sweep that it makes; lab plot draws one"),
    ("mystery", "course mystery does that (extras/course)"),
    ("web", "page does that (extras/page)"),
];

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    if let Some(name) = commands::cc::tool() {
        return commands::cc::run_tool(&name);
    }
    let first = std::env::args().nth(1).unwrap_or_default();
    let lacks = |name: &str| name == first && command().find_subcommand(name).is_none();
    if let Some((_, successor)) = SUCCESSORS.iter().find(|(name, _)| lacks(name)) {
        common::output::message(format!("lab: there is no command '{first}': {successor}"));
        return ExitCode::from(2);
    }
    cli::run_as(command(), |args: Lab| match args.command {
        None => run::run(&args.run),
        Some(command) => done(command),
    })
}

fn done(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(&args),
        Command::Assignment(args) => assignment::run(&args),
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
