//! The groups of a class: `--groups FILE`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use common::failure::Failure;
use common::input;
use common::text::shorten;

use super::identity::{Class, Named};
use crate::instructor::roster::letters;
use crate::instructor::tables::Table;

/// What course systems write for a student without a group.
const NO_GROUP: &str = "nogroup nogroups none na notingroup ungrouped semgrupo nenhum sansgroupe aucungroupe aucun bezgrupy \
    brak безгруппы нет keinegruppe keine singrupo ninguno";

/// The groups of a class; a student is in at most one.
#[derive(Debug, Default)]
pub(super) struct Groups {
    members: Vec<Vec<usize>>,
    of_student: HashMap<usize, usize>,
}

/// The column with a group's name, as course systems call it.
const GROUP: &str = "group groupname team teamname grupo equipa equipe groupe grupa zespol группа команда";

impl Groups {
    /// The members of a student's group, the student included.
    pub(super) fn of(&self, student: usize) -> Option<&[usize]> {
        self.members.get(*self.of_student.get(&student)?).map(Vec::as_slice)
    }

    /// Reads a table: a row for each group with its members, or a row for each student
    /// with a column `group`.
    ///
    /// # Errors
    ///
    /// If it cannot be read, names somebody who is not in the class or several students
    /// at once, or has a student in two groups.
    pub(super) fn read(path: &Path, class: &Class) -> Result<Groups, Failure> {
        let name = input::name(path);
        Groups::of_table(Table::read_ragged(path)?.0, class)
            .map_err(|why| Failure::usage(format!("{name}: {why}")))
    }

    fn of_table(mut table: Table, class: &Class) -> Result<Groups, String> {
        let is_group =
            |header: &String| GROUP.split_whitespace().any(|known| letters(known) == letters(header));
        let group = table.header.iter().position(is_group);
        // A table of members only may have no header.
        if group.is_none() && table.header.iter().any(|cell| class.named(cell) != Named::Nobody) {
            let first = std::mem::take(&mut table.header);
            table.rows.insert(0, first);
        }
        let width = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cells = |at: usize| {
            let cells = table.rows.iter().filter_map(move |row| row.get(at));
            cells.map(|cell| cell.trim()).filter(|cell| !cell.is_empty())
        };
        // Other columns, such as e-mail addresses that the roster does not have.
        let of_members: Vec<usize> = (0..width)
            .filter(|at| Some(*at) != group)
            .filter(|at| cells(*at).any(|cell| class.named(cell) != Named::Nobody))
            .collect();
        let known = |row: &Vec<String>| {
            of_members.iter().any(|at| row.get(*at).is_some_and(|cell| class.named(cell).one().is_some()))
        };
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, row) in (1..).zip(&table.rows) {
            let key = match group {
                Some(at) => row.get(at).map_or("", |cell| cell.trim()).to_owned(),
                None => format!("{number:09}"),
            };
            let none = NO_GROUP.split_whitespace().any(|known| letters(&key) == letters(known));
            if letters(&key).is_empty() || none {
                continue;
            }
            let members = groups.entry(key.clone()).or_default();
            for cell in of_members.iter().filter_map(|at| row.get(*at)).map(|cell| cell.trim()) {
                let shown = shorten(cell, 60);
                match class.named(cell) {
                    _ if cell.is_empty() => {}
                    Named::One { student, .. } if members.contains(&student) => {}
                    Named::One { student, .. } => members.push(student),
                    Named::Several(_) => {
                        return Err(format!(
                            "'{shown}' is the name of several students; name them by another column"
                        ));
                    }
                    Named::Nobody if group.is_some() && known(row) => {}
                    Named::Nobody => return Err(format!("'{shown}' is not in the roster; correct it")),
                }
            }
        }
        let mut found = Groups::default();
        for (key, members) in groups {
            for student in &members {
                if found.of_student.insert(*student, found.members.len()).is_some() {
                    return Err(format!(
                        "'{}' is in two groups, the second '{}'; correct it",
                        class.name(*student),
                        shorten(key.trim_start_matches('0'), 40)
                    ));
                }
            }
            found.members.push(members);
        }
        if found.of_student.is_empty() {
            return Err(
                "it names no student of the roster; a row for each group, or a column 'group'".to_owned()
            );
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructor::roster::Student;

    fn read(text: &str) -> Result<Vec<Vec<usize>>, String> {
        let student =
            |(name, alias): (&str, &str)| Student { name: name.to_owned(), aliases: vec![alias.to_owned()] };
        let students = [("ann", "1"), ("bob", "2"), ("eve", "3"), ("dan", "3")].map(student);
        let class = Class::new(students.to_vec());
        Groups::of_table(Table::parse(text)?, &class).map(|groups| groups.members)
    }

    #[test]
    fn groups_are_rows_or_a_column() {
        for text in [
            "a,b\nann,bob\neve\n",
            "ann,bob\neve,\n",
            "group,student\nx,ann\ny,eve\nx,bob\n",
            "Grupo;Aluno\nx;ann\nx;bob\ny;eve\nSem grupo;dan\n-;dan\n",
            "Team;User;Mail\nx;ann;a@x\nx;bob;b@x\ny;eve;\n",
            "group,member 1,member 2\nx,1,bob\ny,eve,\n",
        ] {
            let mut groups = read(text).unwrap();
            groups.iter_mut().for_each(|group| group.sort_unstable());
            assert_eq!(groups, [vec![0, 1], vec![2]], "{text}");
        }
        for (text, says) in [
            ("a,b\nann,bob\nbob,eve\n", "'bob' is in two groups"),
            ("a,b\nann,bop\nbob,eve\n", "'bop' is not in the roster"),
            ("a,b\nann,3\n", "several students"),
            ("a,b\nx,y\n", "names no student"),
        ] {
            assert!(read(text).unwrap_err().contains(says), "{text}: {:?}", read(text));
        }
    }
}
