//! Sweeps as text: cm1's lines of `name=value`, spark's table, and the kit's own CSV.

use figures::text::shorten;

use super::raw::{RawCell, RawSweep};
use super::{EMPTY, NAME, SavedCell};

/// Passes per stride of the C kit's spark, whose files do not say it.
const USUAL_REPEATS: f64 = 100.0;
/// C's `%lf` has six decimals: rounding may have changed a number by half of the last.
const ROUNDING: f64 = 0.5e-6;
/// A time with a larger share of rounding is left out.
const COARSE: f64 = 0.05;

/// The sentence for a line that cannot be used; `what` is its second part.
fn bad_line(line: usize, text: &str, what: &str) -> String {
    format!("line {line} {what}: '{}'", shorten(text, NAME))
}

/// The fields of one row, by the names of their columns.
struct Fields<'a> {
    line: usize,
    text: &'a str,
    fields: Vec<(String, String)>,
}

impl Fields<'_> {
    /// The entry under the first of `names` that the row has.
    fn get(&self, names: &[&str]) -> Option<&str> {
        let of = |name: &&str| self.fields.iter().find(|(known, _)| known == name);
        names.iter().find_map(of).map(|(_, entry)| entry.as_str()).filter(|entry| !entry.is_empty())
    }

    /// The figure under one of `names`, 0 or more; none if it is marked as not counted.
    fn amount(&self, names: &[&str]) -> Result<Option<f64>, String> {
        let entry = self.get(names).filter(|entry| !entry.starts_with("not counted"));
        let Some(entry) = entry else { return Ok(None) };
        let why = match entry.parse::<f64>() {
            Ok(number) if number.is_infinite() => "is infinite",
            Ok(number) if number < 0.0 => "is negative",
            Ok(number) if !number.is_nan() => return Ok(Some(number)),
            Err(_) if entry.ends_with('%') => "is a percentage; misses per access are expected, 0.01 for 1 %",
            Err(_) if entry.contains(',') => {
                "has a comma; write decimals with a point, and nothing between thousands"
            }
            _ => "is not a number",
        };
        Err(format!("line {}: '{}' {why}", self.line, shorten(entry, NAME)))
    }

    fn bytes(&self, what: &str, names: &[&str]) -> Result<u64, String> {
        let entry = self.get(names).unwrap_or_default();
        entry.parse().map_err(|_| {
            let shown = shorten(entry, 30);
            let why = format!("has '{shown}' as its {what}, where a whole number of bytes is expected");
            bad_line(self.line, self.text, &why)
        })
    }

    /// Adds the cell of this row.
    fn add(&self, found: &mut RawSweep) -> Result<(), String> {
        let size = self.bytes("array size", &["size_bytes", "cache_size", "csize", "size"])?;
        let stride = self.bytes("stride", &["stride_bytes", "stride"])?;
        if let Some(event) = self.get(&["event"]) {
            found.note_event(self.line, event)?;
        }
        let misses = self.amount(&["avg_misses", "avgmisses"])?;
        let micros = self.amount(&["avg_time_us", "avg_time", "avgtime"])?;
        let nanos = self.amount(&["ns_per_access"])?.or(micros.map(|micros| micros * 1e3));
        let nanos = match nanos {
            None => self.elapsed(size, stride, found)?,
            some => some,
        };
        let from = |name| {
            self.get(&[name])
                .or(self.get(&["source"]))
                .and_then(|name| serde_json::from_value(name.into()).ok())
        };
        let timed = from("ns_per_access_source").or(from("avg_time_us_source")).or(from("time_source"));
        let cell = SavedCell { size, stride, misses, nanos };
        found.cells.push(RawCell { cell, counted: from("avg_misses_source"), timed, line: self.line });
        Ok(())
    }

    /// The time per access from the seconds that all passes took.
    fn elapsed(&self, size: u64, stride: u64, found: &mut RawSweep) -> Result<Option<f64>, String> {
        const SECONDS: &[&str] = &["elapsed(s)"];
        let (Some(seconds), Some(entry)) = (self.amount(SECONDS)?, self.get(SECONDS)) else {
            return Ok(None);
        };
        let repeats = match self.get(&["repeats"]).map(str::parse::<f64>) {
            None => {
                found.usual_repeats = true;
                USUAL_REPEATS
            }
            Some(Ok(repeats)) if repeats >= 1.0 && repeats.is_finite() => repeats,
            Some(_) => return Err(bad_line(self.line, self.text, "has no number of passes as its repeats")),
        };
        if decimals(entry) == 6 && ROUNDING / seconds > COARSE {
            found.coarse += 1;
            return Ok(None);
        }
        // repeats * stride passes of size / stride accesses each
        let accesses = repeats * stride as f64 * size.checked_div(stride).unwrap_or(0).max(1) as f64;
        Ok(Some(seconds * 1e9 / accesses).filter(|nanos| nanos.is_finite()))
    }
}

/// How many decimals a number has.
fn decimals(entry: &str) -> usize {
    entry.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// The lines that may contain data: no blank lines, no comments, no messages of the C kit.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#') && !line.starts_with("[LOG]")
    })
}

/// Reads a text in the format that its first line shows.
pub(super) fn parse(text: &str) -> Result<RawSweep, String> {
    let (number, first) = lines(text).next().ok_or(EMPTY)?;
    let mut found = RawSweep::default();
    let begins = first.trim_start().to_ascii_lowercase();
    if begins.starts_with("cache_size=") || begins.starts_with("csize=") {
        keyed(text, &mut found)?;
    } else {
        let separator = [b';', b'\t', b','].into_iter().find(|sign| first.as_bytes().contains(sign));
        let names = split(first, separator);
        let names: Vec<String> = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
        let has = |wanted: &[&str]| names.iter().any(|name| wanted.contains(&name.as_str()));
        if begins.starts_with("sealed =") {
            let what = "is of a sealed machine; give the file to a program with --machine";
            return Err(bad_line(number, "sealed = ...", what));
        }
        if !has(&["size_bytes", "size"]) || !has(&["stride_bytes", "stride"]) {
            return Err(bad_line(
                number,
                first,
                "is neither a row of cm1 (cache_size=8192 stride=1 ...) nor a header with the columns size_bytes \
                 and stride_bytes, or spark's size and stride",
            ));
        }
        if !has(&["avg_misses", "ns_per_access", "avg_time_us", "elapsed(s)"]) {
            let why = "has no column called avg_misses, ns_per_access, avg_time_us or elapsed(s), as cm1 and spark \
                       call their figures per access";
            return Err(bad_line(number, first, why));
        }
        table(text, separator, &names, &mut found)?;
    }
    Ok(found)
}

/// The entries of a line; without a separator, of a table whose tabs became blanks.
fn split(line: &str, separator: Option<u8>) -> Vec<String> {
    let Some(separator) = separator else { return line.split_whitespace().map(str::to_owned).collect() };
    // A separator within double quotes is a part of its entry; two quotes there are one.
    let (mut entries, mut is_quoted) = (vec![String::new()], false);
    let mut signs = line.chars().peekable();
    while let (Some(sign), Some(entry)) = (signs.next(), entries.last_mut()) {
        match sign {
            '"' if is_quoted && signs.next_if_eq(&'"').is_some() => entry.push('"'),
            '"' if is_quoted || entry.trim().is_empty() => is_quoted = !is_quoted,
            sign if !is_quoted && sign == char::from(separator) => entries.push(String::new()),
            sign => entry.push(sign),
        }
    }
    entries.iter().map(|entry| entry.trim().to_owned()).collect()
}

fn keyed(text: &str, found: &mut RawSweep) -> Result<(), String> {
    let mut usual = 0;
    for (number, line) in lines(text) {
        let commas = line.contains(['\t', ';']);
        let pieces: Vec<&str> =
            if commas { line.split(['\t', ';']).collect() } else { line.split_whitespace().collect() };
        let mut fields: Vec<(String, String)> = Vec::new();
        for piece in pieces {
            match (piece.split_once('='), fields.last_mut()) {
                (Some((name, entry)), _) => {
                    fields.push((name.trim().to_ascii_lowercase(), entry.trim().to_owned()));
                }
                // the reason of a gap has several words
                (None, Some((_, entry))) => *entry = format!("{entry} {}", piece.trim()).trim().to_owned(),
                (None, None) => {}
            }
        }
        let row = Fields { line: number, text: line, fields };
        if row.fields.len() < usual && !text.ends_with('\n') && text.ends_with(line) {
            return Err(bad_line(number, line, "is cut off: remove it, or save the sweep again"));
        } else if row.get(&["cache_size", "csize"]).is_none() || row.get(&["stride"]).is_none() {
            return Err(bad_line(number, line, "is not a row of cm1, which has cache_size= and stride="));
        } else {
            usual = usual.max(row.fields.len());
            row.add(found)?;
        }
    }
    Ok(())
}

fn table(text: &str, separator: Option<u8>, names: &[String], found: &mut RawSweep) -> Result<(), String> {
    for (number, line) in lines(text).skip(1) {
        let mut entries = split(line, separator);
        if line.matches('"').count() % 2 == 1 {
            return Err(bad_line(number, line, "opens a quotation mark that is never closed"));
        }
        let appended = entries.split_off(names.len().min(entries.len()));
        let mut fields: Vec<(String, String)> = names.iter().cloned().zip(entries.iter().cloned()).collect();
        // what spark appends to the columns of the C kit
        let mut words = appended.iter();
        let mut known = entries.len() == names.len();
        while let Some(word) = words.next() {
            match word.split_once('=') {
                Some((name, entry)) => fields.push((name.to_owned(), entry.to_owned())),
                None if word == "median" => known &= words.any(|word| word.ends_with(')')),
                None => known &= word.starts_with("median of "),
            }
        }
        if !known {
            let (entries, columns) = (entries.len() + appended.len(), names.len());
            return Err(bad_line(number, line, &format!("has {entries} entries for {columns} columns")));
        }
        Fields { line: number, text: line, fields }.add(found)?;
    }
    Ok(())
}
