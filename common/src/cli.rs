//! What the command lines of all programs share: options, exit codes, and
//! errors as one sentence.

mod refusal;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command, Parser, ValueEnum, error::ErrorKind};

use figures::text::shorten;
use system::ending;

use crate::console;
use crate::failure::Failure;

/// Characters of a message: an argument that it repeats may be a whole file.
const LONGEST: usize = 1500;

/// Where counts shall come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Counters {
    /// Hardware where it counts, else the best stand-in; says which and why
    Auto,
    /// The processor's performance counters, or nothing
    Hardware,
    /// Derived from measured latency of dependent accesses (spark, cm1)
    Timing,
    /// The cache model of --machine
    Model,
    /// Times only
    None,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The lab kit's own lines, one figure or cell each
    Kit,
    /// Comma-separated values with a header
    Csv,
    /// The whole record
    Json,
}

/// What may be set beside a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compare {
    /// The cache model of this machine, with the residual
    Model,
}

/// Options of every program that measures.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Measuring")]
pub struct Common {
    /// Where counts come from
    #[arg(long, value_enum, value_name = "SOURCE", default_value = "auto")]
    pub counters: Counters,

    /// The machine to model: host, a name from `lab machines`, or a TOML file
    #[arg(long, value_name = "MACHINE", default_value = "host")]
    pub machine: String,

    /// Repetitions; the median is printed, with the smallest and largest
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: Option<u32>, // none in a program without a default, which then decides itself

    /// Processor to run on [default: the one the program starts on]
    #[arg(long, value_name = "N")]
    pub cpu: Option<usize>,

    /// Also print what the model expects, and the residual
    #[arg(long, value_enum, value_name = "WHAT")]
    pub compare: Option<Compare>,

    /// How to print the results
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "kit", help_heading = "Output")]
    pub format: Format,

    /// Say nothing on stderr but why it failed; the record keeps what there is to note
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,

    /// Draw a chart into FILE (.svg or .png)
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = picture)]
    pub chart: Option<PathBuf>,

    /// Save the whole record, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub record: Option<PathBuf>,
}

impl Common {
    /// Those of a program that measures on behalf of another: nothing is printed,
    /// drawn or saved, and each region runs once.
    pub fn quiet(machine: &str, counters: Counters) -> Common {
        Common {
            counters,
            machine: machine.to_owned(),
            runs: Some(1),
            cpu: None,
            compare: None,
            format: Format::Kit,
            quiet: true,
            chart: None,
            record: None,
        }
    }
}

/// The widest instructions that the rungs of a ladder may be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Instructions {
    /// Four doubles at a time, also where the processor has AVX-512
    Avx2,
}

/// Keeps this process to the instructions that were chosen, if any were.
pub fn keep_to(widest: Option<Instructions>) {
    if widest == Some(Instructions::Avx2) {
        isa::leave_out_avx512();
    }
}

/// A file name that a chart can be written to: refused before an hour of
/// measuring, not after it.
fn picture(name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    match path.extension().and_then(|e| e.to_str()) {
        Some("svg" | "png") => Ok(path),
        _ => Err("a chart's name ends in .svg or .png".to_owned()),
    }
}

/// Parses the command line, runs `program`, and turns a [`Failure`] into one
/// line on stderr and an exit code.
pub fn run<A: Parser>(program: impl FnOnce(A) -> Result<(), Failure>) -> ExitCode {
    run_as(A::command(), program)
}

/// The same with a command line of another name, for programs that differ in nothing else.
pub fn run_as<A: Parser>(mut command: Command, program: impl FnOnce(A) -> Result<(), Failure>) -> ExitCode {
    system::set_up();
    #[cfg(feature = "manuals")]
    if let Some(folder) = std::env::var_os("CACHE_LAB_MANUALS") {
        return crate::manuals::write(command, std::path::Path::new(&folder));
    }
    end_in_a_sentence_when_nothing_can_be_printed();
    let parsed = command.try_get_matches_from_mut(std::env::args_os());
    let parsed =
        parsed.and_then(|found| A::from_arg_matches(&found).map_err(|error| error.format(&mut command)));
    let outcome = match parsed {
        Ok(args) => program(args),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            console::print(&error.to_string())
        }
        Err(error) => Err(Failure::Usage(refusal::sentence(&command, &error))),
    };
    let status = status(command.get_name(), outcome);
    // What was put off for the sake of what was measured.
    ending::obey();
    status
}

/// The exit code; a failure is told.
fn status(program: &str, outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if failure != Failure::Told {
                let told = shorten(&failure.to_string(), LONGEST);
                console::tell(format!("{program}: {told}"));
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

/// `println!` panics where standard output is full: a program then ends as
/// [`console::print`] does, in a sentence; and `eprintln!`'s panic in silence.
fn end_in_a_sentence_when_nothing_can_be_printed() {
    let panicking = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let told = info.payload().downcast_ref::<String>();
        match told.and_then(|told| told.strip_prefix("failed printing to std")) {
            None => panicking(info),
            Some(told) => {
                if let Some(error) = told.strip_prefix("out: ") {
                    console::tell(console::unprintable(error));
                }
                std::process::exit(1);
            }
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Parser)]
    #[command(name = "example")]
    struct Example {
        #[command(flatten)]
        common: Common,
    }

    #[test]
    fn the_defaults_are_those_of_the_handout() {
        let args = Example::try_parse_from(["example"]).unwrap().common;
        assert_eq!((args.counters, args.runs, args.format), (Counters::Auto, Some(1), Format::Kit));
        assert_eq!(args.machine, "host");
    }
}
