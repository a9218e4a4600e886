//! `lab run`: every experiment of the assignment, then the report.

mod args;
pub(crate) mod assigned;
mod earlier_answers;
mod environment;
mod experiments;
mod folder;
mod own_sections;
mod settings;

use std::time::Instant;

use common::cli::{Counters, Measuring, Modelling, Output};
use common::counters;
use common::failure::Failure;
use common::measure::Session;
use common::output;
use common::system::{cpu, host};
use common::units::Bytes;
use report::{PAGE, Report};

pub(crate) use args::{Args, Asked};
use assigned::Assigned;
use folder::{Folder, RunState};
use own_sections::ProgramCall;
use settings::Settings;

/// Memory that a run and its report need; 40 MiB were measured.
const MEMORY_NEEDED: Bytes = Bytes::mib(48);

/// Measures, writes the report, and prints its path. Each experiment's record is stored as
/// soon as it is measured; the same command continues an interrupted run.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    check_memory()?;
    let mut asked = args.assigned.read()?;
    let left_out = own_sections::leave_out(&mut asked.assignment, args);
    let sizes = args.sizes(&asked.assignment);
    let calls = own_sections::calls(&asked.assignment, args)?;
    let mut session = Session::start(
        &Measuring { cpu: args.cpu, ..Measuring::once(args.counters) },
        &Modelling::of(&args.machine),
        &Output::none(),
    )?;
    session.ends_at_signal = true;
    if args.counters == Counters::Hardware {
        // If it counts nothing, say so before the first experiment.
        session.plan(&[counters::event("PAPI_L1_DCM").map_err(Failure::usage)?])?;
    }
    let settings = Settings::new(args.quick, &sizes, args.hasten, &session.machine);
    let (version, place) = (common::VERSION, environment::place(&session.machine));
    let (source, cpu) = (args.counters, args.cpu);
    let words: Vec<_> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let state = RunState {
        command: format!("lab {}", words.join(" ")),
        settings: format!("{version}, {place}, {source:?}, {cpu:?}, {settings:?}, {calls:?}"),
    };
    let folder = Folder::open(&args.output, &state, args.afresh)?;
    left_out.iter().for_each(|what| tell(args, format!("note: {what}")));
    let done = measure(args, asked, &calls, session, settings, &folder);
    folder.tidy();
    done.map_err(|failure| match (failure, folder.stored_names().len()) {
        (Failure::CouldNot(reason), count @ 1..) => Failure::CouldNot(format!(
            "{reason}; the same command goes on from there: experiments stored: {count}"
        )),
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

fn tell(args: &Args, line: String) {
    if !args.quiet {
        output::message(line);
    }
}

fn measure(
    args: &Args,
    asked: Assigned,
    calls: &[ProgramCall],
    session: Session,
    settings: Settings,
    folder: &Folder,
) -> Result<(), Failure> {
    let started = Instant::now();
    // If typed answers cannot be read, they would be lost: measure nothing.
    earlier_answers::read_from(folder.path())?;
    let mut remarks = Vec::new();
    if !folder.found.is_empty() {
        let found = folder.found.join(", ");
        tell(
            args,
            format!("lab run: goes on with an interrupted run (--afresh starts over); stored: {found}"),
        );
        remarks.push(format!("an interrupted run had measured these before: {found}"));
    }
    // The assignment's own programs first, so that their errors show early. They choose
    // their processors themselves, so this run's pinning is suspended.
    let own = cpu::allowed();
    cpu::pin(&session.cpus);
    let further = own_sections::measure(calls, &asked.assignment, folder, &mut remarks)?;
    cpu::pin(&own);
    let mut findings = experiments::run_all(session, settings, folder, args.quiet)?;
    remarks.append(&mut findings.remarks);
    findings.remarks = remarks;
    findings.took = started.elapsed().as_secs_f64();
    let report = Report::new(&findings, args.answers(), earlier_answers::read_from(folder.path())?);
    let report = report.assigned(asked.assignment, further, asked.template);
    if let Some(old) = folder.complete(&report.files().map_err(Failure::could_not)?)? {
        tell(args, format!("lab run: the earlier report is in {}", old.display()));
    }
    output::print(&report.table())?;
    report.warnings().iter().for_each(|warning| tell(args, format!("note: {warning}")));
    if !args.answers() {
        tell(args, "note: compute hit rates and speed-ups yourself; the page checks your answers".to_owned());
    }
    let page = folder.path().join(PAGE);
    tell(args, format!("lab run: {} is ready; open it in a browser, or print it from there", page.display()));
    Ok(())
}
