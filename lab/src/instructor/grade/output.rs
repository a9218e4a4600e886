//! The files of a graded class, and how they replace those of an earlier run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use common::failure::Failure;
use common::output;
use common::text::{counted, inert, shorten};
use serde_json::{Value, json};

use super::class::Class;
use super::grader::{Graded, decimal};
use super::owners::Unresolved;
use super::reason::Reason;
use super::rubric::{Item, Rubric};
use crate::book::markdown::escaped;
use crate::instructor::names;
use crate::instructor::tables::csv;

/// Names in the folder of `--output`.
pub(super) const GRADES: &str = "grades.csv";
pub(super) const MAP: &str = "map.csv";
pub(super) const MOODLE: &str = "moodle.csv";
pub(super) const WRITTEN: [&str; 5] = [GRADES, MAP, MOODLE, "grades.json", "texts.html"];
/// Tags of the files that the last run wrote.
const FORMER: &str = ".lab-grade.json";

/// The files of one run, by their names in the folder of `--output`.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Writes the files. A file that is not as the last run wrote it is moved to another name
/// first; files of that run that this one does not have are removed. Returns notes on both.
///
/// # Errors
///
/// If the folder cannot be written to.
pub(super) fn write(folder: &Path, files: &Files) -> Result<Vec<String>, Failure> {
    let place = |name: &str| folder.join(name);
    let tag = |bytes: &[u8]| seal::tag("output", &[bytes]);
    let former = fs::read(place(FORMER)).unwrap_or_default();
    let former: BTreeMap<String, String> = serde_json::from_slice(&former).unwrap_or_default();
    let (mut notes, mut removed) = (Vec::new(), Vec::new());
    for name in files.keys().chain(former.keys()).collect::<BTreeSet<_>>() {
        let Ok(there) = fs::read(place(name)) else { continue };
        if files.get(name) == Some(&there) {
            continue;
        }
        if former.get(name) != Some(&tag(&there)) {
            let kept = keep(&place(name))?;
            notes.push(format!(
                "{name} was changed since the last run, or is not of lab grade; it is now {kept}"
            ));
        } else if !files.contains_key(name) {
            fs::remove_file(place(name)).map_err(|error| {
                Failure::could_not(format!("cannot remove '{}': {error}", place(name).display()))
            })?;
            place(name).parent().map(fs::remove_dir);
            removed.push(name.as_str());
        }
    }
    if !removed.is_empty() {
        let shown = removed[..removed.len().min(10)].join(", ");
        let files = counted(removed.len(), "file");
        notes.push(format!("removed {files} of the last run that no longer belong: {shown}"));
    }
    for (name, bytes) in files {
        let path = place(name);
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| {
            Failure::could_not(format!("cannot make the folder of '{}': {error}", path.display()))
        })?;
        if name.contains('/') {
            // up to a thousand files that can be written again: no need to sync each to disk
            let part = path.with_extension("part");
            fs::write(&part, bytes)
                .and_then(|()| fs::rename(&part, &path))
                .map_err(|error| Failure::could_not(format!("cannot write '{}': {error}", path.display())))?;
        } else {
            output::write(&path, bytes)?;
        }
    }
    let tags: BTreeMap<&String, String> = files.iter().map(|(name, bytes)| (name, tag(bytes))).collect();
    output::write(&place(FORMER), json!(tags).to_string().as_bytes())?;
    Ok(notes)
}

/// Moves a file to the first free name `NAME-earlier.csv`, `NAME-earlier-2.csv`; returns
/// that name.
fn keep(path: &Path) -> Result<String, Failure> {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = (part(path.file_stem()), part(path.extension()));
    let name = |number: u32| match number {
        1 => format!("{stem}-earlier.{ending}"),
        _ => format!("{stem}-earlier-{number}.{ending}"),
    };
    let free = (1..).map(name).find(|name| fs::symlink_metadata(path.with_file_name(name)).is_err());
    let free = free.unwrap_or_default();
    fs::rename(path, path.with_file_name(&free)).map_err(|error| {
        Failure::could_not(format!("cannot move '{}' to {free}: {error}", path.display()))
    })?;
    Ok(free)
}

/// What the outputs show.
pub(super) struct Shown<'s> {
    pub(super) rubric: &'s Rubric,
    pub(super) class: &'s Class,
    pub(super) graded: &'s [Graded],
}

impl Shown<'_> {
    fn students(&self) -> impl Iterator<Item = (&str, &Graded)> {
        self.class.names.iter().map(String::as_str).zip(self.graded)
    }

    /// All files but the worksheet and the map.
    pub(super) fn files(&self, unresolved: &[Unresolved]) -> Files {
        let files = [(GRADES, self.csv()), ("grades.json", self.json(unresolved))];
        let files = files.into_iter().chain(self.texts().map(|page| ("texts.html", page)));
        let files = files.map(|(name, text)| (name.to_owned(), text));
        files.chain(self.results()).map(|(name, text)| (name, text.into_bytes())).collect()
    }

    /// The overview that is printed: a line for each student, then the mean.
    pub(super) fn text(&self) -> String {
        let mut lines = vec!["points\tof\tstudent\tnotes".to_owned()];
        for (name, graded) in self.students() {
            let points = if graded.refused.is_some() { "-".to_owned() } else { decimal(graded.points()) };
            let (most, notes) = (decimal(graded.most()), shorten(&graded.all_notes(), 400));
            lines.push(format!("{points}\t{most}\t{}\t{notes}", shorten(name, 60)));
        }
        let counted: Vec<f64> =
            self.graded.iter().filter(|graded| graded.refused.is_none()).map(Graded::points).collect();
        if !counted.is_empty() {
            let mean = counted.iter().sum::<f64>() / counted.len() as f64;
            let (most, title) = (decimal(self.rubric.most()), shorten(&self.rubric.title, 60));
            lines.push(format!("{mean:.2}\t{most}\tmean of {}\t{title}", counted.len()));
        }
        lines.join("\n") + "\n"
    }

    /// `grades.csv`: a row for each student; for each item what counts, what the program
    /// computed, why, the answer and the right value.
    fn csv(&self) -> String {
        let mut header =
            ["points", "max_points", "late_hours", "submission", "notes"].map(str::to_owned).to_vec();
        header.insert(0, self.class.header().to_owned());
        for item in &self.rubric.items {
            header.extend(
                ["points", "computed", "reason", "answer", "right"].map(|what| format!("{}_{what}", item.id)),
            );
        }
        let row = |(name, graded): (&str, &Graded)| {
            let refused = graded.refused.is_some();
            let mut row = vec![
                name.to_owned(),
                if refused { "-".to_owned() } else { decimal(graded.points()) },
                decimal(graded.most()),
                graded.late.map_or(String::new(), decimal),
                graded.source.clone().unwrap_or_default(),
                graded.all_notes(),
            ];
            for mark in &graded.marks {
                let reason = if refused { String::new() } else { mark.reason.english() };
                let given = mark.reason == Reason::GivenByInstructor;
                row.extend([
                    if given || !refused && !mark.unread { decimal(mark.points) } else { String::new() },
                    mark.computed.filter(|_| !refused).map_or(String::new(), decimal),
                    reason,
                    mark.answer.clone(),
                    mark.expected.map_or(String::new(), |value| value.to_string()),
                ]);
            }
            row
        };
        csv(std::iter::once(header).chain(self.students().map(row)))
    }

    /// `grades.json`: the same as data.
    fn json(&self, unresolved: &[Unresolved]) -> String {
        let student = |(name, graded): (&str, &Graded)| {
            let items = self.rubric.items.iter().zip(&graded.marks).map(|(item, mark)| {
                json!({
                    "id": item.id, "label": item.label, "points": (!mark.unread).then_some(mark.points),
                    "computed": mark.computed, "max_points": mark.most, "reason": mark.reason.english(),
                    "feedback": mark.reason.text(&self.rubric.words), "answer": mark.answer, "right": mark.expected,
                })
            });
            json!({
                "student": name, "submission": graded.source, "refused": graded.refused,
                "points": graded.refused.is_none().then(|| graded.points()), "max_points": graded.most(),
                "late_hours": graded.late, "notes": graded.notes.iter().map(Reason::english).collect::<Vec<_>>(),
                "remarks": graded.remarks, "items": items.collect::<Vec<_>>(),
            })
        };
        let unresolved =
            unresolved.iter().map(|one| json!({ "submission": one.submission, "reason": one.why }));
        let (title, unresolved) = (json!(self.rubric.title), unresolved.collect::<Value>());
        // A line for each student: all at once would take 50 MiB for a thousand.
        let students: Vec<String> = self.students().map(|one| student(one).to_string()).collect();
        format!(
            "{{\"schema\": \"cache-lab-kit/grades/1\", \"title\": {title}, \"unresolved\": {unresolved}, \"students\": [\n{}\n]}}\n",
            students.join(",\n")
        )
    }

    /// Gradescope's results.json for each student with a grade, by its path.
    fn results(&self) -> impl Iterator<Item = (String, String)> {
        let graded = self.students().filter(|(_, graded)| graded.refused.is_none());
        graded.map(|(name, graded)| {
            let path = format!("gradescope/{}/results.json", names::file_stem(name));
            (path, format!("{:#}\n", self.gradescope(graded)))
        })
    }

    fn gradescope(&self, graded: &Graded) -> Value {
        let words = &self.rubric.words;
        let tests = self.rubric.items.iter().zip(&graded.marks).filter_map(|(item, mark)| {
            let (most, points) = (graded.share * mark.most?, graded.share * mark.points);
            Some(json!({
                "name": item.label, "score": points, "max_score": most,
                "status": if points == most { "passed" } else { "failed" },
                "output": mark.reason.text(words), "output_format": "text", "visibility": "after_published",
            }))
        });
        let notes: Vec<String> = graded.notes.iter().map(|note| note.text(words)).collect();
        json!({
            "score": graded.points(), "output": notes.join("\n"), "output_format": "text",
            "visibility": "after_published", "tests": tests.collect::<Vec<_>>(),
        })
    }

    /// A page with all texts that the instructor has to read; `None` if there are none.
    fn texts(&self) -> Option<String> {
        let of_item = |(place, item): (usize, &Item)| {
            let shown = |mark: &super::judge::Mark| !mark.answer.is_empty() && (item.by_hand || mark.unread);
            let texts = self.students().filter(|(_, graded)| shown(&graded.marks[place]));
            let texts =
                texts.map(|(name, graded)| text(name, item, &graded.marks[place])).collect::<String>();
            let (label, id) = (escaped(&item.label), escaped(&item.id));
            (!texts.is_empty()).then(|| format!("<h2>{label} ({id} of {} points)</h2>\n{texts}", item.points))
        };
        let items: String = self.rubric.items.iter().enumerate().filter_map(of_item).collect();
        (!items.is_empty()).then(|| format!("{PAGE}{items}</body></html>\n"))
    }
}

const PAGE: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
    <title>Texts to read</title>\n<style>body { font: 16px/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; } \
    blockquote { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0 1rem; padding-left: 1rem; border-left: 3px solid #cfd5db; } \
    h3 { font-size: 1rem; margin: 1rem 0 0; }</style></head><body>\n<h1>Texts to read</h1>\n";

/// One student's text; white space stays, control characters do not.
fn text(name: &str, item: &Item, mark: &super::judge::Mark) -> String {
    let points = if item.read && !mark.unread {
        format!(" · {} points", decimal(mark.points))
    } else {
        String::new()
    };
    let lines: Vec<String> = mark.answer.lines().map(|line| escaped(&shorten(line, 20_000))).collect();
    let name = escaped(&shorten(&inert(name), 100));
    format!("<h3>{name}{points}</h3>\n<blockquote>{}</blockquote>\n", lines.join("\n"))
}
