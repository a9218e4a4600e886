//! The class: a table with a column that identifies its students.

use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use common::text::shorten;

use super::names;
use super::tables::Table;

/// The options for the file and its columns.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Roster {
    /// Read the class from a CSV: a header, then one student on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) roster: Option<PathBuf>,

    /// Name the roster's column that identifies students [default: its only one]
    #[arg(long, value_name = "COLUMN", requires = "roster")]
    pub(crate) name_column: Option<String>,
}

/// One student: the name in the roster, and the names that other systems use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Student {
    pub(crate) name: String,
    /// User name, number, full name, e-mail address: from the roster's other columns.
    pub(crate) aliases: Vec<String>,
}

impl Roster {
    /// The names in the roster; empty without a roster.
    ///
    /// # Errors
    ///
    /// If it cannot be read, has no such column, or a name is empty or repeated.
    pub(crate) fn names(&self) -> Result<Vec<String>, Failure> {
        Ok(self.students(&[])?.into_iter().map(|student| student.name).collect())
    }

    /// The same with aliases: those in well-known columns, and in `columns`.
    ///
    /// # Errors
    ///
    /// The same errors, and if one of the `columns` does not exist.
    pub(crate) fn students(&self, columns: &[String]) -> Result<Vec<Student>, Failure> {
        self.roster.as_deref().map_or(Ok(Vec::new()), |path| read(path, self.name_column.as_deref(), columns))
    }
}

fn read(path: &Path, column: Option<&str>, more: &[String]) -> Result<Vec<Student>, Failure> {
    let (table, lines) = Table::read_ragged(path)?;
    let file = input::name(path);
    for (row, line) in table.rows.iter().zip(&lines) {
        if row.len() != table.header.len() {
            return Err(table.ragged(&file, row, *line));
        }
        if let Some(cell) = row.iter().find(|cell| !cell.trim().is_empty()).filter(|cell| is_summary(cell)) {
            let cell = shorten(cell.trim(), 40);
            return Err(Failure::usage(format!(
                "{file}, line {line}: '{cell}' is a row of a gradebook, not a student; delete that line"
            )));
        }
    }
    let lacks = |asked: String, option: &str| {
        let columns = table.header.join("', '");
        Failure::usage(format!("{file} has {asked}; name one with {option}: '{columns}'"))
    };
    let no_column = |column: &str| format!("no column '{column}'");
    let place = match column {
        Some(column) => table.column(column),
        None if table.header.len() == 1 => Some(0),
        None => None,
    };
    let place = place
        .ok_or_else(|| lacks(column.map_or("several columns".to_owned(), no_column), "--name-column"))?;
    let more: Result<Vec<usize>, Failure> = more
        .iter()
        .map(|name| table.column(name).ok_or_else(|| lacks(no_column(name), "--alias-column")))
        .collect();
    let columns = Columns::of(&table, place, more?);
    let cell = |row: &Vec<String>| row.get(place).cloned().unwrap_or_default();
    let place = |row: usize| format!("{file}, line {}", lines.get(row).copied().unwrap_or_default());
    let names = distinct(table.rows.iter().map(cell), &file, place)?;
    let student = |(name, row): (String, &Vec<String>)| Student { name, aliases: columns.aliases(row) };
    Ok(names.into_iter().zip(&table.rows).map(student).collect())
}

/// Columns of a roster whose cells also name a student.
struct Columns {
    whole: Vec<usize>,
    first: Option<usize>,
    last: Option<usize>,
}

/// What rosters of Moodle, Canvas, Gradescope, Autolab and registries call these columns;
/// letters and digits only.
const WHOLE: &str = "nome nºdealuno ndealuno username user login loginid userid sisloginid sisuserid netid uid id sid no nr number idnumber \
    studentid studentnumber studentno matriculation matriculationnumber registrationnumber name fullname student \
    studentname email emailaddress mail utilizador nomedeutilizador nomedeusuario usuario numero numerodealuno \
    numerodeestudante numerodeidentificacao nomecompleto aluno enderecodeemail correio utilisateur nomdutilisateur \
    identifiant numeroetudiant nometprenom nomcomplet adressedecourriel courriel uzytkownik nazwauzytkownika \
    numeralbumu nralbumu numerindeksu nrindeksu imieinazwisko adresemail логин пользователь имяпользователя номер \
    номерзачетки фио полноеимя почта адресэлектроннойпочты";
const FIRST: &str = "firstname givenname forename nomeproprio primeironome prenom imie имя";
const LAST: &str = "lastname surname familyname apelido sobrenome ultimonome nomdefamille nazwisko фамилия";

impl Columns {
    fn of(table: &Table, place: usize, more: Vec<usize>) -> Columns {
        let like = |at: usize, known: &str| {
            let header = letters(&table.header[at]);
            known.split_whitespace().any(|name| letters(name) == header)
        };
        let columns = || (0..table.header.len()).filter(|at| *at != place);
        let mut whole: Vec<usize> = columns().filter(|at| like(*at, WHOLE)).collect();
        whole.extend(more.into_iter().filter(|at| *at != place));
        // "Nom" is a surname in French and a name in Catalan: a surname only if there is a
        // first name too.
        let first = columns().find(|at| like(*at, FIRST));
        let last = columns().find(|at| like(*at, LAST) || first.is_some() && like(*at, "nom"));
        Columns { whole, first, last }
    }

    fn aliases(&self, row: &[String]) -> Vec<String> {
        let cell = |at: usize| row.get(at).and_then(|cell| names::normalised(cell).ok());
        let mut found: Vec<String> = self.whole.iter().filter_map(|at| cell(*at)).collect();
        if let Some((first, last)) = self.first.and_then(cell).zip(self.last.and_then(cell)) {
            found.extend([format!("{first} {last}"), format!("{last} {first}"), format!("{last}, {first}")]);
        }
        found
    }
}

/// Rows that gradebooks (Canvas, Moodle, spreadsheets) add after their students; letters
/// only.
const SUMMARIES: &str = "pointspossible maxpoints maximumpoints maximum possible outof overallaverage average \
    classaverage mean median total totals count pontuacaomaxima notamaxima mediageral media mediana moyenne \
    moyennegenerale durchschnitt mittelwert gesamtdurchschnitt srednia sredniaogolna среднее";

/// Whether the cell belongs to a row without a student.
fn is_summary(cell: &str) -> bool {
    SUMMARIES.split_whitespace().any(|known| letters(cell) == letters(known))
}

/// Letters and digits of `text` in lower case, without accents.
pub(crate) fn letters(text: &str) -> String {
    names::plain(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The names in normal form; each must be unique.
///
/// # Errors
///
/// If one is empty, cannot be shown, or would share a file name with another.
pub(crate) fn unique(given: impl Iterator<Item = String>, file: &str) -> Result<Vec<String>, Failure> {
    distinct(given, file, |place| format!("{file}, student {}", place + 1))
}

/// The same; `place` describes a name's position, given its index from 0.
fn distinct(
    given: impl Iterator<Item = String>,
    file: &str,
    place: impl Fn(usize) -> String,
) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for (number, name) in given.enumerate() {
        let name = names::normalised(&name);
        found.push(name.map_err(|why| Failure::usage(format!("{}: {why}; correct it", place(number))))?);
    }
    if found.is_empty() {
        return Err(Failure::usage(format!("{file} names no student")));
    }
    if let Some((one, other)) = names::first_clash(&found) {
        return Err(Failure::usage(format!(
            "{file}: '{one}' and '{other}' give the same file name; choose another column, such as the student's number"
        )));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_would_be_read_shifted_is_refused_by_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            let path = folder.path().join("class.csv");
            std::fs::write(&path, text).unwrap();
            super::read(&path, Some("id"), &[]).map_err(|why| why.to_string())
        };
        assert_eq!(read("name,id\n\"Silva, Ana\",7\n").unwrap()[0].name, "7");
        assert_eq!(read("\u{feff}name;id\r\nSilva, Ana;7\r\n").unwrap()[0].name, "7");
        for (text, line, found) in [
            ("name,id\nBea,8\nSilva, Ana,7\n", "line 3", "3 cells where the header has 2"),
            ("name,id,mail\nSilva, Ana,7,\n", "line 2", "('Silva', ' Ana', '7', '')"),
            ("sep=;\nname;id\n\nBea;8;\n", "line 4", "contains a semicolon"),
            ("name,id,mail\nBea,8\n", "line 2", "2 cells where the header has 3"),
            ("name\tid\nTurma A\n", "line 2", "1 cells"),
            ("name,id\n\"Bea,8\nAna,7\n", "line 2", "1 cells"),
            ("Student,id,HW1\n    Points Possible,,10\nBea,8,9\n", "line 2", "'Points Possible'"),
            ("name,id\nBea,8\nMÉDIA,14\n", "line 3", "'MÉDIA'"),
            ("name,id,grade\n,Overall average,7\n", "line 2", "'Overall average'"),
            ("name,id,grade\n,,Manual Posting\nBea,8,9\n", "line 2", "a name is empty"),
        ] {
            let why = read(text).unwrap_err();
            assert!(
                why.contains("class.csv, ") && why.contains(line) && why.contains(found),
                "{text}: {why}"
            );
        }
    }

    #[test]
    fn well_known_columns_are_aliases() {
        let text = "First name,Surname,Matrikel,E-mail,City,username,Número\n\
                    Ana,Silva,0042,a@x.pt,bea,ana,7\n";
        let table = Table::parse(text).unwrap();
        let columns = Columns::of(&table, table.column("username").unwrap(), Vec::new());
        let aliases = columns.aliases(&table.rows[0]);
        assert_eq!(aliases, ["a@x.pt", "7", "Ana Silva", "Silva Ana", "Silva, Ana"]);
        let named = Columns::of(&table, 5, vec![2]).aliases(&table.rows[0]);
        assert!(named.contains(&"0042".to_owned()) && !named.contains(&"bea".to_owned()), "{named:?}");
    }
}
