//! Decides which student a submission belongs to, exactly or not at all, and which one counts.
//!
//! The collecting system's own statement decides, or the instructor's `map.csv`; else the
//! name of the folder or file, if it is the name of one student or one group. Everything
//! else is unresolved: the instructor completes `map.csv`. Machines, other values and
//! signatures only suggest a student.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use common::failure::Failure;
use common::text::{inert, shorten};

use super::class::{Class, only, unquoted};
use super::evidence::Submission;
use super::gradescope::Submitter;
use super::times::Due;
use crate::instructor::tables::{Row, Table};

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
        match path.filter(|path| path.is_file()) {
            Some(path) => Table::read_with(path, |table| Map::of(table, class)),
            None => {
                let empty = Table::parse("submission,suggested,student\n");
                empty.and_then(|table| Map::of(table, class)).map_err(Failure::could_not)
            }
        }
    }

    fn of(table: Table, class: &Class) -> Result<Map, String> {
        let (Some(submission), Some(student)) = (table.column(&["submission"])?, table.column(&["student"])?)
        else {
            return Err("it needs the columns 'submission' and 'student'".to_owned());
        };
        let mut decided = BTreeMap::new();
        for row in &table.rows {
            let (submission, name) = (unquoted(row.cell(submission)), row.cell(student));
            let whose = match name {
                "" => None,
                NOBODY => Some(None),
                name => Some(Some(class.by_name(name).ok_or_else(|| {
                    format!(
                        "'{}' is not the name of one student; write it as in the roster, or '{NOBODY}' for nobody",
                        shorten(name, 60)
                    )
                })?)),
            };
            if decided.insert(submission.to_owned(), whose).is_some_and(|known| known != whose) {
                return Err(format!("'{}' is in two rows; leave one", shorten(submission, 60)));
            }
        }
        Ok(Map { table, decided })
    }

    /// The table as it is, with a row for each unresolved submission that it lacks, to be
    /// completed.
    pub(super) fn text(&mut self, submissions: &[Submission], class: &Class) -> String {
        for one in submissions.iter().filter(|one| one.owner.is_err()) {
            if self.decided.contains_key(&one.name) {
                continue;
            }
            let cell = |name: &String| match name.trim().to_lowercase().as_str() {
                "submission" => inert(&one.name),
                "suggested" => one.suggested.map_or(String::new(), |student| inert(&class.names[student])),
                _ => String::new(),
            };
            let cells = self.table.header.iter().map(cell).collect();
            self.table.rows.push(Row { cells, ..Row::default() });
        }
        self.table.text()
    }
}

/// What decides whose a submission is, and how it is read.
pub(super) struct Owners<'o> {
    pub(super) class: &'o Class,
    pub(super) groups: &'o Groups,
    pub(super) map: &'o Map,
    /// Students by the tag of their sealed machine.
    pub(super) machines: &'o HashMap<String, usize>,
    pub(super) due: Option<Due>,
    /// The ids of the fields that count.
    pub(super) fields: &'o [String],
}

/// The students whose submission it is; none if the instructor has said so. Or a clause
/// that says why nobody knows.
pub(super) type Owner = Result<Vec<usize>, String>;

impl Owners<'_> {
    /// What the map says of the submission with that name, else the owner that was `found`.
    pub(super) fn decided(&self, name: &str, found: Owner) -> Owner {
        match self.map.decided.get(name) {
            Some(Some(decided)) => Ok(decided.iter().copied().collect()),
            _ => found,
        }
    }

    /// The owner by the name of a folder or file, in several forms.
    pub(super) fn named(&self, names: &[String]) -> Owner {
        // The name of a group may be a value of another student.
        let group = |name: &String| {
            let members = self.groups.0.get(name.trim())?;
            self.class.mentioned(name).is_subset(members).then_some(members)
        };
        match names.iter().find_map(group) {
            Some(members) => Ok(members.iter().copied().collect()),
            None => {
                let students = names.iter().flat_map(|name| self.class.named(name)).collect();
                self.one(students, "is the name of no student")
            }
        }
    }

    /// The owner, if there is only one among the students.
    pub(super) fn one(&self, students: BTreeSet<usize>, nobody: &str) -> Owner {
        match students.len() {
            0 => Err(nobody.to_owned()),
            1 => Ok(students.into_iter().collect()),
            _ => {
                let names = students.iter().take(4).map(|student| shorten(&self.class.names[*student], 40));
                Err(format!("may be the name of {}", names.collect::<Vec<_>>().join(", ")))
            }
        }
    }

    /// The owners whom Gradescope names: each by all values whose keys are headers of the
    /// roster, or by the identifying columns if there is no such header.
    pub(super) fn submitters(&self, submitters: &[Submitter]) -> Owner {
        let owner = |submitter: &Submitter| {
            let columns = submitter.iter().filter_map(|(key, value)| Some((self.class.column(key)?, value)));
            let found = columns.map(|(column, value)| self.class.in_column(column, value));
            let found = found.reduce(|known, students| &known & &students);
            let by_value = || submitter.iter().flat_map(|(_, value)| self.class.named(value)).collect();
            only(&found.unwrap_or_else(by_value)).ok_or_else(|| {
                let values: Vec<&str> = submitter.iter().map(|(_, value)| value.as_str()).collect();
                format!("is of '{}', who is not one student of the roster", shorten(&values.join(" "), 60))
            })
        };
        match submitters {
            [] => Err("names no submitter".to_owned()),
            _ => submitters.iter().map(owner).collect(),
        }
    }

    /// The student whom an unresolved submission may be of: by its machine, or by the first
    /// of the values, such as a signature, that one student has.
    pub(super) fn suggested(&self, machines: &BTreeSet<&str>, values: &[String]) -> Option<usize> {
        let measured = machines.iter().filter_map(|tag| self.machines.get(*tag)).copied();
        let of_value =
            |value: &String| self.class.by_name(value).or_else(|| only(&self.class.mentioned(value)));
        only(&measured.collect()).or_else(|| values.iter().find_map(of_value))
    }
}

/// The submission that counts for one student: its position in the list of submissions, and
/// those that do not count. Or why there cannot be a grade; a clause.
pub(super) type Counting = Result<(Option<usize>, Vec<usize>), String>;

/// What counts for each student of the class, and whether it is that of the group: a student
/// without answers gets the group's.
pub(super) fn counting(all: &[Submission], class: &Class, groups: &Groups) -> Vec<(Counting, bool)> {
    let mut own = vec![Vec::<usize>::new(); class.names.len()];
    for (place, submission) in all.iter().enumerate() {
        submission.owner.iter().flatten().for_each(|student| own[*student].push(place));
    }
    let answered = |student: usize| own[student].iter().copied().filter(|place| !all[*place].is_empty());
    let of_student = |student: usize| {
        let members = groups.of(student).filter(|_| answered(student).next().is_none());
        let members = members.into_iter().flat_map(|(_, members)| members);
        let shared: BTreeSet<usize> = members.flat_map(|member| answered(*member)).collect();
        let places = if shared.is_empty() { own[student].clone() } else { shared.iter().copied().collect() };
        (last(all, &places), !shared.is_empty())
    };
    (0..own.len()).map(of_student).collect()
}

/// The submission that counts among those at `places`: the only one with answers, or the
/// last by the collecting system's clock.
fn last(all: &[Submission], places: &[usize]) -> Counting {
    let answered: Vec<usize> = places.iter().copied().filter(|place| !all[*place].is_empty()).collect();
    let among = if answered.is_empty() { places } else { &answered };
    let last = match among {
        [] | [_] => among.first().copied(),
        _ => {
            let times: Option<Vec<i64>> = among.iter().map(|place| all[*place].time).collect();
            let times = times.unwrap_or_default();
            let last = times.iter().max();
            let mut latest = among.iter().zip(&times).filter(|(_, time)| Some(*time) == last);
            let (latest, second) = (latest.next(), latest.next());
            Some(*latest.filter(|_| second.is_none()).map(|(place, _)| place).ok_or_else(|| {
                format!(
                    "there are {} submissions ({}), and no time says which is the last; write '{NOBODY}' for the others in map.csv",
                    among.len(),
                    names(all, among)
                )
            })?)
        }
    };
    Ok((last, places.iter().copied().filter(|place| Some(*place) != last).collect()))
}

/// The names of submissions, in one sentence.
pub(super) fn names(all: &[Submission], places: &[usize]) -> String {
    let shown = places.iter().take(6).map(|place| format!("'{}'", shorten(&all[*place].name, 60)));
    shown.collect::<Vec<_>>().join(", ")
}
