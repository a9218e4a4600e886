//! The files of a graded class, and how they replace those of an earlier run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use common::failure::Failure;
use common::output;
use common::text::{inert, shorten};

use super::grader::{Graded, decimal};
use super::judge::Mark;
use super::note::Note;
use super::reason::Reason;
use super::rubric::Item;
use super::texts::{TEXTS, equal, number};
use super::{Course, class::Class};
use crate::systems::SYSTEMS;
use crate::tables::{Table, csv};
use report::escaped;

/// Names in the folder of `--output`.
pub(super) const GRADES: &str = "grades.csv";
pub(super) const MAP: &str = "map.csv";
pub(super) const NOTES: &str = "notes.txt";
const PAGE: &str = "texts.html";

/// The files of one run, by their names in the folder of `--output`.
pub(super) type Files = BTreeMap<&'static str, Vec<u8>>;

/// Writes the files. Those of the last run, which a person may have changed, are moved into
/// the first free folder `earlier/1`, `earlier/2` …; returns it.
/// Fails if the folder cannot be written to.
pub(super) fn write(folder: &Path, files: &Files) -> Result<Option<PathBuf>, Failure> {
    let written = [GRADES, NOTES, PAGE, TEXTS].into_iter().chain(SYSTEMS.map(|system| system.file));
    let former = written.filter(|name| fs::symlink_metadata(folder.join(name)).is_ok());
    let former: Vec<&str> = former.collect();
    let mut numbers = (1..).map(|number: u32| folder.join("earlier").join(number.to_string()));
    let earlier = numbers.find(|path| fs::symlink_metadata(path).is_err()).filter(|_| !former.is_empty());
    if let Some(earlier) = &earlier {
        fs::create_dir_all(earlier).map_err(|error| failed(earlier, error))?;
        for name in former {
            let (from, to) = (folder.join(name), earlier.join(name));
            // The points in it are read again, also if this run is interrupted.
            let moved = if name == TEXTS { fs::copy(&from, &to).map(|_| ()) } else { fs::rename(&from, &to) };
            moved.map_err(|error| failed(&to, error))?;
        }
    }
    files.iter().try_for_each(|(name, bytes)| write_one(folder, name, bytes))?;
    if !files.contains_key(TEXTS) && folder.join(TEXTS).exists() {
        fs::remove_file(folder.join(TEXTS)).map_err(|error| failed(folder, error))?;
    }
    Ok(earlier)
}

/// Writes one file of the folder.
pub(super) fn write_one(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let path = folder.join(name);
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| failed(&path, error))?;
    output::write(&path, bytes)
}

fn failed(path: &Path, error: io::Error) -> Failure {
    Failure::could_not(format!("cannot write into '{}': {error}", path.display()))
}

/// What the outputs show.
pub(super) struct GradedClass<'s> {
    pub(super) course: &'s Course<'s>,
    pub(super) graded: &'s [Graded],
}

impl GradedClass<'_> {
    fn students(&self) -> impl Iterator<Item = (&str, &Graded)> {
        self.course.class.names.iter().map(String::as_str).zip(self.graded)
    }

    /// The overview that is printed: a line for each student.
    pub(super) fn text(&self) -> String {
        let mut lines = vec!["points\tof\tstudent\tnotes".to_owned()];
        for (name, graded) in self.students() {
            let (name, notes) = (shorten(name, 60), shorten(&graded.all_notes(), 400));
            lines.push(format!("{}\t{}\t{name}\t{notes}", graded.shown(), decimal(graded.most())));
        }
        lines.join("\n") + "\n"
    }

    /// `grades.csv`: a row for each student; for each item points, reason, answer and the right
    /// value.
    pub(super) fn csv(&self) -> String {
        let mut header = vec![self.course.class.header().to_owned()];
        header.extend(["points", "max_points", "submission", "notes"].map(str::to_owned));
        for item in &self.course.rubric.items {
            header.extend(["points", "reason", "answer", "right"].map(|what| format!("{}_{what}", item.id)));
        }
        let row = |(name, graded): (&str, &Graded)| {
            let mut row = vec![
                name.to_owned(),
                graded.shown(),
                decimal(graded.most()),
                graded.source.clone().unwrap_or_default(),
                graded.all_notes(),
            ];
            for mark in &graded.marks {
                let counts = mark.reason == Reason::GivenByInstructor || graded.refused.is_none();
                row.extend([
                    if counts && !mark.unread { decimal(mark.points) } else { String::new() },
                    if counts { mark.reason.to_string() } else { String::new() },
                    mark.answer.clone(),
                    mark.right.map_or(String::new(), |value| value.to_string()),
                ]);
            }
            row
        };
        csv(std::iter::once(header).chain(self.students().map(row)))
    }

    /// `texts.html`: the texts of `texts.csv` to read on a page; `None` if there are none.
    pub(super) fn page(&self) -> Option<(&'static str, Vec<u8>)> {
        let of_item = |(place, item): (usize, &Item)| {
            let is_shown = |mark: &Mark| !mark.answer.is_empty() && (item.by_hand() || mark.unread);
            let marks = self.students().map(|(name, graded)| (name, &graded.marks[place]));
            let texts = marks.filter(|(_, mark)| is_shown(mark)).map(|(name, mark)| text(name, mark));
            let (label, id, texts) = (escaped(&item.label), escaped(&item.id), texts.collect::<String>());
            (!texts.is_empty()).then(|| format!("<h2>{label} ({id} of {} points)</h2>\n{texts}", item.points))
        };
        let items: String = self.course.rubric.items.iter().enumerate().filter_map(of_item).collect();
        (!items.is_empty()).then(|| (PAGE, format!("{HEAD}{items}</body></html>\n").into_bytes()))
    }
}

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
    <title>Texts to read</title>\n<style>body { font: 16px/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; } \
    blockquote { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid #cfd5db; padding-left: 1rem; }\
    </style></head><body>\n<h1>Texts to read</h1>\n";

/// One student's text; white space stays, control characters do not.
fn text(name: &str, mark: &Mark) -> String {
    let is_read = mark.max_points.is_some() && !mark.unread;
    let points = if is_read { format!(" · {} points", decimal(mark.points)) } else { String::new() };
    let lines: Vec<String> = mark.answer.lines().map(|line| escaped(&shorten(line, 20_000))).collect();
    let name = escaped(&shorten(&inert(name), 100));
    format!("<h3>{name}{points}</h3>\n<blockquote>{}</blockquote>\n", lines.join("\n"))
}

/// The students with other points than in the `grades.csv` at `path`, which an earlier run
/// wrote and a person may have changed.
pub(super) fn changes(path: &Path, now: &str, class: &Class) -> Option<Note> {
    let tables = [Table::read(path).ok()?, Table::parse(now).ok()?];
    let rows = tables.each_ref().map(|table| class.join(&table.header[..1], &[])?.rows(table));
    let [Ok(before), Ok(after)] = &rows else { return None };
    let [old, new] = &tables;
    let is_points = |name: &str| name == "points" || name.ends_with("_points") && name != "max_points";
    let columns = new.header.iter().enumerate().filter(|(_, name)| is_points(name));
    let columns: Vec<(usize, usize)> =
        columns.filter_map(|(at, name)| Some((old.column(&[name]).ok()??, at))).collect();
    let change = |student: usize| {
        let (old_row, new_row) = (&old.rows[*before.get(&student)?], &new.rows[*after.get(&student)?]);
        columns.iter().find_map(|(from, to)| {
            let (was, is) = (number(old_row.cell(*from))?, number(new_row.cell(*to)));
            let name = new.header[*to].strip_suffix("_points").map_or(String::new(), |id| format!("{id}: "));
            let shown = is.map_or("none".to_owned(), |is| is.to_string());
            (!is.is_some_and(|is| equal(was, is)))
                .then(|| format!("{} ({name}{was} to {shown})", class.shown(student)))
        })
    };
    Note::about("other points than in the earlier grades.csv", (0..class.names.len()).filter_map(change))
}
