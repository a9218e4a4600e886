//! Sections of an assignment that run their own programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ValueEnum;
use common::failure::Failure;
use common::record::Record;
use common::saved::BYTES;
use common::system::files;
use common::text::shorten;
use common::{authentic, encoding};
use report::{Assignment, OwnSection, Section, program};

use super::args::Args;
use super::folder::Folder;

/// A command line whose program was found.
#[derive(Debug)]
pub(super) struct ProgramCall {
    section: String,
    /// The name of its record.
    name: String,
    program: PathBuf,
    words: Vec<String>,
    /// Whether the report is made even if it fails.
    optional: bool,
}

/// Removes the optional sections that this run cannot measure; returns a reason for each, or
/// one for all.
pub(super) fn leave_out(assignment: &mut Assignment, args: &Args) -> Vec<String> {
    let of_all = match (args.quick, args.machine.as_str()) {
        (true, _) => Some("--quick skips them"),
        (false, "host") => None,
        (false, _) => Some("they need a measurement of this machine"),
    };
    let absent = |section: &Section| {
        let mut names = section.run.iter().filter_map(|line| program(line));
        names.find(|name| !place(name).is_ok_and(|path| path.is_file())).map(str::to_owned)
    };
    let (mut titles, mut reasons) = (Vec::new(), Vec::new());
    for section in assignment.sections.clone().into_iter().filter(|section| section.optional) {
        if of_all.is_some() {
            titles.push(section.title);
        } else if let Some(name) = absent(&section) {
            reasons.push(format!(
                "left out: {}; '{name}' is not built; build everything (cargo build --release), and run this again",
                section.title
            ));
        } else {
            continue;
        }
        assignment.leave_out(&section.id);
    }
    let of_all = of_all.filter(|_| !titles.is_empty());
    reasons.extend(of_all.map(|why| format!("left out: {}; {why}", titles.join(", "))));
    reasons
}

/// The command lines of all sections, with the placeholders replaced by this run's machine and
/// source of counts.
///
/// # Errors
///
/// If a program is not in the folder of this one.
pub(super) fn calls(assignment: &Assignment, args: &Args) -> Result<Vec<ProgramCall>, Failure> {
    let counters = args.counters.to_possible_value();
    let counters = counters.as_ref().map_or("", |value| value.get_name());
    let filled = |word: &str| word.replace("{machine}", &args.machine).replace("{counters}", counters);
    let mut calls = Vec::new();
    for own in &assignment.sections {
        for (number, line) in (1..).zip(&own.run) {
            let name = program(line).unwrap_or_default();
            let path = place(name)?;
            if !path.is_file() {
                return Err(Failure::could_not(format!(
                    "section '{}' runs '{name}', and there is no such program in '{}'; build it (cargo build --release), or change the assignment",
                    own.id,
                    path.with_file_name("").display()
                )));
            }
            calls.push(ProgramCall {
                section: own.id.clone(),
                name: format!("{}-{number}", own.id),
                program: path,
                words: line.split_whitespace().skip(1).map(filled).collect(),
                optional: own.optional,
            });
        }
    }
    Ok(calls)
}

/// The path of a program of that name in this program's folder.
fn place(name: &str) -> Result<PathBuf, Failure> {
    let own = std::env::current_exe().map_err(Failure::could_not)?;
    Ok(own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// Runs all of them that are not stored already. Returns the records by section; `remarks`
/// gets the optional ones that failed.
///
/// # Errors
///
/// If another one fails, or a section shows a figure that its records lack.
pub(super) fn measure(
    calls: &[ProgramCall],
    assignment: &Assignment,
    folder: &Folder,
    remarks: &mut Vec<String>,
) -> Result<Vec<OwnSection>, Failure> {
    let mut found: Vec<OwnSection> = Vec::new();
    for call in calls {
        let record = match folder.record(&call.name, || run(call, &folder.temporary("scratch.json"))) {
            Err(why) if call.optional => {
                remarks.push(format!("left out: {why}"));
                continue;
            }
            measured => measured?,
        };
        match found.iter_mut().find(|further| further.section == call.section) {
            Some(further) => further.records.push(record),
            None => found.push(OwnSection { section: call.section.clone(), records: vec![record] }),
        }
    }
    for section in assignment.sections.iter().filter(|section| !section.optional) {
        let further = found.iter().find(|further| further.section == section.id);
        if let Some(lacking) = further.and_then(|further| report::lacking(section, &further.records)) {
            return Err(Failure::could_not(lacking));
        }
    }
    Ok(found)
}

/// The record that a program writes to `place`.
fn run(call: &ProgramCall, place: &Path) -> Result<Record, Failure> {
    let refused = |why: &str| {
        let words = call.words.join(" ");
        let program = call.program.file_stem().unwrap_or_default().to_string_lossy();
        Failure::could_not(format!("section '{}': `{program} {words}` {why}", call.section))
    };
    let ran = Command::new(&call.program)
        .args(&call.words)
        .arg("--record")
        .arg(place)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| refused(&format!("does not start: {error}")))?;
    let text = files::read_at_most(place, BYTES);
    let _ = std::fs::remove_file(place);
    if !ran.status.success() {
        let message = String::from_utf8_lossy(&ran.stderr);
        let last = message.lines().last().unwrap_or("it printed nothing");
        return Err(refused(&format!("failed: {}", shorten(last, 300))));
    }
    let text = text.map_err(|error| refused(&format!("wrote no record: {error}")))?;
    let text =
        encoding::decode(&text).map_err(|why| refused(&format!("wrote a record that is not text: {why}")))?;
    authentic::read(&text).map_err(|error| refused(&format!("wrote a record that cannot be read: {error}")))
}
