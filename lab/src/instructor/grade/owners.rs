//! Decides which student a submission belongs to: exactly, or not at all.
//!
//! The collecting system's own statement decides, or the instructor's `map.csv`; else the
//! name of the folder or file, if it is the name of one student or one group. Everything
//! else is unresolved: the instructor completes `map.csv`. Machines, similar names and
//! signatures only suggest a student.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use common::failure::Failure;
use common::input;
use common::text::shorten;

use super::class::{Class, Found};
use super::gradescope::Submitter;
use super::reason::Reason;
use super::submissions::{Stated, Submission};
use crate::instructor::tables::Table;

/// What the instructor writes in `map.csv` for a submission that does not count.
const NOBODY: &str = "-";

/// The submission that counts for one student.
#[derive(Debug, Default, Clone)]
pub(super) struct Owned {
    /// Its position in the list of submissions.
    pub(super) submission: Option<usize>,
    /// The students who handed it in: it was measured on the machine of one of them.
    pub(super) measured_by: Vec<usize>,
    /// Why there is no grade.
    pub(super) refused: Option<String>,
    /// Shown to the student.
    pub(super) notes: Vec<Reason>,
    /// Shown to the instructor only.
    pub(super) remarks: Vec<String>,
}

/// A submission without an owner.
#[derive(Debug)]
pub(super) struct Unresolved {
    pub(super) submission: String,
    pub(super) suggested: Option<usize>,
    pub(super) why: String,
}

/// The submission of each student, and those without an owner.
pub(super) struct Decision {
    pub(super) owned: Vec<Owned>,
    pub(super) unresolved: Vec<Unresolved>,
}

/// Groups that hand in together, by name.
#[derive(Debug, Default)]
pub(super) struct Groups(pub(super) BTreeMap<String, Vec<usize>>);

impl Groups {
    /// Reads a table with a column `group` and one that names students, a row for each
    /// member.
    ///
    /// # Errors
    ///
    /// If it lacks a column, or a row means no student, two, or one of two groups.
    pub(super) fn read(path: &Path, class: &Class) -> Result<Groups, Failure> {
        let (table, file) = (Table::read(path)?, input::name(path));
        let refused = |why: String| Failure::usage(format!("{file}: {why}"));
        let Some(group) = table.column("group") else {
            return Err(refused(format!(
                "it has no column 'group' ('{}'); call the column of the groups' names so, with a row for each member",
                shorten(&table.header.join("', '"), 200)
            )));
        };
        let join = class.join(&table.header, &[group]).map_err(refused)?;
        let mut groups = Groups::default();
        for row in &table.rows {
            let (name, shown) = (row.get(group).map_or("", |cell| cell.trim()), join.shown(row));
            let member = match join.student(class, row) {
                Found::One(student) => student,
                Found::Nobody => {
                    return Err(refused(format!("'{shown}' is not in the roster; correct that row")));
                }
                Found::Several(_) => {
                    return Err(refused(format!("'{shown}' means two students; correct that row")));
                }
            };
            if groups.of(member).is_some_and(|(known, _)| known != name) {
                return Err(refused(format!("'{shown}' is in two groups; correct one row")));
            }
            let members = groups.0.entry(name.to_owned()).or_default();
            if !members.contains(&member) {
                members.push(member);
            }
        }
        Ok(groups)
    }

    /// The group of a student.
    fn of(&self, student: usize) -> Option<(&String, &Vec<usize>)> {
        self.0.iter().find(|(_, members)| members.contains(&student))
    }
}

/// `map.csv`: what the instructor decided, by the names of submissions.
#[derive(Debug, Default)]
pub(super) struct Map {
    decided: HashMap<String, Option<usize>>,
    /// The rows with a decision, as they are in the file.
    rows: Vec<[String; 3]>,
}

impl Map {
    /// Reads it, if it is there.
    ///
    /// # Errors
    ///
    /// If it is not such a table, or a row does not mean one student.
    pub(super) fn read(path: &Path, class: &Class) -> Result<Map, Failure> {
        if !path.is_file() {
            return Ok(Map::default());
        }
        let (table, file) = (Table::read(path)?, input::name(path));
        let refused = |why: String| Failure::usage(format!("{file}: {why}"));
        let [Some(submission), suggested, Some(student)] =
            ["submission", "suggested", "student"].map(|name| table.column(name))
        else {
            return Err(refused("it needs the columns 'submission' and 'student'".to_owned()));
        };
        let mut map = Map::default();
        for row in &table.rows {
            let cell = |at: usize| row.get(at).map_or("", |cell| cell.trim());
            let owner = match cell(student) {
                "" => continue,
                NOBODY => None,
                name => match class.by_name(name) {
                    Found::One(student) => Some(student),
                    _ => {
                        return Err(refused(format!(
                            "'{}' is not the name of one student; write it as in the roster, or '{NOBODY}' for nobody",
                            shorten(name, 60)
                        )));
                    }
                },
            };
            let name = cell(submission).strip_prefix('\'').unwrap_or(cell(submission)).to_owned();
            if map.decided.insert(name, owner).is_some_and(|known| known != owner) {
                return Err(refused(format!(
                    "'{}' is in two rows; leave one",
                    shorten(cell(submission), 60)
                )));
            }
            map.rows.push([cell(submission), suggested.map_or("", cell), cell(student)].map(str::to_owned));
        }
        Ok(map)
    }

    /// The table with a row for each unresolved submission, to be completed.
    pub(super) fn text(&self, unresolved: &[Unresolved], class: &Class) -> String {
        let open = unresolved.iter().map(|one| {
            let suggested = one.suggested.map_or(String::new(), |student| class.names[student].clone());
            vec![one.submission.clone(), suggested, String::new()]
        });
        let rows = self.rows.iter().map(|row| row.to_vec()).chain(open).collect();
        let header = ["submission", "suggested", "student"].map(str::to_owned).to_vec();
        Table { header, rows, separator: b',' }.text()
    }
}

/// What decides.
pub(super) struct Owners<'o> {
    pub(super) class: &'o Class,
    pub(super) submissions: &'o [Submission],
    pub(super) groups: &'o Groups,
    pub(super) map: &'o Map,
    /// Students by the tag of their sealed machine.
    pub(super) machines: &'o HashMap<String, usize>,
    /// Times of hand-in by student: those of a table, and those of the worksheet.
    pub(super) times: &'o HashMap<usize, i64>,
    pub(super) of_worksheet: &'o HashMap<usize, i64>,
}

/// Whose a submission is.
enum Owner {
    /// These students, or the members of a group.
    Students(Vec<usize>),
    Nobody,
    /// Nobody knows, and why.
    Unknown(String),
}

impl Owners<'_> {
    /// Decides for all submissions.
    pub(super) fn decide(&self) -> Decision {
        let mut own = vec![Vec::<usize>::new(); self.class.names.len()];
        let mut owners = vec![Vec::<usize>::new(); self.submissions.len()];
        let mut unresolved = Vec::new();
        for (place, submission) in self.submissions.iter().enumerate() {
            match self.owner(submission) {
                Owner::Students(students) => {
                    students.iter().for_each(|student| own[*student].push(place));
                    owners[place] = students;
                }
                Owner::Nobody => {}
                Owner::Unknown(why) => unresolved.push(Unresolved {
                    submission: submission.name.clone(),
                    suggested: self.suggested(submission),
                    why,
                }),
            }
        }
        let owned: Vec<Owned> = own.iter().map(|places| self.last(places)).collect();
        let shared = |student: usize| {
            let shared = self.of_group(student, &owned);
            let measured_by = shared.submission.map_or(Vec::new(), |place| owners[place].clone());
            Owned { measured_by, ..shared }
        };
        let owned = (0..owned.len()).map(shared).collect();
        Decision { owned, unresolved }
    }

    fn owner(&self, submission: &Submission) -> Owner {
        if let Some(decided) = self.map.decided.get(&submission.name) {
            return decided.map_or(Owner::Nobody, |student| Owner::Students(vec![student]));
        }
        match &submission.stated {
            Stated::Row(Found::One(student)) => return Owner::Students(vec![*student]),
            Stated::Row(Found::Nobody) => return Owner::Unknown("is not in the roster".to_owned()),
            Stated::Row(Found::Several(_)) => return Owner::Unknown("means several students".to_owned()),
            Stated::Submitters(submitters) => {
                let found: Result<Vec<usize>, String> =
                    submitters.iter().map(|one| self.submitter(one)).collect();
                return match found {
                    Ok(students) if !students.is_empty() => Owner::Students(students),
                    Ok(_) => Owner::Unknown("names no submitter".to_owned()),
                    Err(why) => Owner::Unknown(why),
                };
            }
            Stated::Nothing => {}
        }
        let group = submission.names.iter().find_map(|name| {
            let members = self.groups.0.get(name.trim())?;
            // The group's name may be a value of another student.
            let others = match self.class.mentioned(name) {
                Found::Nobody => false,
                Found::One(student) => !members.contains(&student),
                Found::Several(students) => !students.iter().all(|student| members.contains(student)),
            };
            Some(members).filter(|_| !others)
        });
        let mut students: BTreeSet<usize> = BTreeSet::new();
        for name in &submission.names {
            match self.class.named(name) {
                Found::Nobody => {}
                Found::One(student) => _ = students.insert(student),
                Found::Several(several) => students.extend(several),
            }
        }
        match (students.into_iter().collect::<Vec<usize>>().as_slice(), group) {
            ([student], None) => Owner::Students(vec![*student]),
            ([], Some(members)) => Owner::Students(members.clone()),
            ([], None) => Owner::Unknown("is the name of no student".to_owned()),
            (students, _) => {
                let names: Vec<String> =
                    students.iter().take(4).map(|student| shorten(&self.class.names[*student], 40)).collect();
                Owner::Unknown(format!("may be the name of {}", names.join(", ")))
            }
        }
    }

    /// The student whom Gradescope names: by the first of its keys that the roster has as a
    /// header, else by a name. The others must not name somebody else.
    fn submitter(&self, submitter: &Submitter) -> Result<usize, String> {
        let shown = || {
            let values: Vec<&str> = submitter.iter().map(|(_, value)| value.as_str()).collect();
            shorten(&values.join(" "), 60)
        };
        let mut found: Option<usize> = None;
        for (key, value) in submitter {
            let students: Vec<usize> = match self.class.column(key) {
                Some(column) => self.class.in_column(column, value).into_iter().collect(),
                None => match self.class.named(value) {
                    Found::Nobody => continue,
                    Found::One(student) => vec![student],
                    Found::Several(students) => students,
                },
            };
            match (students.as_slice(), found) {
                ([student], None) => found = Some(*student),
                (students, Some(known)) if students.is_empty() || students.contains(&known) => {}
                (_, Some(_)) => return Err(format!("is of '{}', who may be two students", shown())),
                _ => return Err(format!("is of '{}', who is not one student of the roster", shown())),
            }
        }
        found.ok_or_else(|| format!("is of '{}', who is not in the roster", shown()))
    }

    /// The student whom an unresolved submission may be of.
    fn suggested(&self, submission: &Submission) -> Option<usize> {
        let machines: BTreeSet<usize> = submission
            .evidence
            .machines()
            .into_iter()
            .filter_map(|tag| self.machines.get(tag))
            .copied()
            .collect();
        if let [student] = machines.into_iter().collect::<Vec<_>>()[..] {
            return Some(student);
        }
        let stated: Vec<&String> = match &submission.stated {
            Stated::Submitters(submitters) => submitters.iter().flatten().map(|(_, value)| value).collect(),
            _ => submission.names.iter().chain([&submission.name]).collect(),
        };
        let signed: Vec<String> = ["number", "name"]
            .into_iter()
            .filter_map(|what| submission.answers.get(&format!("student-1-{what}")))
            .map(|given| given.text())
            .collect();
        let one = |found: Found| match found {
            Found::One(student) => Some(student),
            _ => None,
        };
        let exact = |name: &String| one(self.class.by_name(name)).or(one(self.class.mentioned(name)));
        // A user's number in the name of Canvas's files.
        let number = submission.name.rsplit_once('_').map(|(_, number)| number.to_owned());
        let all = || stated.iter().copied().chain(&number).chain(&signed);
        all().find_map(exact).or_else(|| all().find_map(|name| self.class.similar(name)))
    }

    /// The submission that counts among those of a student: the only one with answers, or
    /// the last by the collecting system's clock or numbers.
    fn last(&self, places: &[usize]) -> Owned {
        let all = self.submissions;
        let answered: Vec<usize> = places.iter().copied().filter(|place| !all[*place].is_empty()).collect();
        let among = if answered.is_empty() { places } else { &answered };
        let mut owned = Owned::default();
        let counts = match among {
            [] => return owned,
            [only] => Some(*only),
            several => {
                let by = |key: &dyn Fn(usize) -> Option<i64>| {
                    let keys: Option<Vec<i64>> = several.iter().map(|place| key(*place)).collect();
                    let keys = keys?;
                    let last = *keys.iter().max()?;
                    let mut found = keys.iter().zip(several).filter(|(key, _)| **key == last);
                    found.next().filter(|_| found.next().is_none()).map(|(_, place)| *place)
                };
                by(&|place| all[place].version.and_then(|version| i64::try_from(version).ok()))
                    .or_else(|| by(&|place| all[place].time))
            }
        };
        let names = |places: &[usize]| {
            let names: Vec<String> =
                places.iter().take(6).map(|place| format!("'{}'", shorten(&all[*place].name, 60))).collect();
            names.join(", ")
        };
        let Some(counts) = counts else {
            owned.refused = Some(format!(
                "there are {} submissions ({}), and no time says which is the last; write '{NOBODY}' for the others in map.csv",
                among.len(),
                names(among)
            ));
            return owned;
        };
        owned.submission = Some(counts);
        if among.len() > 1 {
            owned.notes.push(Reason::LastCounts(among.len().to_string()));
        }
        let others: Vec<usize> = places.iter().copied().filter(|place| *place != counts).collect();
        if !others.is_empty() {
            owned.remarks.push(format!("{} counts, not {}.", names(&[counts]), names(&others)));
        }
        owned
    }

    /// The same for a student without answers who is in a group: the only submission of the
    /// others, or their last.
    fn of_group(&self, student: usize, owned: &[Owned]) -> Owned {
        let own = &owned[student];
        let empty = |owned: &Owned| owned.submission.is_none_or(|place| self.submissions[place].is_empty());
        let Some((_, members)) = self.groups.of(student).filter(|_| own.refused.is_none() && empty(own))
        else {
            return own.clone();
        };
        let of_others: BTreeSet<usize> = members
            .iter()
            .map(|member| &owned[*member])
            .filter(|owned| !empty(owned))
            .filter_map(|owned| owned.submission)
            .collect();
        if of_others.is_empty() {
            return own.clone();
        }
        let mut shared = self.last(&of_others.into_iter().collect::<Vec<usize>>());
        shared.notes.insert(0, Reason::ByGroup);
        shared
    }

    /// When the submission of a student was handed in.
    pub(super) fn time(&self, student: usize, owned: &Owned) -> Option<i64> {
        let of_submission = owned.submission.and_then(|place| self.submissions[place].time);
        self.times.get(&student).copied().or(of_submission).or(self.of_worksheet.get(&student).copied())
    }
}
