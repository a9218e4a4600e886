//! `name=value` lines, the format of cm1 since the oldest kit.

use super::{Cell, Found, Lines, Row, SavedError, amount, bad_line};
use figures::units::Bytes;

/// `cache_size=8192`, `CSIZE=8192 \tSTRIDE=1`, in any order and spacing.
struct Fields<'a>(Vec<(String, &'a str)>);

impl<'a> Fields<'a> {
    fn of(line: &'a str) -> Fields<'a> {
        // "avg_misses= 0.1" has happened: a blank may follow the sign, so
        // split at the signs first and take the word before and behind each
        let parts: Vec<&str> = line.split('=').collect();
        let pairs = parts.windows(2).filter_map(|pair| {
            let name = pair[0].split_whitespace().next_back()?;
            let value = pair[1].split_whitespace().next().unwrap_or("");
            Some((name.to_ascii_lowercase().replace('_', ""), value))
        });
        Fields(pairs.collect())
    }

    fn get(&self, names: &[&str]) -> Option<&'a str> {
        self.0.iter().find(|(name, _)| names.contains(&name.as_str())).map(|&(_, value)| value)
    }
}

/// Reads the lines.
pub(super) fn parse(lines: &Lines) -> Result<Found, SavedError> {
    let mut found = Found::default();
    let mut strangers = Vec::new();
    let mut widest = 0;
    for &(number, text) in &lines.lines {
        let fields = Fields::of(text);
        let (size, stride) = (fields.get(&["cachesize", "csize"]), fields.get(&["stride"]));
        let cut = lines.cut && lines.is_last(number) && fields.0.len() < widest;
        widest = widest.max(fields.0.len());
        let (Some(size), Some(stride)) = (size, stride) else {
            if lines.is_last(number) && !found.rows.is_empty() {
                found.note_damage(format!("line {number}, the last, is cut off; it is left out"));
            } else {
                strangers.push((number, text));
            }
            continue;
        };
        if cut {
            found.note_damage(format!("line {number}, the last, is cut off; it is left out"));
            continue;
        }
        let bytes = |text: &str| text.parse::<Bytes>().ok().filter(|b| b.0 > 0).map(|b| b.0);
        let (Some(size), Some(stride)) = (bytes(size), bytes(stride)) else {
            return Err(bad_line(
                number,
                text,
                "has a size or stride that is not a positive number of bytes",
            ));
        };
        let entry = fields.get(&["avgmisses"]);
        let misses = entry.and_then(amount);
        match entry {
            // `not counted (reason)` is how the kit prints a gap
            Some("not") | None if misses.is_none() => {
                found.notes.push(format!("line {number} has no number of misses; that cell is left open"));
            }
            Some(entry) if misses.is_none() => found.note_damage(format!(
                "line {number}: '{entry}' is no usable number of misses; that cell is left open"
            )),
            _ => {}
        }
        // avg_time is in microseconds per access
        let nanos = fields.get(&["avgtime"]).and_then(amount).map(|micros| micros * 1e3);
        found.rows.push(Row { cell: Cell { size, stride, misses, nanos }, line: number });
        if let Some(event) = fields.get(&["event"]) {
            found.note_event(event);
        }
        if let Some(source) = fields.get(&["source"]) {
            found.note_source(source);
        }
    }
    strangers_are_few(&strangers, &mut found)?;
    Ok(found)
}

/// A heading or a warning between the rows is skipped; a file of them is not
/// a sweep.
fn strangers_are_few(strangers: &[(usize, &str)], found: &mut Found) -> Result<(), SavedError> {
    let Some(&(number, text)) = strangers.first() else { return Ok(()) };
    if found.rows.is_empty() {
        return Err(SavedError::Empty);
    }
    if strangers.len() > 3.max(found.rows.len() / 10) {
        return Err(bad_line(number, text, "and others are not rows of a sweep"));
    }
    for (number, _) in strangers {
        found.notes.push(format!("line {number} is not a row of a sweep; it is skipped"));
    }
    Ok(())
}
