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

/// What a run and its report take of memory; 40 MiB were measured.
const MEMORY_NEEDED: Bytes = Bytes::mib(48);

/// Measures, writes, and says where. Each experiment's record is stored as soon as
/// it is there, so that a run which is broken off can go on.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let folder = Folder::make(&args.out)?;
    let kept = Unfinished::take(folder.path(), folder.turn.clone()).inspect_err(|_| folder.unmake())?;
    let done = measure(args, &folder, &kept);
    let turn = folder.turn.take();
    folder.tidy();
    drop(turn);
    done.map_err(|failure| match (failure, folder.stored().len()) {
        (Failure::CouldNot(reason), kept @ 1..) => {
            Failure::CouldNot(format!("{reason}; {}", offer(&folder, kept)))
        }
        (failure, _) => failure,
    })
}

/// Fails where the report could not be made of what was measured.
fn check_memory() -> Result<(), Failure> {
    match host::free_memory() {
        Some(free) if free < MEMORY_NEEDED => Err(Failure::could_not(format!(
            "a report takes {MEMORY_NEEDED} of memory, and this process can have {free}: raise the limit (`ulimit -v`, a memory group), or close other programs"
        ))),
        _ => Ok(()),
    }
}

fn measure(args: &Args, folder: &Folder, kept: &Unfinished) -> Result<(), Failure> {
    check_memory()?;
    let (args, state) = agreed(args, kept, folder)?;
    signals::on_request({
        let folder = folder.clone();
        move || {
            let replaced = folder.turn.take();
            if *replaced {
                output::message(ready(&folder))
            } else {
                broken_off(&folder)
            }
            // Kept until the process ends: the run writes nothing after this.
            std::mem::forget(replaced);
        }
    });
    // What was typed is not put at risk: where it cannot be read, nothing is measured.
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
        None => kept.save_state(&begins)?,
    }
    let tell = |line: String| {
        if !args.quiet {
            output::message(line);
        }
    };
    left_out.iter().for_each(|what| tell(format!("note: {what}")));
    let settings = Settings::new(args.quick, &sizes, args.hasten, &session.machine);
    // The assignment's own programs first: what is wrong with them shows before the rest is
    // measured. They choose their processors themselves; where that is refused they stay on this one.
    let own = cpu::allowed();
    cpu::pin(&session.cpus);
    let (further, took) = own_sections::measure(&further, &asked.assignment, kept, args.quiet)?;
    cpu::pin(&own);
    let mut findings = experiments::run_all(session, settings, kept, args.quiet)?;
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

/// The run to make: the one asked for, or with `--resume` the one that was broken
/// off here.
fn agreed(args: &Args, kept: &Unfinished, folder: &Folder) -> Result<(Args, Option<RunState>), Failure> {
    match kept.state() {
        Some(state) if args.resume => {
            let line = CommandLine::try_parse_from(
                std::iter::once("lab").chain(state.words.iter().map(String::as_str)),
            );
            let line = line.map_err(|_| {
                Failure::could_not("another version of the kit started that run: start over with --afresh")
            })?;
            Ok((Args { out: args.out.clone(), quiet: args.quiet, ..line.args.args() }, Some(state)))
        }
        Some(_) if !args.afresh => {
            Err(Failure::could_not("a run into this folder was interrupted".to_owned()))
        }
        None if args.resume => Err(Failure::usage(format!(
            "no run was interrupted in '{}'; leave --resume out, or name its folder with --out",
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

/// What was asked for, behind the program and the command. Only a folder's name may
/// be no UTF-8, and that is given again.
fn words(line: impl Iterator<Item = OsString>) -> Vec<String> {
    let words = line.map(|word| word.to_string_lossy().into_owned()).skip(1).skip_while(|word| word == "run");
    words.filter(|word| word != "--afresh").collect()
}

/// Where the report is.
fn ready(folder: &Folder) -> String {
    format!("lab run: {} is ready; open it in a browser, or print it from there", folder.page().display())
}

/// Says that the run was asked to end, and what is left of it.
fn broken_off(folder: &Folder) {
    folder.tidy();
    let kept = folder.stored().len();
    let left = if kept == 0 { "nothing was measured yet".to_owned() } else { offer(folder, kept) };
    output::message(format!("lab run: interrupted; {left}"));
}

/// How to go on with what is stored.
fn offer(folder: &Folder, kept: usize) -> String {
    let path = folder.path();
    let out = if path == Path::new("report") { String::new() } else { format!(" --out {}", path.display()) };
    let what = if kept == 1 { "1 experiment is".to_owned() } else { format!("{kept} experiments are") };
    format!("{what} saved: `lab run --resume{out}` continues, `lab run --afresh{out}` starts over")
}
