//! Where a statement is: its section and its source line.

use std::collections::{HashMap, HashSet};

use crate::Source;
use crate::statements::{Kind, Statement, is_symbol};

/// The operands of the directive that began the current section, and those to return to.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    pub(crate) current: String,
    previous: String,
    stack: Vec<(String, String)>,
}

impl Sections {
    /// Follows a directive; says whether the section may have changed.
    pub(crate) fn follow(&mut self, directive: &str) -> bool {
        let (name, words) = directive.split_once([' ', '\t']).unwrap_or((directive, ""));
        let next = match name {
            ".text" | ".data" | ".bss" => name.to_owned(),
            ".section" => words.to_owned(),
            ".previous" => self.previous.clone(),
            ".pushsection" => {
                self.stack.push((self.current.clone(), self.previous.clone()));
                words.to_owned()
            }
            ".popsection" => {
                (self.current, self.previous) = self.stack.pop().unwrap_or_default();
                return true;
            }
            _ => return false,
        };
        self.previous = std::mem::replace(&mut self.current, next);
        true
    }
}

/// Source lines, each with a number.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Names of files by the numbers of `.file`, and of those without a number.
    files: HashMap<u32, String>,
    /// The file and the line of each number.
    pub(crate) all: Vec<(String, u32)>,
    numbers: HashMap<(u32, u32), u32>,
    /// The file and line of the last instruction by section, and of the next one.
    last: HashMap<String, (u32, u32)>,
    next: Option<(u32, u32)>,
    /// The file of the text itself, or the one that a line marker names, and how far its lines are
    /// from those of the text.
    own: (u32, i64),
    /// Whether the text has lines of a source; if not, its own lines are the source's.
    has_lines: bool,
    is_compiled: bool,
}

impl Places {
    pub(crate) fn new(source: Source<'_>, statements: &[Statement<'_>]) -> Places {
        let has = |start: &str| {
            statements.iter().any(|one| one.kind == Kind::Directive && one.text.starts_with(start))
        };
        let mut places = Places {
            has_lines: has(".loc\t") || has(".loc "),
            is_compiled: has(".ident"),
            ..Places::default()
        };
        places.own.0 = places.add_file(source.folder, source.name);
        places
    }

    fn add_file(&mut self, folder: &str, name: &str) -> u32 {
        let number = u32::MAX - self.files.len() as u32;
        self.files.insert(number, joined(folder, name));
        number
    }

    pub(crate) fn follow(&mut self, statement: &Statement<'_>, folder: &str, section: &str) {
        let text = &statement.text;
        if statement.kind == Kind::Marker {
            let mut words = text[1..].split_whitespace();
            if let (Some(Ok(line)), Some(name)) = (words.next().map(str::parse::<i64>), words.next()) {
                self.own =
                    (self.add_file(folder, name.trim_matches('"')), line - i64::from(statement.line) - 1);
            }
        } else if let Some(words) = text.strip_prefix(".loc").filter(|rest| rest.starts_with([' ', '\t'])) {
            let mut words = words.split_whitespace().map_while(|word| word.parse().ok());
            let before = std::mem::replace(&mut self.next, words.next().zip(words.next()));
            // Which one the assembler gives padding before the next instruction.
            let padded = if text.contains(" view ") { self.next } else { before };
            padded.and_then(|padded| self.last.insert(section.to_owned(), padded));
        } else if let Some(words) = text.strip_prefix(".file").filter(|rest| rest.starts_with([' ', '\t'])) {
            let quoted: Vec<&str> = words.split('"').skip(1).step_by(2).collect();
            let number = words.split_whitespace().next().and_then(|word| word.parse().ok());
            match (number, &quoted[..]) {
                (Some(number), [own, name, ..]) => {
                    self.files.insert(number, joined(&joined(folder, own), name));
                }
                (Some(number), [name]) => {
                    self.files.insert(number, joined(folder, name));
                }
                (None, [name, ..]) => self.own.0 = self.add_file(folder, name),
                _ => {}
            }
        }
    }

    /// The number of the place of an instruction in `section`.
    pub(crate) fn of(&mut self, statement: &Statement<'_>, section: &str) -> u32 {
        let found = match self.next.take() {
            Some(next) => {
                self.last.insert(section.to_owned(), next);
                next
            }
            None if self.has_lines => self.last.get(section).copied().unwrap_or((self.own.0, 0)),
            None if self.is_compiled => (self.own.0, 0),
            None => (self.own.0, (i64::from(statement.line) + self.own.1).unsigned_abs() as u32),
        };
        self.number(found)
    }

    /// The number of the last place in `section`, if there are lines.
    pub(crate) fn last(&mut self, section: &str) -> Option<u32> {
        self.last.get(section).copied().map(|found| self.number(found))
    }

    fn number(&mut self, found: (u32, u32)) -> u32 {
        let number = self.all.len() as u32;
        *self.numbers.entry(found).or_insert_with(|| {
            let name = self.files.get(&found.0).cloned().unwrap_or_else(|| "?".to_owned());
            self.all.push((name, found.1));
            number
        })
    }
}

fn joined(folder: &str, name: &str) -> String {
    if name.starts_with('/') || folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Labels that code or data name, so that the processor may jump there.
pub(crate) fn targets<'t>(statements: &'t [Statement<'_>]) -> HashSet<&'t str> {
    let mut targets = HashSet::new();
    let mut sections = Sections::default();
    for statement in statements {
        let is_section = statement.kind == Kind::Directive && sections.follow(&statement.text);
        if is_section || statement.kind == Kind::Label || sections.current.contains(".debug") {
            continue;
        }
        let words = statement.text.split(|sign: char| !sign.is_ascii() || !is_symbol(sign as u8));
        targets.extend(words.filter(|word| word.starts_with(".L") || word.starts_with('L')));
    }
    targets
}
