//! Prints, saves and draws results.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use figures::text::shorten;
use figures::value::{Reading, Source};
use records::record::{Figure, Record, Row};
use system::files;

use crate::cli::{Format, Output};
use crate::console::print_bytes;
use crate::failure::Failure;

pub use crate::console::{message, print};

/// A program's own lines for its record.
pub type Kit<'k> = &'k dyn Fn(&Record) -> String;

/// The record printed in `format`.
pub fn text(record: &Record, format: Format, kit: Kit<'_>) -> String {
    match format {
        Format::Kit => kit(record),
        Format::Csv => record.csv(),
        Format::Json => record.json() + "\n",
    }
}

/// The long reasons of missing figures that a text has: each is in it once.
#[derive(Debug, Default)]
pub struct Reasons(BTreeSet<String>);

/// Bytes of a reason that may be repeated.
const SHORT: usize = 40;

impl Reasons {
    /// `reading`; if it is missing for a long reason that was used before, "see above" is the reason.
    pub fn once(&mut self, reading: &Reading) -> Reading {
        match reading.reason() {
            Some(reason) if reason.len() > SHORT && !self.0.insert(reason.to_owned()) => {
                Reading::missing("see above")
            }
            _ => reading.clone(),
        }
    }
}

/// In the names of figures, between a cache level and an array: `l1_misses_mul1`.
pub(crate) const BY_ARRAY: &str = "_misses_";

/// `\tof them 97.600000 by page walks` after the misses of a level that the model counted, in millions,
/// if the record has the page table's part of them; else nothing.
pub fn walks(row: &Row, event: &Figure) -> String {
    let name = Some(event.name.as_str()).filter(|_| event.reading.source() == Some(Source::Model));
    let level = name.and_then(|name| name.strip_prefix("PAPI_L")?.strip_suffix("_DCM"));
    let walks = level.and_then(|level| row.amount(&format!("l{level}{BY_ARRAY}page_table")));
    walks.map_or(String::new(), |walks| format!("\tof them {:.6} by page walks", walks * 1e-6))
}

/// The modelled misses of each array, a line for each level.
pub fn misses_by_array(record: &Record) -> String {
    let mut levels: Vec<(String, String)> = Vec::new();
    for figure in record.rows.iter().flat_map(|row| &row.figures) {
        let Some((level, array)) = figure.name.split_once(BY_ARRAY) else { continue };
        let misses = format!("\t{array} {:.0}", figure.reading.amount().unwrap_or_default());
        match levels.last_mut().filter(|(last, _)| last == level) {
            Some((_, line)) => *line += &misses,
            None => levels.push((level.to_owned(), misses)),
        }
    }
    if levels.is_empty() {
        return "Misses by array: not counted (only the cache model knows arrays; add --counters model)\n"
            .to_owned();
    }
    let line = |(level, misses): (String, String)| {
        format!("{} misses by array:{misses}\tsource=model\n", level.to_uppercase())
    };
    levels.into_iter().map(line).collect()
}

/// Standard output, as the name of a file.
const STDOUT: &str = "-";

/// Checks the files to write before anything is measured: each can be written, and none is
/// in `read` or named twice. `-` is standard output, for one result only.
/// Fails if a file cannot be written, or two results would go to one place; the sentence names it.
pub fn prepare<'p>(read: impl IntoIterator<Item = &'p Path>, options: &'p Output) -> Result<(), Failure> {
    check_distinct(read, options.files())?;
    if options.format != Format::Kit && options.prints_a_file() {
        return Err(Failure::usage(
            "- is standard output, which --format already prints to; give a file, or leave out --format",
        ));
    }
    if options.chart.is_some() {
        next_to_this("lab")?;
    }
    for path in options.files().filter(|path| *path != Path::new(STDOUT)) {
        files::try_place(path).map_err(Failure::could_not)?;
    }
    Ok(())
}

/// The lines of a sweep, printed one by one while it runs. An error of printing is reported
/// at the end, after the results are saved.
#[derive(Debug)]
pub struct Lines {
    wanted: bool,
    printed: Result<(), Failure>,
}

impl Lines {
    /// Prints lines if `--format` is `kit`.
    pub fn of(options: &Output) -> Lines {
        Lines { wanted: options.format == Format::Kit && !options.prints_a_file(), printed: Ok(()) }
    }

    /// Prints a line.
    pub fn print(&mut self, line: &str) {
        if self.wanted && self.printed.is_ok() {
            // In the place of a progress line.
            if stderr().is_terminal() {
                let _ = write!(stderr(), "\r\x1b[K");
            }
            self.printed = print(&format!("{line}\n"));
        }
    }

    /// Saves the record and its chart as the options say, and prints it if it was not
    /// printed line by line.
    /// Fails if a file or standard output cannot be written, or the chart not be drawn.
    pub fn finish(self, record: &Record, options: &Output) -> Result<(), Failure> {
        finish(record, options, &|_| String::new())?;
        self.printed
    }
}

/// Saves the record and its chart as the options say, then prints it, unless one of these
/// was printed: if printing fails, nothing is lost.
/// Fails if a file or standard output cannot be written, or the chart not be drawn.
pub fn finish(record: &Record, options: &Output, kit: Kit<'_>) -> Result<(), Failure> {
    if let Some(path) = &options.record {
        save(record, path)?;
    }
    if let Some(path) = &options.chart {
        draw(record, path)?;
    }
    if options.prints_a_file() {
        return Ok(());
    }
    let text = text(record, options.format, kit);
    if text.trim().is_empty() && options.format != Format::Kit {
        return Err(Failure::could_not(NOTHING));
    }
    print(&text)
}

/// Why a record is neither printed nor saved.
const NOTHING: &str = "the record cannot be written: its figures are no JSON or CSV; please report this";

/// Saves the record as JSON.
/// Fails if the file cannot be written.
pub fn save(record: &Record, path: &Path) -> Result<(), Failure> {
    let json = record.json();
    if json.is_empty() { Err(Failure::could_not(NOTHING)) } else { write(path, json.as_bytes()) }
}

/// Draws a record's chart into the file `path`, by `lab plot`: programs that measure draw nothing
/// themselves, so that they are built without what drawing needs.
fn draw(record: &Record, path: &Path) -> Result<(), Failure> {
    let failed = |why: &str| Failure::could_not(format!("the chart was not drawn: {why}"));
    let mut command = Command::new(next_to_this("lab")?);
    command.args(["plot", "-", "--output"]).arg(path).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut plot = command.spawn().map_err(|error| failed(&format!("lab does not start: {error}")))?;
    // A refusal is what `plot` itself says of it, below.
    let _ = plot.stdin.take().map(|mut pipe| pipe.write_all(record.json().as_bytes()));
    let done = plot.wait_with_output().map_err(|error| failed(&error.to_string()))?;
    let said = String::from_utf8_lossy(&done.stderr);
    if done.status.success() { Ok(()) } else { Err(failed(&shorten(said.trim(), 600))) }
}

/// The program called `name` in this program's folder.
/// Fails if it is not there; the sentence says how it is built.
pub fn next_to_this(name: &str) -> Result<PathBuf, Failure> {
    let own = std::env::current_exe().map_err(Failure::could_not)?;
    let path = own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if path.is_file() {
        return Ok(path);
    }
    let folder = path.with_file_name("");
    Err(Failure::could_not(format!(
        "the program '{name}' is needed and not in '{}'; build everything (cargo build --release), and run this again",
        folder.display()
    )))
}

/// Writes a file atomically; `-` is standard output.
/// Fails if the folder cannot be written to; the sentence names the file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path == Path::new(STDOUT) {
        return print_bytes(bytes);
    }
    files::write_atomically(path, bytes).map_err(Failure::could_not)
}

/// Prints the first three remarks on a file, and how many more there are, to stderr.
pub fn notes(notes: &[String], program: &str) {
    for note in notes.iter().take(3) {
        message(format!("{program}: {note}"));
    }
    if notes.len() > 3 {
        message(format!("{program}: and {} more of the kind", notes.len() - 3));
    }
}

/// Refuses to overwrite a file that is also read, or to write two results to one file.
/// Fails if two of the paths are the same file; the sentence names it.
pub fn check_distinct<'p>(
    read: impl IntoIterator<Item = &'p Path>,
    written: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Failure> {
    // As an input, - is standard input.
    let read = read.into_iter().filter(|path| *path != Path::new(STDOUT));
    let read: Vec<PathBuf> = read.filter_map(|path| path.canonicalize().ok()).collect();
    let mut places: Vec<PathBuf> = Vec::new();
    for path in written {
        let (place, name) = match path.to_str() {
            Some(STDOUT) => (path.to_owned(), "standard output".to_owned()),
            _ => (place(path), crate::input::name(path)),
        };
        if read.contains(&place) {
            return Err(Failure::usage(format!(
                "{name} is an input file, and the output would replace it; choose another file for the output"
            )));
        }
        if places.contains(&place) {
            return Err(Failure::usage(format!(
                "two results would be written to {name}; choose different files"
            )));
        }
        places.push(place);
    }
    Ok(())
}

/// The canonical path of a file, which need not exist.
fn place(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let there = || Some(parent.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(there).unwrap_or_else(|| path.to_owned())
}

/// A folder for the files of one program, tested before anything is measured.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    made: bool,
}

impl Folder {
    /// Makes the folder, if there is none, and tests that files can be written.
    /// Fails if it cannot be written to; the sentence names it.
    pub fn prepare(path: &Path) -> Result<Folder, Failure> {
        if path == Path::new(STDOUT) {
            return Err(Failure::usage("- is standard output, and several files are written; give a folder"));
        }
        let folder = Folder { path: path.to_owned(), made: !path.exists() };
        std::fs::create_dir_all(path).map_err(|error| {
            let name = crate::input::name(path);
            Failure::could_not(format!(
                "cannot make the folder '{name}': {error}; choose another with --output"
            ))
        })?;
        files::try_place(&path.join("tried")).map_err(Failure::could_not)?;
        Ok(folder)
    }

    /// Writes all files, by their names. Files of an earlier run in `former` that are not among them are
    /// removed: they are no results of this run.
    /// Fails if the folder is full or was removed, or a file cannot be removed; the sentence names
    /// the file.
    pub fn fill(&self, named: Vec<(String, Vec<u8>)>, former: &[String]) -> Result<(), Failure> {
        let stale: Vec<_> = former.iter().filter(|old| named.iter().all(|(new, _)| new != *old)).collect();
        let placed: Vec<_> = named.into_iter().map(|(name, bytes)| (self.path.join(name), bytes)).collect();
        placed
            .iter()
            .try_for_each(|(path, bytes)| files::write_atomically(path, bytes))
            .map_err(Failure::could_not)?;
        for name in stale {
            let path = self.path.join(name);
            match std::fs::remove_file(&path) {
                Ok(()) => message(format!("note: {name} of an earlier run was removed")),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(Failure::could_not(format!(
                        "'{}' is of an earlier run and cannot be removed: {error}; choose another folder with --output",
                        crate::input::name(&path)
                    )));
                }
            }
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.made {
            // Only an empty folder can be removed like this.
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_is_used_once() {
        let [none, long] =
            ["--counters none", "this machine has no hardware counters; use the model"].map(Reading::missing);
        let mut reasons = Reasons::default();
        let mut printed = |reading: &Reading| reasons.once(reading).to_string();
        assert_eq!(
            [printed(&long), printed(&long)],
            [long.to_string(), "not counted (see above)".to_owned()]
        );
        assert_eq!([printed(&none), printed(&none)], [none.to_string(), none.to_string()]);
        let counted = Reading::new(2.0, Source::Model);
        assert_eq!(printed(&counted), counted.to_string());
    }
}
