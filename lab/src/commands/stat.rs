//! `lab stat`: counts events and resources of any program.

use std::fmt::Write;
use std::io::ErrorKind;
use std::process::{Command, ExitStatus};

use common::cli::Output;
use common::clock::Stopwatch;
use common::counters::{self, Counting};
use common::events::Event;
use common::failure::Failure;
use common::machine;
use common::measure;
use common::output::{self, Shown};
use common::record::{Record, Row};
use common::system::host::Usage;
use common::system::signals;
use common::text::shorten;
use common::value::{Reading, Source};

/// Count events, time and page faults of any program
///
/// The program runs unchanged, and lab ends with its exit status. The figures follow on
/// stderr; with --format csv or json, and with --record -, on stdout after what the program
/// prints. Where hardware counts nothing, each event says why, and times and page faults are
/// those of the system.
#[derive(Debug, clap::Args)]
#[command(mut_arg("chart", common::cli::refused::<std::path::PathBuf>("lab stat draws nothing: save --record")))]
pub(crate) struct Args {
    /// Count these events, by PAPI's names or as `avail --native` lists them
    #[arg(short, long, value_name = "EVENTS", value_delimiter = ',')]
    #[arg(default_value = "PAPI_TOT_CYC,PAPI_TOT_INS,PAPI_L1_DCM,PAPI_L2_DCM")]
    events: Vec<String>,

    /// Run it N times; prints the median, the smallest and the largest
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,

    /// Compare two commands, separated by --, which run in turns
    #[arg(long)]
    compare: bool,

    /// Do not run it: print how its accesses get into the cache model
    #[arg(long, conflicts_with_all = ["compare", "runs", "events", "record", "format"])]
    model: bool,

    /// The program and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,

    #[command(flatten)]
    output: Output,
}

/// What was measured of one command.
struct Measured<'a> {
    words: &'a [String],
    figures: Vec<(String, Vec<Reading>)>,
    /// How its last run ended.
    status: Option<ExitStatus>,
}

/// Runs the command, prints what it used, and ends with its status.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.model {
        return output::print(&tracing(&args.command));
    }
    let commands = commands(args)?;
    output::prepare([], &args.output)?;
    let events: Result<Vec<Event>, _> = args.events.iter().map(|name| counters::event(name)).collect();
    let mut counting = Counting::open(&events.map_err(Failure::usage)?);
    let mut all: Vec<Measured<'_>> =
        commands.into_iter().map(|words| Measured { words, figures: Vec::new(), status: None }).collect();
    signals::defer();
    'runs: for _ in 0..args.runs {
        for measured in &mut all {
            measured.once(&mut counting)?;
            if signals::requested() || measured.status.is_some_and(|status| !status.success()) {
                break 'runs;
            }
        }
    }
    let record = record(args, &all);
    let kit = |_: &Record| String::new();
    output::finish(&record, &args.output, &Shown { kit: &kit, chart: None })?;
    if args.output.format == common::cli::Format::Kit {
        text(&all, args.runs).lines().for_each(output::message);
    }
    signals::exit_if_requested();
    match all.iter().filter_map(|measured| measured.status).find(|status| !status.success()) {
        Some(status) => std::process::exit(exit_code(status)),
        None => Ok(()),
    }
}

/// The one command, or the two on both sides of `--`.
fn commands(args: &Args) -> Result<Vec<&[String]>, Failure> {
    let commands: Vec<&[String]> = match args.compare {
        true => args.command.split(|word| word == "--").collect(),
        false => vec![&args.command],
    };
    if args.compare && (commands.len() != 2 || commands.iter().any(|words| words.is_empty())) {
        return Err(Failure::usage(
            "--compare needs two commands: lab stat --compare -- ./old 1000 -- ./new 1000",
        ));
    }
    Ok(commands)
}

impl Measured<'_> {
    /// Runs the command once.
    fn once(&mut self, counting: &mut Counting) -> Result<(), Failure> {
        let before = Usage::of_children();
        counting.start().map_err(Failure::could_not)?;
        let watch = Stopwatch::start();
        let ended = Command::new(&self.words[0]).args(&self.words[1..]).spawn().and_then(|mut child| {
            signals::pass_to(Some(child.id()));
            let ended = child.wait();
            signals::pass_to(None);
            ended
        });
        let time = watch.stop();
        let counts = counting.stop().map_err(Failure::could_not)?;
        let status = ended.map_err(|error| {
            let name = shorten(&self.words[0], 100);
            match error.kind() {
                ErrorKind::NotFound => Failure::could_not(format!(
                    "there is no program '{name}': give its path, such as ./a.out, or a name that is in PATH"
                )),
                ErrorKind::PermissionDenied => Failure::could_not(format!(
                    "'{name}' is not an executable program: compile it, or give the name of what the compiler wrote"
                )),
                _ => Failure::could_not(format!("'{name}' cannot be started: {error}")),
            }
        })?;
        self.status = Some(status);
        self.add("wall_s", Reading::new(time.wall.0, Source::Timing));
        let used = before.zip(Usage::of_children()).map(|(before, after)| after.since(before));
        let unknown = || Reading::missing("this system does not say what a child process used");
        for (name, amount) in [
            ("user_s", used.map(|used| used.user.0)),
            ("system_s", used.map(|used| used.system.0)),
            ("minor_page_faults", used.map(|used| used.minor_faults as f64)),
            ("major_page_faults", used.map(|used| used.major_faults as f64)),
            ("waits", used.map(|used| used.waits as f64)),
            ("preemptions", used.map(|used| used.preemptions as f64)),
        ] {
            let source = if name.ends_with("_s") { Source::Timing } else { Source::System };
            self.add(name, amount.map_or_else(unknown, |amount| Reading::new(amount, source)));
        }
        for (event, count) in counting.events().iter().map(Event::name).zip(counts) {
            self.add(event, count);
        }
        Ok(())
    }

    fn add(&mut self, name: &str, reading: Reading) {
        match self.figures.iter_mut().find(|(known, _)| known == name) {
            Some((_, runs)) => runs.push(reading),
            None => self.figures.push((name.to_owned(), vec![reading])),
        }
    }

    fn finished_runs(&self) -> usize {
        self.figures.first().map_or(0, |(_, runs)| runs.len())
    }

    fn medians(&self) -> impl Iterator<Item = (&str, Reading)> {
        self.figures.iter().map(|(name, runs)| (&**name, Reading::median(runs)))
    }
}

fn record(args: &Args, all: &[Measured<'_>]) -> Record {
    let machine = machine::host().unwrap_or_else(|why| machine::undescribed_host(&why));
    let mut record = measure::modelled_record("stat", &machine).set("runs", args.runs);
    for measured in all {
        let mut row = Row::new([
            ("command", measured.words.join(" ").into()),
            ("finished_runs", measured.finished_runs().into()),
            ("exit_status", measured.status.map(exit_code).into()),
        ]);
        for (name, reading) in measured.medians() {
            row = row.with(name, reading);
        }
        record.rows.push(row);
    }
    record
}

/// The figures of each command; of two also how many times as much the second one needed.
fn text(all: &[Measured<'_>], runs: u32) -> String {
    let mut text = String::new();
    for measured in all {
        let status = measured.status.map_or_else(|| "not run".to_owned(), |status| status.to_string());
        let status = match measured.finished_runs() {
            0 => format!(" ({status})"),
            finished if finished < runs as usize => format!(" ({status}; {finished} of {runs} runs)"),
            _ => format!(" ({status})"),
        };
        let _ = writeln!(text, "{}{status}", shorten(&measured.words.join(" "), 100));
        let medians: Vec<(&str, Reading)> = measured.medians().collect();
        let mut missing: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, reading) in &medians {
            let Some(reason) = reading.reason() else {
                let digits = if name.ends_with("_s") { 6 } else { 0 };
                let _ = writeln!(text, "  {name:<18} {reading:.digits$}");
                continue;
            };
            match missing.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) => names.push(name),
                None => missing.push((reason, vec![name])),
            }
        }
        for (reason, names) in missing {
            let _ = writeln!(text, "  {}: not counted ({reason})", names.join(", "));
        }
    }
    if let [first, second] = all
        && second.finished_runs() > 0
    {
        let _ = writeln!(text, "the second divided by the first");
        if runs == 1 {
            let _ = writeln!(text, "  one run each, so the spread is unknown; --runs 5 gives it");
        }
        for ((name, first), (_, second)) in first.medians().zip(second.medians()) {
            if let Some((before, after)) = first.amount().zip(second.amount())
                && before > 0.0
            {
                let apart = if overlap(&first, &second) { "\twithin the spread of the runs" } else { "" };
                let _ = writeln!(text, "  {name:<18} {:.3}{apart}", after / before);
            }
        }
    }
    text
}

/// Whether the ranges of two figures have a value in common.
fn overlap(first: &Reading, second: &Reading) -> bool {
    let range = |reading: &Reading| reading.spread().map(|spread| (spread.min, spread.max));
    match range(first).zip(range(second)) {
        Some((first, second)) => first.0 <= second.1 && second.0 <= first.1,
        None => false,
    }
}

/// Commands that write a trace of the program, and read it.
fn tracing(command: &[String]) -> String {
    format!(
        "valgrind --tool=lackey --trace-mem=yes --log-file=a.trace {}\nlab trace a.trace --machine host\n",
        command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    )
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The exit code that shells give: 128 and the number of the signal that ended it.
fn exit_code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}
