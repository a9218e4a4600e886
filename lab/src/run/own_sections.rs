//! Sections of an assignment that run their own programs.

use std::path::Path;
use std::process::{Command, Stdio};

use common::failure::Failure;
use common::record::Record;
use common::text::shorten;
use common::{authentic, cli, input, output};
use report::{Assignment, OwnRecord, Section, program};

use super::args::Args;
use super::folder::Folder;

/// Removes the optional sections if this run cannot measure them; returns the reason.
pub(super) fn leave_out(assignment: &mut Assignment, args: &Args) -> Option<String> {
    let why = match (args.quick, args.machine.as_str()) {
        (true, _) => "--quick skips them",
        (false, "host") => return None,
        (false, _) => "they need a measurement of this machine",
    };
    let mut titles = Vec::new();
    for section in assignment.sections.clone().into_iter().filter(|section| section.optional) {
        assignment.leave_out(&section.id);
        titles.push(section.title);
    }
    (!titles.is_empty()).then(|| format!("left out: {}; {why}", titles.join(", ")))
}

/// Runs the programs of all sections; `remarks` gets the optional ones that failed.
/// Fails if another one fails, or a section shows a figure that its records lack.
pub(super) fn measure(
    args: &Args,
    assignment: &Assignment,
    folder: &Folder,
    remarks: &mut Vec<String>,
) -> Result<Vec<OwnRecord>, Failure> {
    let mut found = Vec::new();
    for own in &assignment.sections {
        for (number, line) in (1..).zip(&own.run) {
            let name = format!("{}-{number}", own.id);
            match folder.record(&name, || run(args, own, line, &folder.temporary("scratch.json"))) {
                Ok(record) => found.push(OwnRecord { section: own.id.clone(), name, record }),
                Err(why) if own.optional => remarks.push(format!("left out: {why}")),
                Err(why) => return Err(why),
            }
        }
    }
    let lacking = |section| report::lacking(section, &found);
    match assignment.sections.iter().filter(|section| !section.optional).find_map(lacking) {
        Some(lacking) => Err(Failure::could_not(lacking)),
        None => Ok(found),
    }
}

/// The record that a program in this program's folder writes to `place`; placeholders of its command line are replaced by
/// this run's machine and source of counts.
fn run(args: &Args, section: &Section, line: &str, place: &Path) -> Result<Record, Failure> {
    let refused = |why: &str| Failure::could_not(format!("section '{}': `{line}` {why}", section.id));
    let counters = cli::name_of(&args.counters);
    let filled = |word: &str| word.replace("{machine}", &args.machine).replace("{counters}", &counters);
    let program = output::next_to_this(program(line).unwrap_or_default());
    let mut command = Command::new(program.map_err(|why| refused(&why.to_string()))?);
    command.args(line.split_whitespace().skip(1).map(filled)).arg("--record").arg(place);
    let ran = command.stdin(Stdio::null()).stdout(Stdio::null()).output();
    let ran = ran.map_err(|error| refused(&format!("does not start: {error}")))?;
    let text = input::text(place);
    let _ = std::fs::remove_file(place);
    if !ran.status.success() {
        let printed = String::from_utf8_lossy(&ran.stderr);
        let last = printed.lines().last().unwrap_or("it printed nothing");
        return Err(refused(&format!("failed: {}", shorten(last, 300))));
    }
    let text = text.map_err(|error| refused(&format!("wrote no record: {error}")))?;
    authentic::read(&text).map_err(|error| refused(&format!("wrote a record that cannot be read: {error}")))
}
