//! Lines split into entries.

use csv::{Position, ReaderBuilder, StringRecord, Trim};

use figures::text::separator;

use super::limits::COLUMNS;

/// The separator of a line's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Sign(u8),
    /// Any blanks, as in output copied from the C kit's programs.
    Blanks,
}

impl Mark {
    /// The possible separators of `text`: the one that it names, or else the most probable
    /// first. A tab is never part of an entry; a comma may be part of a reason or a number.
    pub(super) fn of(text: &str) -> Vec<Mark> {
        match text.lines().find(|line| !line.trim().is_empty()).and_then(separator) {
            Some(sign) => vec![Mark::Sign(sign)],
            None => vec![Mark::Sign(b'\t'), Mark::Sign(b';'), Mark::Sign(b','), Mark::Blanks],
        }
    }

    /// Whether it separates entries of `line`.
    pub(super) fn is_in(self, line: &str) -> bool {
        match self {
            Mark::Sign(sign) => line.as_bytes().contains(&sign),
            Mark::Blanks => true,
        }
    }

    fn byte(self) -> Option<u8> {
        match self {
            Mark::Sign(sign) => Some(sign),
            Mark::Blanks => None,
        }
    }
}

/// One line that may contain data.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub(super) number: usize,
    /// Its text in the file; several lines if a quoted entry contains line breaks.
    pub(super) text: &'a str,
    /// Its entries, unquoted; at most one more than [`COLUMNS`].
    pub(super) entries: Vec<String>,
    /// Whether it is the last of the file.
    pub(super) last: bool,
}

impl Line<'_> {
    /// Whether a quoted entry is unfinished at its end.
    pub(super) fn is_open(&self) -> bool {
        self.entries.iter().any(|entry| entry.contains('\n')) && self.text.matches('"').count() % 2 == 1
    }
}

/// Whether the text ends in the middle of its last line.
pub(super) fn is_cut(text: &str) -> bool {
    !text.is_empty() && !text.ends_with('\n')
}

/// The lines of a text that may contain data: no blank lines, no comments, no messages of
/// the C kit.
pub(super) fn plain(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).map(|(number, line)| (number, line.trim())).filter(|(_, line)| holds_data(line))
}

fn holds_data(line: &str) -> bool {
    !line.is_empty() && !line.starts_with("[LOG]") && !line.starts_with('#') && separator(line).is_none()
}

/// The same lines, split at `mark` (or at blanks if the text or a line has no such mark). A
/// quoted entry may contain the mark.
pub(super) fn split(text: &str, mark: Mark) -> Box<dyn Iterator<Item = Line<'_>> + '_> {
    let end = text.trim_end().len();
    let is_last = move |line: &str| line.as_ptr() as usize + line.len() >= text.as_ptr() as usize + end;
    let Some(byte) = mark.byte().filter(|byte| text.as_bytes().contains(byte)) else {
        return Box::new(plain(text).map(move |(number, line)| Line {
            number,
            text: line,
            entries: words(line),
            last: is_last(line),
        }));
    };
    let mut reader = ReaderBuilder::new()
        .delimiter(byte)
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    Box::new(std::iter::from_fn(move || {
        loop {
            let from = reader.position().clone();
            if !reader.read_record(&mut record).ok()? {
                return None;
            }
            let (number, line) = raw(text, &from, reader.position());
            if !holds_data(line) {
                continue;
            }
            let entries: Vec<String> = record.iter().take(COLUMNS + 1).map(str::to_owned).collect();
            let entries = if entries.len() == 1 { words(line) } else { entries };
            return Some(Line { number, text: line, entries, last: is_last(line) });
        }
    }))
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().take(COLUMNS + 1).map(str::to_owned).collect()
}

/// The text between two positions of the reader, and the number of its first
/// line that is not blank.
fn raw<'a>(text: &'a str, from: &Position, to: &Position) -> (usize, &'a str) {
    let raw = text.get(from.byte() as usize..to.byte() as usize).unwrap_or_default();
    let start = raw.len() - raw.trim_start().len();
    let blank = raw[..start].matches('\n').count();
    (from.line() as usize + blank, raw.trim())
}
