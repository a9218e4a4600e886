//! `lab run`: every experiment of the assignment, then the report.

mod args;
mod environment;
mod experiments;
mod folder;
mod own_sections;
mod settings;

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::Instant;

use common::cli::{Measuring, Modelling, Output};
use common::failure::Failure;
use common::measure::Session;
use common::system::{cpu, date, host};
use common::units::Bytes;
use common::{input, output};
use report::{Assignment, GUIDE, PAGE, Report, Run};

use crate::answers;

pub(crate) use args::Args;
use folder::{Folder, Steps, has_entries};
use settings::Settings;

/// Memory that a run and its report need; 40 MiB were measured.
const MEMORY_NEEDED: Bytes = Bytes::mib(48);

/// Measures, writes the report, and prints its path. Each experiment's record is stored as
/// soon as it is measured.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    // Fails now if there is not enough memory to make the report later.
    if let Some(free) = host::free_memory().filter(|free| *free < MEMORY_NEEDED) {
        return Err(Failure::could_not(format!(
            "a report takes {MEMORY_NEEDED} of memory, and this process can have {free}: raise the limit (`ulimit -v`, a memory group), or close other programs"
        )));
    }
    let (name, text) = match &args.assignment {
        Some(path) => (input::name(path), input::text(path)?),
        None => ("the guide's assignment".to_owned(), GUIDE.to_owned()),
    };
    let read = Assignment::parse(&text).map_err(|why| Failure::usage(format!("{name}: {why}")));
    let mut assignment = read?;
    let left_out = own_sections::leave_out(&mut assignment, args);
    let mut session = Session::start(
        &Measuring { counters: args.counters, runs: Some(1), cpu: args.cpu },
        &Modelling::of(&args.machine),
        &Output::none(),
    )?;
    session.ends_at_signal = true;
    let size = args.size.or(assignment.sizes.matrix.filter(|_| !args.quick));
    let settings = Settings::new(args.quick, size, args.runs, args.hasten, &session.machine);
    let mut folder = Folder::open(&args.output, args.quick)?;
    left_out.iter().for_each(|what| note(args, format!("note: {what}")));
    if !args.quiet {
        // Between measured regions only.
        let own: usize = assignment.sections.iter().map(|section| section.run.len()).sum();
        let all = own + experiments::count(session.measures_host);
        folder.steps = std::io::stderr().is_terminal().then(|| Steps { done: Cell::new(0), all });
    }
    let records = folder.temporary("records");
    measure(args, assignment, session, settings, folder).map_err(|failure| match failure {
        Failure::CouldNot(reason) if has_entries(&records) => Failure::CouldNot(format!(
            "{reason}; what was measured until then is in '{}', which the next run removes",
            records.display()
        )),
        failure => failure,
    })
}

fn note(args: &Args, line: String) {
    if !args.quiet {
        output::message(line);
    }
}

fn measure(
    args: &Args,
    assignment: Assignment,
    session: Session,
    settings: Settings,
    folder: Folder,
) -> Result<(), Failure> {
    let started = Instant::now();
    // If typed answers cannot be read, they would be lost: measure nothing.
    answers::of(&folder.report, None)?;
    let mut remarks = Vec::new();
    // The assignment's own programs first, so that their errors show early. They choose
    // their processors themselves, so this run's pinning is suspended.
    let own = cpu::allowed();
    cpu::pin(&session.cpus);
    let further = own_sections::measure(args, &assignment, &folder, &mut remarks)?;
    cpu::pin(&own);
    let mut findings = experiments::run_all(session, settings, &folder, remarks)?;
    findings.took = started.elapsed().as_secs_f64();
    let typed = answers::of(&folder.report, None)?;
    let mut report = Report::new(&findings, assignment, further, typed);
    report.run = Run { report: folder.name_of_report(), measured: date::now(), quick: args.quick };
    let page = folder.report.join(PAGE);
    if let Some(old) = folder.complete(&report.files().map_err(Failure::could_not)?)? {
        note(args, format!("lab run: an earlier report is in {}", old.display()));
    }
    report.warnings().iter().for_each(|warning| note(args, format!("note: {warning}")));
    note(args, format!("lab run: {} is ready; open it in a browser, or print it from there", page.display()));
    Ok(())
}
