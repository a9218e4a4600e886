//! Decides which student a submission belongs to: exactly, or not at all.
//!
//! The collecting system's own statement decides, or the instructor's `map.csv`; else the
//! name of the folder or file, if it is the name of one student or one group. Everything
//! else is unresolved: the instructor completes `map.csv`. Machines, other values and
//! signatures only suggest a student.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use common::failure::Failure;
use common::input;
use common::text::shorten;

use super::class::{Class, only, unquoted};
use super::evidence::Evidence;
use super::gradescope::Submitter;
use crate::instructor::tables::Table;

/// What the instructor writes in `map.csv` for a submission that does not count.
pub(super) const NOBODY: &str = "-";

/// Groups that hand in together, by name.
#[derive(Debug, Default)]
pub(super) struct Groups(pub(super) BTreeMap<String, BTreeSet<usize>>);

impl Groups {
    /// Reads a table with a column `group` and one that names students, a row for each
    /// member.
    ///
    /// # Errors
    ///
    /// If it lacks a column, or a row means no student, two, or one of two groups.
    pub(super) fn read(path: &Path, class: &Class) -> Result<Groups, Failure> {
        Table::read_with(path, |table| {
            let group = table.column(&["group"])?.ok_or_else(|| {
                format!(
                    "it has no column 'group' ('{}'); call the column of the groups' names so, with a row for each member",
                    shorten(&table.header.join("', '"), 200)
                )
            })?;
            let join = class.join(&table.header, &[group])?;
            let mut groups = Groups::default();
            for row in &table.rows {
                let (name, shown) = (row.cell(group), join.shown(&row.cells));
                let member = join.student(&row.cells)?;
                let member =
                    member.ok_or_else(|| format!("'{shown}' is not in the roster; correct that row"))?;
                if groups.of(member).is_some_and(|(known, _)| known != name) {
                    return Err(format!("'{shown}' is in two groups; correct one row"));
                }
                groups.0.entry(name.to_owned()).or_default().insert(member);
            }
            Ok(groups)
        })
    }

    /// The group of a student.
    pub(super) fn of(&self, student: usize) -> Option<(&String, &BTreeSet<usize>)> {
        self.0.iter().find(|(_, members)| members.contains(&student))
    }
}

/// `map.csv`: what the instructor decided, by the names of submissions.
pub(super) struct Map {
    table: Table,
    /// By submission: the student, no student, or not decided yet.
    decided: BTreeMap<String, Option<Option<usize>>>,
}

impl Map {
    /// Reads it, if it is there.
    ///
    /// # Errors
    ///
    /// If it is not such a table, or a row does not mean one student.
    pub(super) fn read(path: Option<&Path>, class: &Class) -> Result<Map, Failure> {
        let Some(path) = path.filter(|path| path.is_file()) else {
            let empty = Table::parse("submission,suggested,student\n".to_owned());
            return Ok(Map { table: empty.map_err(Failure::could_not)?, decided: BTreeMap::new() });
        };
        let table = Table::read(path)?;
        let decided = Map::decided(&table, class);
        let decided = decided.map_err(|why| Failure::usage(format!("{}: {why}", input::name(path))))?;
        Ok(Map { table, decided })
    }

    fn decided(table: &Table, class: &Class) -> Result<BTreeMap<String, Option<Option<usize>>>, String> {
        let (Some(submission), Some(student)) = (table.column(&["submission"])?, table.column(&["student"])?)
        else {
            return Err("it needs the columns 'submission' and 'student'".to_owned());
        };
        let mut all = BTreeMap::new();
        for row in &table.rows {
            let (submission, name) = (unquoted(row.cell(submission)), row.cell(student));
            let decided = match name {
                "" => None,
                NOBODY => Some(None),
                name => Some(Some(class.by_name(name).ok_or_else(|| {
                    format!(
                        "'{}' is not the name of one student; write it as in the roster, or '{NOBODY}' for nobody",
                        shorten(name, 60)
                    )
                })?)),
            };
            if all.insert(submission.to_owned(), decided).is_some_and(|known| known != decided) {
                return Err(format!("'{}' is in two rows; leave one", shorten(submission, 60)));
            }
        }
        Ok(all)
    }

    /// The table as it is, with a row for each unresolved submission that it lacks, to be
    /// completed.
    pub(super) fn text(&self, unresolved: &[Unresolved], class: &Class) -> String {
        let open = unresolved.iter().filter(|one| !self.decided.contains_key(&one.submission));
        self.table.extended(open.map(|one| {
            let cell = |name: &String| match name.trim().to_lowercase().as_str() {
                "submission" => one.submission.clone(),
                "suggested" => one.suggested.map_or(String::new(), |student| class.names[student].clone()),
                _ => String::new(),
            };
            self.table.header.iter().map(cell).collect()
        }))
    }

    /// Rows of submissions that do not exist, probably typed wrong.
    pub(super) fn unknown(&self, submissions: &BTreeSet<&str>) -> Option<String> {
        let there = |name: &&String| !submissions.contains(name.as_str());
        let names: Vec<String> = self.decided.keys().filter(there).map(|name| shorten(name, 60)).collect();
        let first = names[..names.len().min(10)].join("', '");
        (!names.is_empty()).then(|| format!("map.csv names submissions that do not exist: '{first}'"))
    }
}

/// A submission without an owner.
#[derive(Debug)]
pub(super) struct Unresolved {
    pub(super) submission: String,
    pub(super) suggested: Option<usize>,
    pub(super) why: String,
}

/// What is known of a submission's owner.
#[derive(Debug)]
pub(super) enum Stated {
    /// The name of its folder or file, in several forms.
    Names(Vec<String>),
    /// Who handed it in, as Gradescope says.
    Submitters(Vec<Submitter>),
    /// The students whom the row of a table may mean.
    Row(BTreeSet<usize>),
}

/// What decides.
pub(super) struct Owners<'o> {
    pub(super) class: &'o Class,
    pub(super) groups: &'o Groups,
    pub(super) map: &'o Map,
    /// Students by the tag of their sealed machine.
    pub(super) machines: &'o HashMap<String, usize>,
}

impl Owners<'_> {
    /// The students whose submission it is; none if the instructor has said so.
    ///
    /// # Errors
    ///
    /// If nobody knows; a clause.
    pub(super) fn owner(&self, name: &str, stated: &Stated) -> Result<Vec<usize>, String> {
        if let Some(Some(decided)) = self.map.decided.get(name) {
            return Ok(decided.iter().copied().collect());
        }
        let (students, nobody) = match stated {
            Stated::Submitters(submitters) if submitters.is_empty() => {
                (BTreeSet::new(), "names no submitter")
            }
            Stated::Submitters(submitters) => {
                return submitters.iter().map(|one| self.submitter(one)).collect();
            }
            Stated::Row(students) => (students.clone(), "is not in the roster"),
            Stated::Names(names) => {
                // The name of a group may be a value of another student.
                let group = |name: &String| {
                    let members = self.groups.0.get(name.trim())?;
                    self.class.mentioned(name).is_subset(members).then_some(members)
                };
                if let Some(members) = names.iter().find_map(group) {
                    return Ok(members.iter().copied().collect());
                }
                let students = names.iter().flat_map(|name| self.class.named(name)).collect();
                (students, "is the name of no student")
            }
        };
        match students.len() {
            0 => Err(nobody.to_owned()),
            1 => Ok(students.into_iter().collect()),
            _ => {
                let names = students.iter().take(4).map(|student| shorten(&self.class.names[*student], 40));
                Err(format!("may be the name of {}", names.collect::<Vec<_>>().join(", ")))
            }
        }
    }

    /// The student whom Gradescope names: by all of its surer keys that the roster has as
    /// headers. Students choose the name, so it only counts where there is none of these.
    fn submitter(&self, submitter: &Submitter) -> Result<usize, String> {
        let mut found: Option<BTreeSet<usize>> = None;
        for (key, value) in submitter {
            let Some(column) = self.class.column(key).filter(|_| *key != "name" || found.is_none()) else {
                continue;
            };
            let students = self.class.in_column(column, value);
            found = Some(found.map_or(students.clone(), |known| &known & &students));
        }
        let by_value = || submitter.iter().flat_map(|(_, value)| self.class.named(value)).collect();
        only(&found.unwrap_or_else(by_value)).ok_or_else(|| {
            let values: Vec<&str> = submitter.iter().map(|(_, value)| value.as_str()).collect();
            format!("is of '{}', who is not one student of the roster", shorten(&values.join(" "), 60))
        })
    }

    /// The student whom an unresolved submission may be of: by its machine, or by any value
    /// that one student has, also a signature.
    pub(super) fn suggested(
        &self,
        name: &str,
        stated: &Stated,
        evidence: &Evidence,
        signed: impl Iterator<Item = String>,
    ) -> Option<usize> {
        let machines = evidence.machines();
        let measured = machines.into_iter().filter_map(|tag| self.machines.get(tag)).copied();
        let mut values: Vec<String> = match stated {
            Stated::Submitters(submitters) => {
                submitters.iter().flatten().map(|(_, value)| value.clone()).collect()
            }
            Stated::Names(names) => names.clone(),
            Stated::Row(_) => Vec::new(),
        };
        // A user's number ends the name of Canvas's files.
        values.extend(name.rsplit_once('_').map(|(_, number)| number.to_owned()));
        values.extend(signed);
        let of_value =
            |value: &String| self.class.by_name(value).or_else(|| only(&self.class.mentioned(value)));
        only(&measured.collect()).or_else(|| values.iter().find_map(of_value))
    }
}
