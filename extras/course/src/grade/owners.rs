//! Decides which student a submission belongs to, exactly or not at all, and which one counts.
//!
//! The instructor's `map.csv` decides, or the collecting system's own number of the student;
//! else the name of the folder or file, if it is the name of one student or one group.
//! Everything else is unresolved: the instructor completes `map.csv`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::failure::Failure;
use common::text::{is_unprintable, shorten};

use super::Course;
use super::evidence::Submission;
use super::note::Note;
use crate::class::Class;
use crate::systems::Label;
use crate::tables::{Row, Table, cell, plain};

/// What the instructor writes in `map.csv` for a submission that does not count.
const NOBODY: &str = "-";

/// `map.csv`: what the instructor decided, by the names of submissions.
pub(super) struct Map {
    table: Table,
    /// By submission: its students, or that it is not decided yet.
    decided: BTreeMap<String, Option<BTreeSet<usize>>>,
}

impl Map {
    /// Reads it, if it is there.
    /// Fails if it is not such a table, or a row does not mean one student.
    pub(super) fn read(path: &Path, class: &Class) -> Result<Map, Failure> {
        if path.is_file() {
            return Table::read_with(path, |table| Map::of(table, class));
        }
        let empty = Table::parse("submission,signed,student\n");
        empty.and_then(|table| Map::of(table, class)).map_err(Failure::could_not)
    }

    fn of(table: Table, class: &Class) -> Result<Map, String> {
        let (submission, student) = (table.needed(&["submission"], "")?, table.needed(&["student"], "")?);
        let mut decided = BTreeMap::<String, Option<BTreeSet<usize>>>::new();
        for row in &table.rows {
            let (submission, name) = (key(plain(row.cell(submission))), row.cell(student));
            let known = decided.entry(submission.clone()).or_default();
            if name.is_empty() {
                continue;
            }
            // A row for each of several students is of a group.
            if known.as_ref().is_some_and(|known| known.is_empty() != (name == NOBODY)) {
                return Err(format!("'{}' is in two rows; leave one", shorten(&submission, 60)));
            }
            let known = known.get_or_insert_default();
            if name != NOBODY {
                known.insert(class.by_name(class.header(), name).ok_or_else(|| {
                    format!("'{}' is not the name of one student; write it as in the roster, or '{NOBODY}' for nobody", shorten(name, 60))
                })?);
            }
        }
        Ok(Map { table, decided })
    }

    /// The decisions on names that no submission has.
    pub(super) fn unknown(&self, submissions: &BTreeSet<String>) -> Option<Note> {
        let known: BTreeSet<String> = submissions.iter().map(|name| key(name)).collect();
        let decided = self.decided.iter().filter(|(name, whose)| whose.is_some() && !known.contains(*name));
        let unknown = decided.map(|(name, _)| format!("'{}'", shorten(name, 60)));
        Note::about("map.csv: names of no submission", unknown)
    }

    /// The table as it is, with a row for each unresolved submission that it lacks, to be
    /// completed.
    pub(super) fn text(&self, submissions: &[Submission]) -> String {
        let open = submissions.iter().filter(|one| one.owner.is_err());
        let missing = open.filter(|one| !self.decided.contains_key(&key(&one.name))).map(|one| {
            let of_column = |name: &String| match name.trim().to_lowercase().as_str() {
                "submission" => cell(&key(&one.name)),
                "signed" => cell(&shorten(&one.signed().join(" "), 100)),
                _ => String::new(),
            };
            Row { cells: self.table.header.iter().map(of_column).collect(), ..Row::default() }
        });
        self.table.text(&missing.collect::<Vec<Row>>())
    }
}

/// A submission's name as a table keeps it: no blanks around it, and no character that a
/// terminal obeys.
fn key(name: &str) -> String {
    name.trim().replace(is_unprintable, "\u{fffd}")
}

/// The students whose submission it is; none if the instructor has said so. Or a clause
/// that says why nobody knows.
pub(super) type Owner = Result<BTreeSet<usize>, String>;

/// What counts for one student, or why there cannot be a grade; a clause.
pub(super) type Counting<'s> = Result<Option<&'s Submission>, String>;

impl Course<'_> {
    /// What the map says of the submission with that name, else the owner that was `found`.
    pub(super) fn decided(&self, name: &str, found: Owner) -> Owner {
        match self.map.decided.get(&key(name)) {
            Some(Some(decided)) => Ok(decided.clone()),
            _ => found,
        }
    }

    /// The owners by a system's number, else by the name of a folder or file, in several forms.
    pub(super) fn labelled(&self, label: &Label) -> Owner {
        if let Some(students) = label.number.as_ref().and_then(|number| self.class.numbers.get(number)) {
            return Ok(students.clone());
        }
        let mut groups = label.names.iter().map(|name| self.class.group_named(name));
        if let Some(members) = groups.find(|members| !members.is_empty()) {
            return Ok(members);
        }
        let students = label.names.iter().flat_map(|name| self.class.named(name)).collect();
        self.one(students, "is the name of no student")
    }

    /// The owner, if there is only one among the students.
    pub(super) fn one(&self, students: BTreeSet<usize>, nobody: &str) -> Owner {
        match students.len() {
            0 => Err(nobody.to_owned()),
            1 => Ok(students),
            _ => {
                let names = students.iter().take(4).map(|student| self.class.shown(*student));
                Err(format!("may be the name of {}", names.collect::<Vec<_>>().join(", ")))
            }
        }
    }

    /// What counts for each student of the class; a student without answers gets the group's.
    pub(super) fn counting<'s>(&self, all: &'s [Submission]) -> Vec<Counting<'s>> {
        let of_student = |student: usize| {
            let group = self.class.group(student);
            let own = || all.iter().filter(|one| one.is_of(student));
            let of_group = all.iter().filter(|one| group.iter().any(|member| one.is_of(*member)));
            let mut found: Vec<&Submission> = own().filter(|one| !one.is_empty()).collect();
            if found.is_empty() {
                found = of_group.filter(|one| !one.is_empty()).collect();
            }
            if found.is_empty() {
                found = own().collect();
            }
            if found.len() < 2 {
                return Ok(found.pop());
            }
            let names: Vec<String> =
                found.iter().take(6).map(|one| format!("'{}'", shorten(&one.name, 60))).collect();
            Err(format!(
                "there are {} submissions ({}); write '{NOBODY}' for those that do not count in map.csv",
                found.len(),
                names.join(", ")
            ))
        };
        (0..self.class.names.len()).map(of_student).collect()
    }
}
