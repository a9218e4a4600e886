//! Which student a text names.

use std::collections::HashMap;

use crate::instructor::names;
use crate::instructor::roster::{Student, letters};
use crate::instructor::tables::Table;

/// The student or students that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    Nobody,
    /// One student, by position in the roster; a smaller rank is a closer match.
    One {
        student: usize,
        rank: usize,
    },
    /// Several students share it.
    Several(Vec<usize>),
}

impl Named {
    pub(super) fn one(&self) -> Option<usize> {
        if let Named::One { student, .. } = self { Some(*student) } else { None }
    }
}

/// The students of a class, by everything that names them.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) students: Vec<Student>,
    /// An index for each way to compare names, closest first.
    by_form: Vec<HashMap<String, Vec<usize>>>,
    by_moodle: HashMap<String, Vec<usize>>,
}

/// A way to compare a text with names.
struct Form {
    /// Whether the roster's other columns are compared too.
    aliases: bool,
    of_name: fn(&str) -> Option<String>,
    of_text: fn(&str) -> Option<String>,
}

/// The roster's own column comes before other columns, exact names before names of files.
const FORMS: [Form; 5] = [
    Form { aliases: false, of_name: exact, of_text: exact },
    Form { aliases: false, of_name: folded, of_text: folded },
    Form { aliases: true, of_name: folded, of_text: folded },
    Form { aliases: false, of_name: stem, of_text: folded },
    Form { aliases: true, of_name: stem, of_text: folded },
];
/// Positions in [`FORMS`]: the roster's own column, and the same comparison with all
/// columns.
const PAIRS: [(usize, usize); 2] = [(1, 2), (3, 4)];
/// Columns of small numbers that do not identify students.
const NUMBERS: &str = "attempt attempts tentativa tentative proba попытка points pontos punkty grade score mark nota \
    note ocena group grupo groupe grupa team row line";
/// A name as Moodle writes it in names of files.
const MOODLE: Form = Form { aliases: true, of_name: moodle, of_text: moodle };

impl Class {
    pub(super) fn new(students: Vec<Student>) -> Class {
        let index = |form: &Form| {
            let mut index = HashMap::<String, Vec<usize>>::new();
            for (place, student) in students.iter().enumerate() {
                let aliases = student.aliases.iter().filter(|_| form.aliases);
                for key in
                    std::iter::once(&student.name).chain(aliases).filter_map(|name| (form.of_name)(name))
                {
                    let places = index.entry(key).or_default();
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
            }
            index
        };
        let by_form = FORMS.iter().map(index).collect();
        let by_moodle = index(&MOODLE);
        Class { students, by_form, by_moodle }
    }

    pub(super) fn name(&self, place: usize) -> &str {
        self.students.get(place).map_or("", |student| student.name.as_str())
    }

    /// The students that `text` names; a student's exact name in the roster names nobody
    /// else.
    pub(super) fn named(&self, text: &str) -> Named {
        match self.in_form(0, text) {
            Named::Nobody => self.by_any_column(text),
            found => found,
        }
    }

    /// The same for a name that Moodle wrote: a full name, which can be another student's
    /// user name.
    pub(super) fn named_by_moodle(&self, text: &str) -> Named {
        match self.by_any_column(text) {
            Named::Nobody => found_in(&self.by_moodle, &MOODLE, text, FORMS.len()),
            found => found,
        }
    }

    /// The column of `table` that identifies students; `taken` columns are not considered.
    ///
    /// # Errors
    ///
    /// If there is none, or two name different students; a clause.
    pub(super) fn column(&self, table: &Table, taken: impl Fn(usize) -> bool) -> Result<usize, String> {
        let students = |at: usize| -> Vec<Option<usize>> {
            let cell = |row: &Vec<String>| self.named(row.get(at).map_or("", String::as_str)).one();
            table.rows.iter().map(cell).collect()
        };
        let mut found: Vec<(usize, Vec<Option<usize>>)> = (0..table.header.len())
            .filter(|at| !taken(*at) && !has_numbers(&table.header[*at]))
            .map(|at| (at, students(at)))
            .filter(|(_, students)| students.iter().any(Option::is_some))
            .collect();
        found.sort_by_key(|(at, students)| (students.iter().filter(|s| s.is_none()).count(), *at));
        let Some((best, students)) = found.first() else {
            return Err("it has no column with students of the class; call it 'student'".to_owned());
        };
        let differs = |(a, b): (&Option<usize>, &Option<usize>)| a.is_some() && b.is_some() && a != b;
        match found[1..].iter().find(|(_, others)| students.iter().zip(others).any(differs)) {
            Some((other, _)) => Err(format!(
                "'{}' and '{}' name different students; leave one of the columns out",
                table.header[*best], table.header[*other]
            )),
            None => Ok(*best),
        }
    }

    /// Whether `text` has the letters of a name of the student, and no others.
    pub(super) fn is_spelt(&self, place: usize, text: &str) -> bool {
        let student = &self.students[place];
        std::iter::once(&student.name).chain(&student.aliases).any(|name| {
            let reversed = name.rsplit_once(' ').map(|(first, last)| format!("{last}{first}"));
            [Some(name.clone()), reversed].iter().flatten().any(|name| letters(name) == letters(text))
        })
    }

    /// Whether the roster has an e-mail address of the student.
    pub(super) fn has_address(&self, place: usize) -> bool {
        let student = &self.students[place];
        std::iter::once(&student.name).chain(&student.aliases).any(|name| name.contains('@'))
    }

    fn by_any_column(&self, text: &str) -> Named {
        for (own, all) in PAIRS {
            match (self.in_form(all, text), self.in_form(own, text)) {
                (Named::Nobody, _) => {}
                (Named::One { student, .. }, Named::One { .. }) => return Named::One { student, rank: own },
                (found, _) => return found,
            }
        }
        Named::Nobody
    }

    fn in_form(&self, rank: usize, text: &str) -> Named {
        found_in(&self.by_form[rank], &FORMS[rank], text, rank)
    }
}

/// Whether a column of that name has small numbers that do not identify students.
pub(super) fn has_numbers(header: &str) -> bool {
    NUMBERS.split_whitespace().any(|known| letters(header) == letters(known))
}

fn found_in(index: &HashMap<String, Vec<usize>>, form: &Form, text: &str, rank: usize) -> Named {
    match (form.of_text)(text).and_then(|key| index.get(&key)).map(Vec::as_slice) {
        Some([student]) => Named::One { student: *student, rank },
        Some(several) => Named::Several(several.to_vec()),
        None => Named::Nobody,
    }
}

fn exact(name: &str) -> Option<String> {
    names::normalised(name).ok()
}

fn folded(name: &str) -> Option<String> {
    exact(name).map(|name| names::folded(&name))
}

fn stem(name: &str) -> Option<String> {
    exact(name).map(|name| names::folded(&names::file_stem(&name)))
}

/// With blanks for `_`, and without characters that some system refuses in names of files.
fn moodle(name: &str) -> Option<String> {
    let kept: String = exact(name)?.chars().filter(|c| !"&<>\"`|':\\/".contains(*c)).collect();
    stem(&kept.replace('_', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(students: &[(&str, &[&str])]) -> Class {
        let student = |(name, aliases): &(&str, &[&str])| Student {
            name: (*name).to_owned(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        };
        Class::new(students.iter().map(student).collect())
    }

    #[test]
    fn a_text_names_one_student_or_is_refused() {
        let class = class(&[
            ("ann", &["Ann Lee", "0042"]),
            ("ann_marie", &["Ann Marie", "42"]),
            ("ana1", &["Ana Silva"]),
            ("ana2", &["Ana Silva"]),
            ("Inês Sá", &["ann"]),
            ("o.brien", &["Pat O'Brien"]),
        ]);
        for (text, whose) in [
            ("ann", Some(0)),
            // also another column of "Inês Sá"
            ("ANN", None),
            ("ann_marie", Some(1)),
            ("ann marie", Some(1)),
            ("ann.", None),
            ("-ann", None),
            ("ann_", None),
            ("ann_m", None),
            ("0042", Some(0)),
            ("42", Some(1)),
            ("Ana Silva", None),
            ("Ine\u{302}s-Sa\u{301}", Some(4)),
            ("INÊS SÁ", Some(4)),
            ("Pat OBrien", None),
            ("", None),
        ] {
            assert_eq!(class.named(text).one(), whose, "{text}");
        }
        assert_eq!(class.named_by_moodle("Pat OBrien").one(), Some(5));
        // a full name and a user name
        assert_eq!(class.named_by_moodle("ann"), Named::Several(vec![0, 4]));
        assert_eq!(class.named("ana silva"), Named::Several(vec![2, 3]));
    }
}
