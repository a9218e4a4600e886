//! Reads numbers as programs and spreadsheets of several countries write them.
//!
//! A file has either decimal points or decimal commas. `1,234` alone is ambiguous: it is
//! read only if another entry of the file shows what the comma means.

use figures::text::shorten;
use figures::units::Bytes;

use super::SavedError;
use super::limits::NAME;

/// An entry and its position.
#[derive(Debug, Clone)]
struct Seen {
    line: usize,
    text: String,
}

/// The file's decimal separator, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    point: Option<Seen>,
    comma: Option<Seen>,
    /// A comma that may separate thousands.
    doubtful: Option<Seen>,
    /// The largest number of decimals of a number of misses.
    pub(super) decimals: Option<usize>,
}

impl Numbers {
    /// A count or a time in line `line`, 0 or more; a percentage becomes a share.
    ///
    /// # Errors
    ///
    /// If the entry is something else; a clause.
    pub(super) fn amount(&mut self, line: usize, entry: &str) -> Result<f64, &'static str> {
        let text = entry.trim();
        let (text, scale) = match text.strip_suffix('%') {
            Some(number) => (number.trim_end(), 0.01),
            None => (text, 1.0),
        };
        let number = self.number(line, text)?;
        match number {
            _ if number.is_nan() => Err("is not a number"),
            _ if number.is_infinite() => Err("is infinite"),
            _ if number < 0.0 => Err("is negative"),
            _ => Ok(number * scale),
        }
    }

    /// A size or a stride: `8192`, `8K`, `0,5M`, or a number of units of `scale` bytes.
    pub(super) fn bytes(&mut self, line: usize, entry: &str, scale: f64) -> Option<u64> {
        let text = entry.trim();
        if is_grouped(text) {
            return None;
        }
        let bytes = match text.replacen(',', ".", 1).parse::<Bytes>() {
            Ok(Bytes(bytes)) if scale == 1.0 => {
                let digits = text.trim_end_matches(|c: char| c.is_alphabetic() || c == ' ');
                _ = self.number(line, digits);
                bytes
            }
            _ => whole(self.number(line, text).ok()? * scale)?,
        };
        Some(bytes).filter(|bytes| *bytes > 0)
    }

    fn number(&mut self, line: usize, text: &str) -> Result<f64, &'static str> {
        let count = |sign: char| text.matches(sign).count();
        let seen = || Seen { line, text: shorten(text, NAME) };
        let sign = match (count('.'), count(',')) {
            (0, 0) => return parsed(text),
            (1, 0) => &mut self.point,
            (0, 1) if is_grouped(text) => &mut self.doubtful,
            (0, 1) => &mut self.comma,
            (_, 0) | (0, _) => return Err("has separators of thousands"),
            _ => return Err("has both a point and a comma"),
        };
        let number = parsed(&text.replacen(',', ".", 1))?;
        sign.get_or_insert_with(seen);
        Ok(number)
    }

    /// Records how many decimals a number of misses has.
    pub(super) fn note_decimals(&mut self, entry: &str) {
        let digits = entry.trim().trim_end_matches(['%', ' ']);
        let decimals = digits.split_once(['.', ',']).map_or(0, |(_, decimals)| decimals.len());
        self.decimals = self.decimals.max(Some(decimals + if entry.contains('%') { 2 } else { 0 }));
    }

    /// Checks that the file has one decimal separator.
    pub(super) fn check(&self) -> Result<(), SavedError> {
        match (&self.point, &self.comma, &self.doubtful) {
            (Some(point), Some(comma), _) | (Some(point), None, Some(comma)) => {
                let (first, second) = if point.line <= comma.line { (point, comma) } else { (comma, point) };
                Err(SavedError::Decimals(format!(
                    "line {} has '{}' and line {} '{}': a decimal point and a comma",
                    first.line, first.text, second.line, second.text
                )))
            }
            (None, None, Some(Seen { line, text })) => Err(SavedError::Decimals(format!(
                "line {line} has '{text}', which can be {} or {}",
                text.replace(',', ""),
                text.replace(',', ".")
            ))),
            _ => Ok(()),
        }
    }
}

/// Whether a comma of `text` may separate thousands: `1,234`, `12,345,678`.
fn is_grouped(text: &str) -> bool {
    let mut groups = text.split(',');
    let digits = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let begins = (1..=3).contains(&first.len()) && digits(first) && !first.starts_with('0');
    let mut rest = groups.peekable();
    begins && rest.peek().is_some() && rest.all(|group| group.len() == 3 && digits(group))
}

fn parsed(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "is not a number")
}

fn whole(bytes: f64) -> Option<u64> {
    (bytes.fract() == 0.0 && (0.0..9e15).contains(&bytes)).then_some(bytes as u64)
}

/// Whether this is the text that the kit prints for a missing figure.
pub(super) fn is_gap(text: &str) -> bool {
    text.starts_with("not counted")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_a_point_or_a_comma() {
        for (text, number) in [
            ("0,5", 0.5),
            ("0.5", 0.5),
            ("7,5e-05", 7.5e-5),
            ("12,5 %", 0.125),
            ("0.0078%", 0.000_078),
            ("3", 3.0),
            ("1,2345", 1.2345),
            ("0,123", 0.123),
        ] {
            let mut numbers = Numbers::default();
            let read = numbers.amount(1, text).unwrap();
            assert!((read / number - 1.0).abs() < 1e-12 && numbers.check().is_ok(), "{text}: {read}");
        }
        for text in
            ["-nan", "inf", "-1", "1.234,5", "1,234.5", "1,234,567", "1.2.3", "", "x", "2.5 ns", "1 234,5"]
        {
            assert!(Numbers::default().amount(1, text).is_err(), "{text}");
        }
    }

    #[test]
    fn one_file_has_one_sign_and_a_comma_that_may_be_either_is_refused() {
        let checked = |entries: &[&str]| {
            let mut numbers = Numbers::default();
            for (line, entry) in (1..).zip(entries) {
                numbers.amount(line, entry).unwrap();
            }
            numbers.check().map_err(|why| why.to_string())
        };
        assert!(checked(&["0,5", "1,234"]).is_ok());
        for (entries, why) in [
            (&["0.5", "0,25"][..], "line 1 has '0.5' and line 2 '0,25'"),
            (&["0,25", "3", "0.5"], "line 1 has '0,25' and line 3 '0.5'"),
            (&["204,800"], "line 1 has '204,800', which can be 204800 or 204.800"),
            (&["0.5", "204,800"], "line 1 has '0.5' and line 2 '204,800'"),
        ] {
            let refused = checked(entries).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn sizes_are_whole_bytes_in_any_unit() {
        for (text, scale, bytes) in [
            ("8192", 1.0, Some(8192)),
            ("8K", 1.0, Some(8192)),
            ("0,5M", 1.0, Some(524_288)),
            ("8192.0", 1.0, Some(8192)),
            ("8192,0", 1.0, Some(8192)),
            ("8.192E+03", 1.0, Some(8192)),
            ("8", 1024.0, Some(8192)),
            ("0,5", 1024.0, Some(512)),
            ("8,192", 1.0, None),
            ("8.5", 1.0, None),
            ("0", 1.0, None),
            ("-8", 1.0, None),
            ("nan", 1.0, None),
            ("x", 1024.0, None),
        ] {
            assert_eq!(Numbers::default().bytes(1, text, scale), bytes, "{text}");
        }
    }
}
