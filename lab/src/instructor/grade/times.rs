//! When something was handed in, and whether it was late.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use common::failure::Failure;
use common::{input, text::shorten};

use super::identity::Class;
use super::sentence::{Sentence, say};
use crate::instructor::names;
use crate::instructor::roster::letters;
use crate::instructor::tables::Table;

const DAY_S: i64 = 86_400;

/// The options for times and late days.
#[derive(Debug, clap::Args)]
pub(super) struct LatePolicy {
    /// Read the times of hand-in: CSV with a column of names and one of times (2026-11-20T23:59Z)
    #[arg(long, value_name = "FILE")]
    times: Option<PathBuf>,

    /// Set when it was due, in UTC or with an offset: 2026-11-20T23:59+01:00
    #[arg(long, value_name = "TIME", value_parser = instant)]
    due: Option<i64>,

    /// Take off so many per cent of the points for each day begun after --due
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent, requires = "due")]
    late_per_day: f64,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse::<f64>().ok();
    number
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| "give a number from 0 to 100".to_owned())
}

fn instant(text: &str) -> Result<i64, String> {
    parse(text).ok_or_else(|| "give a time as 2026-11-20T23:59Z".to_owned())
}

/// Times from a system's table, in seconds since 1970.
#[derive(Debug, Default)]
pub(super) struct Times {
    by_name: HashMap<String, i64>,
    by_student: HashMap<usize, i64>,
    /// Names in the table that no student has.
    pub(super) nobodys: Vec<String>,
}

impl Times {
    /// When the submission `name`, which belongs to `student`, was handed in.
    pub(super) fn of(&self, name: &str, student: Option<usize>) -> Option<i64> {
        let of_name = self.by_name.get(&names::folded(name));
        of_name.or_else(|| self.by_student.get(&student?)).copied()
    }
}

impl LatePolicy {
    pub(super) fn file(&self) -> Option<&Path> {
        self.times.as_deref()
    }

    /// Reads `--times`.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or a row has no time; the sentence names the row.
    pub(super) fn times(&self, class: &Class) -> Result<Times, Failure> {
        let Some(path) = &self.times else { return Ok(Times::default()) };
        let (table, file) = (Table::read(path)?, input::name(path));
        let of_times = |at: &usize| {
            let cells =
                || table.rows.iter().filter_map(|row| row.get(*at)).filter(|cell| !cell.trim().is_empty());
            cells().next().is_some()
                && cells().all(|cell| parse(cell).or_else(|| local(cell, true)).is_some())
        };
        let columns = || 0..table.header.len();
        let named: Vec<usize> = columns().filter(|at| is_time(&table.header[*at])).collect();
        let of_times = if named.is_empty() { columns().filter(of_times).collect() } else { named };
        let time = match of_times.as_slice() {
            [at] => *at,
            [] => {
                return Err(Failure::usage(format!(
                    "{file} has no column of times; call it 'time', and write 2026-11-20T23:59Z"
                )));
            }
            [one, two, ..] => {
                return Err(Failure::usage(format!(
                    "{file} has two columns of times, '{}' and '{}'; leave one out",
                    table.header[*one], table.header[*two]
                )));
            }
        };
        let cells: Vec<&str> =
            table.rows.iter().map(|row| row.get(time).map_or("", String::as_str)).collect();
        let name = class.column(&table, |at| at == time);
        let name = name.map_err(|why| Failure::usage(format!("{file}: {why}")))?;
        let read = column(&cells, false).map_err(|place| {
            Failure::usage(format!(
                "{file}, row {} ('{}'): '{}' is not a time, or it is not clear which; write 2026-11-20T23:59Z",
                place + 2,
                shorten(table.rows[place].get(name).map_or("", String::as_str), 60),
                shorten(cells[place], 40)
            ))
        })?;
        let mut times = Times::default();
        for (row, at) in table.rows.iter().zip(read) {
            let (name, Some(at)) = (row.get(name).map_or("", String::as_str), at) else { continue };
            let later = |known: &mut i64| *known = at.max(*known);
            times.by_name.entry(names::folded(name)).and_modify(later).or_insert(at);
            match class.named(name).one() {
                Some(student) => {
                    times.by_student.entry(student).and_modify(later).or_insert(at);
                }
                None => times.nobodys.push(shorten(name, 60)),
            }
        }
        Ok(times)
    }

    /// The share of the points that remains, and a sentence if it was late.
    pub(super) fn late(&self, handed_in: Option<i64>, by_file: bool) -> (f64, Option<Sentence>) {
        let Some(due) = self.due else { return (1.0, None) };
        let Some(at) = handed_in else {
            return (1.0, Some(say!("When it was handed in is not known.")));
        };
        let days = (at - due).div_euclid(DAY_S) + i64::from((at - due).rem_euclid(DAY_S) > 0);
        if days <= 0 {
            return (1.0, None);
        }
        let share = (1.0 - days as f64 * self.late_per_day / 100.0).max(0.0);
        let source = if by_file { " by the time of its file" } else { "" };
        let unit = if days == 1 { "day" } else { "days" };
        let note = if share < 1.0 {
            let left = format!("{:.0}", 100.0 * share);
            say!("Late by {} {}{}, which leaves {} % of the points.", days, unit, source, left)
        } else {
            say!("Late by {} {}{}.", days, unit, source)
        };
        (share, Some(note))
    }
}

/// Whether a column with that header has times of hand-in.
pub(super) fn is_time(header: &str) -> bool {
    let known = "time timestamp submitted submittedat submissiontime submissiondate createdat handedin date datahora \
                 submetido carimbodedatahora horodateur datedesoumission czas sygnaturaczasowa время отметкавремени датаотправки";
    let header = letters(header);
    known.split_whitespace().any(|name| name == header)
}

/// The times of a column, in ISO 8601 or as forms and spreadsheets write them. Whether
/// `3/1/2026` has the day or the month first follows from the other cells, or from their
/// order if rows were `appended` in time. If both are possible and in order, the times are
/// unknown, and only the order of the rows is used.
///
/// # Errors
///
/// The number of a cell that cannot be read.
pub(super) fn column(cells: &[&str], appended: bool) -> Result<Vec<Option<i64>>, usize> {
    type Parse<'p> = &'p dyn Fn(&str) -> Option<i64>;
    let read = |parse: Parse<'_>| -> Result<Vec<Option<i64>>, usize> {
        let one = |(place, cell): (usize, &&str)| match cell.trim() {
            "" | "-" => Ok(None),
            cell => parse(cell).map(Some).ok_or(place),
        };
        cells.iter().enumerate().map(one).collect()
    };
    let iso = read(&parse);
    if iso.is_ok() {
        return iso;
    }
    let readings = [true, false].map(|day_first| read(&|cell| local(cell, day_first)));
    let unread = readings.iter().filter_map(|read| read.as_ref().err()).max().copied().unwrap_or(0);
    let mut found: Vec<Vec<Option<i64>>> = readings.into_iter().flatten().collect();
    found.dedup();
    if found.len() > 1 && appended {
        found.retain(|times| times.iter().flatten().is_sorted());
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        2 if appended => Ok(vec![None; cells.len()]),
        _ => Err(unread),
    }
}

/// `20/11/2026 23:59:30`, `20.11.2026 23:59`, `11/20/2026 11:59 PM`, without a zone: UTC.
fn local(text: &str, day_first: bool) -> Option<i64> {
    let mut words = text.split_whitespace();
    let (date, clock, half) = (words.next()?.trim_end_matches(','), words.next()?, words.next());
    let sign = if date.contains('.') { '.' } else { '/' };
    let [one, two, year] = numbers(date, sign)?;
    let (day, month) = if day_first || sign == '.' { (one, two) } else { (two, one) };
    let (hour, minutes) = clock.split_once(':')?;
    let hour: i64 = hour.parse().ok()?;
    let hour = match half.map(str::to_uppercase).as_deref() {
        None => hour,
        Some("AM") => hour % 12,
        Some("PM") => hour % 12 + 12,
        Some(_) => return None,
    };
    parse(&format!("{year:04}-{month:02}-{day:02}T{hour}:{minutes}"))
}

/// Seconds since 1970 of a time in ISO 8601, with `T` or a blank; UTC if it has no offset.
pub(super) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?.trim_start();
    let [year, month, day] = numbers(date, '-')?;
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ':' || c == '.')).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(end);
    let clock = clock.split('.').next().unwrap_or_default();
    let clock = if clock.matches(':').count() == 1 { format!("{clock}:00") } else { clock.to_owned() };
    let [hour, minute, second] = numbers(&clock, ':')?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=longest).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(DAY_S * days(year, month, day) + 3600 * hour + 60 * minute + second - offset(zone.trim())?)
}

fn numbers(text: &str, sign: char) -> Option<[i64; 3]> {
    let mut parts = text.split(sign).map(|part| {
        let digits = (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse().ok()).flatten()
    });
    let found = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(found)
}

/// Seconds east of Greenwich.
fn offset(zone: &str) -> Option<i64> {
    if ["", "Z", "z", "UTC", "GMT"].contains(&zone) {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits: String = zone.strip_prefix(['+', '-'])?.split(':').collect();
    let number: i64 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    match digits.len() {
        2 => Some(sign * 3600 * number),
        4 => Some(sign * (3600 * (number / 100) + 60 * (number % 100))),
        _ => None,
    }
}

/// Days since 1970-01-01, by counting in years that start in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// The time of a file, in seconds since 1970.
pub(super) fn seconds(time: SystemTime) -> Option<i64> {
    time.duration_since(UNIX_EPOCH).ok().and_then(|since| i64::try_from(since.as_secs()).ok())
}

/// Whether a time of the student's clock is plausible: a date, and not in the future.
pub(super) fn plausible(saved: &str) -> bool {
    parse(saved).is_some_and(possible)
}

/// Whether a time of hand-in is plausible: archives without times give 1980, wrong clocks
/// give a future day.
pub(super) fn possible(at: i64) -> bool {
    let now = seconds(SystemTime::now()).unwrap_or(i64::MAX - DAY_S);
    (DAY_S * days(2000, 1, 1)..=now + DAY_S).contains(&at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_systems_write_them() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29 00:00", Some(951_782_400)),
            ("2026-11-20T23:59:30.123Z", Some(1_795_219_170)),
            ("2026-11-20 23:59:30.123456000 Z", Some(1_795_219_170)),
            ("2026-11-21 00:59:30 +0100", Some(1_795_219_170)),
            ("2026-11-20T18:59:30-05:00", Some(1_795_219_170)),
            ("2026-11-20 23:59:30 UTC", Some(1_795_219_170)),
            ("9999-11-20T10:00:00Z", Some(253_398_708_000)),
            ("2026-02-29T00:00Z", None),
            ("2026-13-01T00:00Z", None),
            ("2026-11-20", None),
            ("zzzz", None),
            ("2026-11-20T23:59 local", None),
            ("20é6-11-20T23:59", None),
            ("", None),
        ] {
            assert_eq!(parse(text), seconds, "{text}");
        }
        let of = |cells: &[&'static str], appended| column(cells, appended);
        let at = |text| parse(text);
        let (one, two) = (at("2026-11-20T10:00Z"), at("2026-11-20T09:00Z"));
        assert_eq!(of(&["11/20/2026 10:00:00", "11/20/2026 09:00:00"], true), Ok(vec![one, two]));
        assert_eq!(of(&["20/11/2026 10:00:00", "", "20/11/2026 9:00"], false), Ok(vec![one, None, two]));
        assert_eq!(of(&["20.11.2026 10:00", "20.11.2026 09:00"], false), Ok(vec![one, two]));
        assert_eq!(of(&["11/20/2026, 10:00 AM", "11/20/2026, 9:00 am"], false), Ok(vec![one, two]));
        // day or month?
        assert_eq!(of(&["3/1/2026 10:00", "4/1/2026 10:00"], true), Ok(vec![None, None]));
        assert_eq!(of(&["3/1/2026 10:00", "4/1/2026 10:00"], false), Err(0));
        assert_eq!(
            of(&["10/1/2026 10:00", "9/2/2026 10:00"], true),
            Ok(vec![at("2026-01-10T10:00Z"), at("2026-02-09T10:00Z")])
        );
        assert_eq!(of(&["tomorrow"], true), Err(0));
        assert!(plausible("2026-03-01T10:00:00Z") && !plausible("9999-11-20T10:00:00Z") && !plausible("1"));
    }

    #[test]
    fn a_day_begun_counts_whole() {
        let policy = LatePolicy { times: None, due: Some(1000), late_per_day: 10.0 };
        let left = |at| policy.late(Some(at), false).0;
        assert_eq!(
            [1000, 1001, 1000 + DAY_S, 1001 + DAY_S, 1000 + 30 * DAY_S].map(left),
            [1.0, 0.9, 0.9, 0.8, 0.0]
        );
    }
}
