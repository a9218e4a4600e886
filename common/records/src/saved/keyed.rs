//! `name=value` lines, the format of cm1 since the oldest kit.

use figures::text::shorten;

use super::error::bad_line;
use super::limits::{ENTRY, NAME};
use super::numbers::is_gap;
use super::raw::{RawCell, RawSweep, source};
use super::{SavedCell, SavedError, lines};

/// `cache_size=8192`, `CSIZE=8192 \tSTRIDE=1`, in any order and spacing.
struct Fields<'a>(Vec<(String, &'a str)>);

impl<'a> Fields<'a> {
    fn of(line: &'a str) -> Fields<'a> {
        // "avg_misses= 0.1" has happened: a blank may follow the equals sign. So split at
        // the signs first, and take the word before and after each; semicolons, and commas
        // outside numbers, separate like blanks
        let parts: Vec<&str> = line.split('=').collect();
        let pairs = parts.windows(2).filter_map(|pair| {
            let name = pair[0].split(separates).rfind(|word| !word.is_empty())?.rsplit(',').next()?;
            Some((name.to_ascii_lowercase().replace('_', ""), pair[1].trim_start()))
        });
        Fields(pairs.collect())
    }

    /// The text after the sign, up to the next field.
    fn rest(&self, names: &[&str]) -> Option<&'a str> {
        self.0.iter().find(|(name, _)| names.contains(&name.as_str())).map(|&(_, value)| value)
    }

    /// The word after the sign.
    fn get(&self, names: &[&str]) -> Option<&'a str> {
        let word = self.rest(names)?.split(separates).next().unwrap_or_default();
        let end =
            word.match_indices(',').find(|(at, _)| !word[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
        Some(end.map_or(word, |(at, _)| &word[..at]))
    }
}

fn separates(c: char) -> bool {
    c.is_whitespace() || c == ';'
}

/// Reads the lines.
pub(super) fn parse(text: &str) -> Result<RawSweep, SavedError> {
    let mut found = RawSweep::default();
    let mut strangers = SkippedLines::default();
    let mut widest = 0;
    let mut lines = lines::plain(text).peekable();
    while let Some((number, line)) = lines.next() {
        let last = lines.peek().is_none();
        let fields = Fields::of(line);
        let cut = last && lines::is_cut(text) && fields.0.len() < widest;
        widest = widest.max(fields.0.len());
        let places = fields.get(&["cachesize", "csize"]).zip(fields.get(&["stride"]));
        match places {
            None if !last || found.cells.is_empty() => strangers.push(number, line),
            Some((size, stride)) if !cut => cell(number, line, &fields, [size, stride], &mut found)?,
            _ => found.note_damage(format!("line {number}, the last, is cut off; it is left out")),
        }
    }
    strangers.are_few(&mut found)?;
    Ok(found)
}

/// Adds the cell of one line.
fn cell(
    number: usize,
    line: &str,
    fields: &Fields,
    places: [&str; 2],
    found: &mut RawSweep,
) -> Result<(), SavedError> {
    let mut size_and_stride = [0; 2];
    for (bytes, (what, entry)) in
        size_and_stride.iter_mut().zip(["array size", "stride"].into_iter().zip(places))
    {
        *bytes = found.numbers.bytes(number, entry, 1.0).ok_or_else(|| {
            let entry = shorten(entry, ENTRY);
            bad_line(
                number,
                line,
                format!("has '{entry}' as its {what}, where bytes are expected, as 8192 or 8K"),
            )
        })?;
    }
    let [size, stride] = size_and_stride;
    let mut figure = |name: &str| {
        // the reason of a gap may have several words
        let entry = fields.rest(&[name]).filter(|rest| is_gap(rest)).or_else(|| fields.get(&[name]))?;
        if name == "avgmisses" { found.misses(number, entry) } else { found.amount(number, entry) }
    };
    let (misses, micros) = (figure("avgmisses"), figure("avgtime"));
    if fields.get(&["avgmisses"]).is_none_or(|entry| entry.starts_with("not")) {
        found.note(format!("line {number} has no number of misses; that cell is left open"));
    }
    if let Some(event) = fields.get(&["event"]) {
        found.note_event(number, event);
    }
    found.push(RawCell {
        // avg_time is in microseconds per access
        cell: SavedCell { size, stride, misses, nanos: micros.map(|micros| micros * 1e3) },
        counted: fields.get(&["source"]).and_then(source),
        timed: fields.get(&["timesource"]).and_then(source),
        line: number,
    })
}

/// Lines without fields: a heading or a warning between the rows is skipped; a file of
/// nothing else is not a sweep.
#[derive(Default)]
struct SkippedLines {
    first: Option<(usize, String)>,
    numbers: Vec<usize>,
}

impl SkippedLines {
    fn push(&mut self, number: usize, line: &str) {
        self.first.get_or_insert_with(|| (number, shorten(line, NAME)));
        self.numbers.push(number);
    }

    fn are_few(self, found: &mut RawSweep) -> Result<(), SavedError> {
        let Some((number, text)) = self.first else { return Ok(()) };
        if found.cells.is_empty() {
            return Err(SavedError::Empty);
        }
        if self.numbers.len() > 3.max(found.cells.len() / 10) {
            return Err(bad_line(number, &text, "and others are not rows of a sweep"));
        }
        for number in self.numbers {
            found.note(format!("line {number} is not a row of a sweep; it is skipped"));
        }
        Ok(())
    }
}
