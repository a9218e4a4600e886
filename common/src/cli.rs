//! What the command lines of all programs share: options and exit codes.

use std::error::Error;
use std::num::{IntErrorKind, ParseIntError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Command, Parser, ValueEnum};

use figures::text::shorten;
use system::signals;

use crate::console;
use crate::failure::Failure;

/// Longest line of a message in characters: an argument that it repeats may be a whole file.
const LONGEST: usize = 1500;

/// Where counts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Counters {
    /// Hardware counters if available, else the best substitute (printed with the reason)
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

/// The options of programs that measure.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Measuring")]
pub struct Measuring {
    /// Choose the source of counts
    #[arg(long, value_enum, value_name = "SOURCE", default_value = "auto")]
    pub counters: Counters,

    /// Repeat each measurement N times; prints the median, the smallest and the largest [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: Option<u32>,

    /// Run on this processor, with all threads [default: the one the program starts on]
    #[arg(long, value_name = "N")]
    pub cpu: Option<usize>,
}

/// The options of programs that can model a machine instead of measuring this one.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Measuring")]
pub struct Modelling {
    /// Model this machine: host, a name from `lab machines`, or a TOML file
    #[arg(long, env = "LAB_MACHINE", value_name = "MACHINE", default_value = "host")]
    pub machine: String,
}

impl Modelling {
    /// Models that machine.
    pub fn of(machine: &str) -> Modelling {
        Modelling { machine: machine.to_owned() }
    }
}

/// The options for printing, drawing and saving.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Choose how to print the results
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "kit")]
    pub format: Format,

    /// Suppress notes on stderr; they stay in the record
    #[arg(long, short)]
    pub quiet: bool,

    /// Print all notes on stderr, also how the counts were made
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Draw a chart into FILE (.svg, .pdf or .png; - prints SVG)
    #[arg(long, value_name = "FILE", value_parser = picture)]
    pub chart: Option<PathBuf>,

    /// Save the whole record, as JSON (- prints it)
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

impl Output {
    /// No output at all, for a program that measures on behalf of another.
    pub fn none() -> Output {
        Output { format: Format::Kit, quiet: true, verbose: false, chart: None, record: None }
    }

    /// The files to write.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.record.iter().chain(&self.chart).map(PathBuf::as_path)
    }

    /// Whether one of them is standard output, which then gets nothing else.
    pub fn prints_a_file(&self) -> bool {
        self.files().any(|path| path == Path::new("-"))
    }
}

/// Removes an option from a program that has no use for it (`mut_arg("chart",
/// cli::refused::<PathBuf>("..."))`): help does not list it, and using it is an error with
/// the reason `why`.
pub fn refused<T: Clone + Send + Sync + 'static>(why: &'static str) -> impl FnOnce(clap::Arg) -> clap::Arg {
    move |option| option.hide(true).value_parser(move |_: &str| Err::<T, _>(why))
}

/// `--machine` of a program that is timed alone: other machines are refused.
pub fn host_alone(option: clap::Arg) -> clap::Arg {
    let why = "this machine alone is measured; leave out --machine, and unset LAB_MACHINE";
    option.hide(true).value_parser(move |name: &str| (name == "host").then(|| name.to_owned()).ok_or(why))
}

/// Restricts `--counters` to the sources that a program has.
pub fn sources(among: &'static [Counters]) -> impl FnOnce(clap::Arg) -> clap::Arg {
    let names = PossibleValuesParser::new(among.iter().filter_map(Counters::to_possible_value));
    move |option| option.value_parser(names.try_map(|name| Counters::from_str(&name, false)))
}

/// Names another default number of runs in a program's help.
pub fn runs(default: &str) -> impl FnOnce(clap::Arg) -> clap::Arg {
    let what = "Repeat each measurement N times; prints the median, the smallest and the largest";
    let help = format!("{what} [default: {default}]");
    move |option| option.help(help)
}

/// The name of a value on the command line, for a record's settings.
pub fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// A file name for a chart: a wrong extension is refused before an hour of measuring, not
/// after it.
fn picture(name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    match path.extension().and_then(|e| e.to_str()) {
        Some("svg" | "pdf" | "png") => Ok(path),
        _ if name == "-" => Ok(path),
        _ => Err("a chart's name ends in .svg, .pdf or .png".to_owned()),
    }
}

/// Parses the command line, runs `program`, and turns a [`Failure`] into one
/// line on stderr and an exit code. What the parser says about a wrong command line is
/// printed as it is.
pub fn run<A: Parser>(program: impl FnOnce(A) -> Result<(), Failure>) -> ExitCode {
    run_as(A::command(), program)
}

/// Runs a program as [`run`] does, with another parser of the command line.
pub fn run_as<A: Parser>(mut command: Command, program: impl FnOnce(A) -> Result<(), Failure>) -> ExitCode {
    system::set_up();
    command = command.version(records::VERSION);
    #[cfg(feature = "manuals")]
    if let Some(folder) = std::env::var_os("CACHE_LAB_MANUALS") {
        return crate::manuals::write(command, std::path::Path::new(&folder));
    }
    let parsed = command.try_get_matches_from_mut(std::env::args_os());
    let parsed =
        parsed.and_then(|found| A::from_arg_matches(&found).map_err(|error| error.format(&mut command)));
    let outcome = match parsed {
        Ok(args) => program(args),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            console::print(&error.to_string())
        }
        Err(error) => {
            complaint(&error).trim_end().lines().for_each(|line| console::message(shorten(line, LONGEST)));
            return ExitCode::from(Failure::Usage(String::new()).exit_code());
        }
    };
    let status = status(command.get_name(), outcome);
    // A signal that was deferred until the results were saved.
    signals::exit_if_requested();
    status
}

/// What is wrong with a command line, in clap's words, but for a text in the place of a whole number, and `--json`.
fn complaint(error: &clap::Error) -> String {
    let number = error.source().and_then(|why| why.downcast_ref::<ParseIntError>()).map(ParseIntError::kind);
    match [ContextKind::InvalidValue, ContextKind::InvalidArg].map(|kind| error.get(kind)) {
        [Some(value), Some(option)] if number == Some(&IntErrorKind::InvalidDigit) => {
            format!(
                "error: invalid value '{value}' for '{option}': it is not a whole number\n\nFor more information, try '--help'."
            )
        }
        [_, Some(ContextValue::String(option))] if option == "--json" => {
            "error: there is no --json: records are printed by --format json, and saved by --record FILE"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

/// The exit code; prints the failure.
fn status(program: &str, outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if failure != Failure::Reported {
                let reason = shorten(&failure.to_string(), LONGEST);
                console::message(format!("{program}: {reason}"));
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[derive(Debug, Parser)]
    #[command(
        name = "example",
        mut_arg("chart", refused::<PathBuf>("nothing is drawn")),
        mut_arg("counters", sources(&[Counters::Auto, Counters::None]))
    )]
    struct Example {
        #[command(flatten)]
        measuring: Measuring,
        #[command(flatten)]
        modelling: Modelling,
        #[command(flatten)]
        output: Output,
    }

    #[test]
    fn a_text_is_no_whole_number_and_json_a_format() {
        let error = |words: [&str; 3]| complaint(&Example::try_parse_from(words).unwrap_err());
        assert!(error(["example", "--json", "x"]).contains("--format json"));
        let text = error(["example", "--runs", "x"]);
        assert!(
            text.starts_with("error: invalid value 'x' for '--runs <N>': it is not a whole number\n"),
            "{text}"
        );
        assert!(error(["example", "--runs", "0"]).contains("0 is not in 1"));
    }

    #[test]
    fn what_a_program_does_nothing_with_is_not_listed_and_refused_with_the_reason() {
        let mut command = Example::command();
        let help = command.render_long_help().to_string();
        assert!(
            !help.contains("--chart") && !help.contains("hardware") && help.contains("--counters"),
            "{help}"
        );
        for (words, why) in [
            (["--chart", "a.svg"], "nothing is drawn"),
            (["--counters", "model"], "[possible values: auto, none]"),
        ] {
            let words = ["example"].iter().chain(&words);
            let error = command.try_get_matches_from_mut(words).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
