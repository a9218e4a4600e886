//! When something was handed in, by the clock of the system that collected it.

use std::collections::HashMap;
use std::path::Path;

use common::failure::Failure;
use common::system::date;
use common::text::shorten;

use super::class::Class;
use crate::tables::Table;

/// Headers of the column of times: this kit's, Moodle's, Google Forms', Gradescope's, Canvas's.
pub(super) const HEADERS: [&str; 5] =
    ["time", "Last modified (submission)", "Timestamp", "Submission Time", "submitted_at"];

const MONTHS: &str = "January February March April May June July August September October November December";

/// When it was due, and the offset of that time, which times without one have too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Due {
    at: i64,
    zone: i64,
}

impl Due {
    /// Hours after it was due, in hundredths; 0 if it was in time.
    pub(super) fn hours_late(self, at: i64) -> f64 {
        let seconds = (at - self.at).max(0) as f64;
        (seconds / 36.0).ceil() / 100.0
    }
}

/// Reads the time on the command line.
pub(super) fn due(text: &str) -> Result<Due, String> {
    match date::parse(text.trim()) {
        Some((at, Some(zone))) => Ok(Due { at: at - zone, zone }),
        _ => Err("give a time with its zone, as 2026-11-20T23:59+01:00".to_owned()),
    }
}

/// Seconds since 1970 of a time as RFC 3339, or as the headers' systems write it; `None`
/// if it is neither. A time without an offset has that of `due`.
fn read(text: &str, due: Option<Due>) -> Option<i64> {
    // Some systems write a narrow space before PM.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (at, zone) = date::parse(&text).or_else(|| of_moodle(&text)).or_else(|| of_forms(&text))?;
    Some(at - zone.unwrap_or(due.map_or(0, |due| due.zone)))
}

/// The time in a cell of the student called `name`, if there is one.
/// Fails if it cannot be read.
pub(super) fn cell(text: &str, name: &str, due: Option<Due>) -> Result<Option<i64>, String> {
    match read(text, due) {
        None if !["", "-"].contains(&text.trim()) => Err(format!(
            "the time '{}' of '{}' cannot be read; write it as 2026-11-20T23:59+01:00",
            shorten(text, 60),
            shorten(name, 60)
        )),
        time => Ok(time),
    }
}

/// The times in column `at` of a table with these rows of students; none if nothing was `due`.
/// Fails if a cell cannot be read.
pub(super) fn of(
    table: &Table,
    at: usize,
    rows: &HashMap<usize, usize>,
    class: &Class,
    due: Option<Due>,
) -> Result<HashMap<usize, i64>, String> {
    let mut times = HashMap::new();
    for (student, place) in rows.iter().filter(|_| due.is_some()) {
        let time = cell(table.rows[*place].cell(at), &class.names[*student], due)?;
        times.extend(time.map(|time| (*student, time)));
    }
    Ok(times)
}

/// The times in the table of that file.
/// Fails if it cannot be read, has no column of times or of students, or a time cannot be read.
pub(super) fn of_file(path: &Path, class: &Class, due: Option<Due>) -> Result<HashMap<usize, i64>, Failure> {
    Table::read_with(path, |table| {
        let at = table.needed(&HEADERS, "")?;
        let rows = class.join(&table.header, &[at])?.rows(&table)?;
        of(&table, at, &rows, class, due)
    })
}

/// Moodle's column, exported in English: `Friday, 20 November 2026, 9:59 PM`.
fn of_moodle(text: &str) -> Option<(i64, Option<i64>)> {
    let words: Vec<&str> = text.split(' ').collect();
    let [_, day, month, year, clock, half] = words[..] else { return None };
    let month = 1 + MONTHS.split(' ').position(|name| name == month)?;
    let year = year.strip_suffix(',')?;
    date::parse(&format!("{year}-{month:02}-{day:0>2}T{}", clock_of_24_hours(clock, half)?))
}

/// The column of Google Forms: `2026/11/20 10:12:13 AM GMT+1`.
fn of_forms(text: &str) -> Option<(i64, Option<i64>)> {
    let words: Vec<&str> = text.split(' ').collect();
    let [day, clock, half, zone] = words[..] else { return None };
    let zone = zone.strip_prefix("GMT")?;
    let (sign, hours) = zone.split_at_checked(1).unwrap_or(("+", "0"));
    let (hours, minutes) = hours.split_once(':').unwrap_or((hours, "00"));
    let (day, clock) = (day.replace('/', "-"), clock_of_24_hours(clock, half)?);
    date::parse(&format!("{day}T{clock}{sign}{hours:0>2}:{minutes}"))
}

/// `21:59` for `9:59` and `PM`.
fn clock_of_24_hours(clock: &str, half: &str) -> Option<String> {
    let (hour, rest) = clock.split_once(':')?;
    let hour: u32 = hour.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let noon = ["AM", "PM"].iter().position(|known| *known == half)? as u32;
    Some(format!("{:02}:{rest}", hour % 12 + 12 * noon))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_systems_write_them() {
        let by = due("2026-11-20T23:59+01:00").unwrap();
        const AT: i64 = 1_795_219_170;
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29 00:00Z", Some(951_782_400)),
            ("2026-11-20T23:59:30.123Z", Some(AT)),
            ("2026-11-20 23:59:30.123456000 Z", Some(AT)),
            ("2026-11-21 00:59:30 +0100", Some(AT)),
            ("2026-11-20T18:59:30-05:00", Some(AT)),
            ("2026-11-21 00:59:30", Some(AT)),
            ("Saturday, 21 November 2026, 12:59 AM", Some(AT - 30)),
            ("2026/11/21 12:59:30 AM GMT+1", Some(AT)),
            ("2026/11/20 6:29:30 PM GMT-5:30", Some(AT)),
            ("2026-02-29T00:00Z", None),
            ("2026-13-01T00:00Z", None),
            ("2026-11-20", None),
            ("11/20/2026 23:59", None),
            ("20/11/2026 23:59", None),
            ("Freitag, 20. November 2026, 21:59", None),
            ("Friday, 20 November 2026, 21:59 PM", None),
            ("2026-11-20T23:59 local", None),
            ("20é6-11-20T23:59", None),
            ("", None),
        ] {
            assert_eq!(read(text, Some(by)), seconds, "{text}");
        }
        assert!(due("2026-11-20T23:59").is_err() && due("someday").is_err());
        let hours = |after: i64| by.hours_late(by.at + after);
        assert_eq!([-1, 0, 1, 3600, 5400].map(hours), [0.0, 0.0, 0.01, 1.0, 1.5]);
    }
}
