//! `lab run`: every experiment of the assignment, then the report.

mod args;
pub(crate) mod assigned;
mod earlier_answers;
mod environment;
mod experiments;
mod folder;
mod own_sections;
mod progress;
mod settings;
mod turn;
mod unfinished;

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;

use common::cli::{Measuring, Modelling, Output};
use common::failure::Failure;
use common::measure::Session;
use common::output;
use common::system::{cpu, host, signals};
use common::units::Bytes;
use report::Report;

pub(crate) use args::{Args, Asked};
use folder::Folder;
use settings::Settings;
use unfinished::{RunState, Unfinished};

/// Memory that a run and its report need; 40 MiB were measured.
const MEMORY_NEEDED: Bytes = Bytes::mib(48);

/// Measures, writes the report, and prints its path. Each experiment's record is stored as
/// soon as it is measured, so that an interrupted run can be resumed.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let folder = Folder::make(&args.output)?;
    let unfinished = Unfinished::take(folder.path(), folder.turn.clone()).inspect_err(|_| folder.unmake())?;
    let done = measure(args, &folder, &unfinished);
    let turn = folder.turn.take();
    folder.tidy();
    drop(turn);
    done.map_err(|failure| match (failure, folder.stored().len()) {
        (Failure::CouldNot(reason), count @ 1..) => {
            Failure::CouldNot(format!("{reason}; {}", offer(&folder, count)))
        }
        (failure, _) => failure,
    })
}

/// Fails now if there is not enough memory to make the report later.
fn check_memory() -> Result<(), Failure> {
    match host::free_memory() {
        Some(free) if free < MEMORY_NEEDED => Err(Failure::could_not(format!(
            "a report takes {MEMORY_NEEDED} of memory, and this process can have {free}: raise the limit (`ulimit -v`, a memory group), or close other programs"
        ))),
        _ => Ok(()),
    }
}

fn measure(args: &Args, folder: &Folder, unfinished: &Unfinished) -> Result<(), Failure> {
    check_memory()?;
    let (args, state) = agreed(args, unfinished, folder)?;
    signals::on_request({
        let folder = folder.clone();
        move || {
            let replaced = folder.turn.take();
            if *replaced {
                output::message(ready(&folder))
            } else {
                broken_off(&folder)
            }
            // Locked until the process ends: the run writes nothing after this.
            std::mem::forget(replaced);
        }
    });
    // If typed answers cannot be read, they would be lost: measure nothing.
    earlier_answers::read_from(folder.path())?;
    let mut asked = args.assigned.read()?;
    let left_out = own_sections::leave_out(&mut asked.assignment, &args);
    let sizes = args.sizes(&asked.assignment);
    let further = own_sections::lines(&asked.assignment, &args)?;
    let session = Session::start(
        &Measuring { cpu: args.cpu, ..Measuring::once(args.counters) },
        &Modelling::of(&args.machine),
        &Output::none(),
    )?;
    let begins = RunState {
        words: words(std::env::args_os()),
        place: environment::place(&session.machine),
        assigned: format!("{sizes:?} {further:?}"),
    };
    match state {
        Some(state) if state.place != begins.place => {
            return Err(Failure::could_not(format!(
                "that run was started on {}, and this is {}: continue it there, or start over with --afresh",
                state.place, begins.place
            )));
        }
        Some(state) if state.assigned != begins.assigned => {
            return Err(Failure::could_not(
                "the assignment's sizes or programs have changed since that run was started: start over with --afresh",
            ));
        }
        Some(_) => {}
        None => unfinished.save_state(&begins)?,
    }
    let tell = |line: String| {
        if !args.quiet {
            output::message(line);
        }
    };
    left_out.iter().for_each(|what| tell(format!("note: {what}")));
    let settings = Settings::new(args.quick, &sizes, args.hasten, &session.machine);
    // The assignment's own programs first, so that their errors show early. They choose
    // their processors themselves, so this run's pinning is suspended.
    let own = cpu::allowed();
    cpu::pin(&session.cpus);
    let (further, took) = own_sections::measure(&further, &asked.assignment, unfinished, args.quiet)?;
    cpu::pin(&own);
    let mut findings = experiments::run_all(session, settings, unfinished, args.quiet)?;
    findings.took += took;
    let report = Report::new(&findings, args.answers(), earlier_answers::read_from(folder.path())?);
    let report = report.assigned(asked.assignment, further, asked.template);
    let files = report.files().map_err(Failure::could_not)?;
    folder.fill(&files)?;
    output::print(&report.table())?;
    report.warnings().iter().for_each(|warning| tell(format!("note: {warning}")));
    if !args.answers() {
        tell("note: compute hit rates and speed-ups yourself; the page checks your answers".to_owned());
    }
    tell(ready(folder));
    Ok(())
}

/// The run to make: that of the command line, or with `--resume` the one that was
/// interrupted in this folder.
fn agreed(
    args: &Args,
    unfinished: &Unfinished,
    folder: &Folder,
) -> Result<(Args, Option<RunState>), Failure> {
    match unfinished.state() {
        Some(state) if args.resume => {
            let line = CommandLine::try_parse_from(
                std::iter::once("lab").chain(state.words.iter().map(String::as_str)),
            );
            let line = line.map_err(|_| {
                Failure::could_not("another version of the kit started that run: start over with --afresh")
            })?;
            Ok((Args { output: args.output.clone(), quiet: args.quiet, ..line.args.args() }, Some(state)))
        }
        Some(_) if !args.afresh => {
            Err(Failure::could_not("a run into this folder was interrupted".to_owned()))
        }
        None if args.resume => Err(Failure::usage(format!(
            "no run was interrupted in '{}'; leave --resume out, or name its folder with --output",
            folder.path().display()
        ))),
        _ => Ok((args.clone(), None)),
    }
}

/// A command line of `lab run`, without the command.
#[derive(Debug, Parser)]
struct CommandLine {
    #[command(flatten)]
    args: Asked,
}

/// The options of the command line, without the program and the command. Only a folder's
/// name may be invalid UTF-8, and `--resume` gives that again.
fn words(line: impl Iterator<Item = OsString>) -> Vec<String> {
    let words = line.map(|word| word.to_string_lossy().into_owned()).skip(1).skip_while(|word| word == "run");
    words.filter(|word| word != "--afresh").collect()
}

/// Says where the report is.
fn ready(folder: &Folder) -> String {
    format!("lab run: {} is ready; open it in a browser, or print it from there", folder.page().display())
}

/// Says that the run was interrupted, and what is stored.
fn broken_off(folder: &Folder) {
    folder.tidy();
    let count = folder.stored().len();
    let left = if count == 0 { "nothing was measured yet".to_owned() } else { offer(folder, count) };
    output::message(format!("lab run: interrupted; {left}"));
}

/// Says how to continue with what is stored.
fn offer(folder: &Folder, count: usize) -> String {
    let path = folder.path();
    let out =
        if path == Path::new("report") { String::new() } else { format!(" --output {}", path.display()) };
    let what = if count == 1 { "1 experiment is".to_owned() } else { format!("{count} experiments are") };
    format!("{what} saved: `lab run --resume{out}` continues, `lab run --afresh{out}` starts over")
}
