//! Numbers with a decimal point or, where columns are separated by tabs or semicolons, with a
//! decimal comma. A file has one of the two.

use figures::text::shorten;

use super::SavedError;
use super::limits::NAME;

/// The decimal separators that a file has, with the first entry of each.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    point: Option<(usize, String)>,
    comma: Option<(usize, String)>,
    /// A comma that may separate thousands: `1,234`.
    doubtful: Option<(usize, String)>,
    /// A comma between columns that have commas or blanks between them.
    misplaced: Option<(usize, String)>,
    /// The largest number of decimals of a number of misses.
    pub(super) decimals: Option<usize>,
}

impl Numbers {
    /// A count or a time in line `line`, 0 or more.
    ///
    /// # Errors
    ///
    /// If the entry is something else; a clause.
    pub(super) fn amount(&mut self, line: usize, entry: &str, commas: bool) -> Result<f64, &'static str> {
        let (points, marks) = (entry.matches('.').count(), entry.matches(',').count());
        let seen = match (points, marks) {
            (0, 0) => &mut None,
            (1, 0) => &mut self.point,
            (0, 1) if !commas => &mut self.misplaced,
            (0, 1) if may_group(entry) => &mut self.doubtful,
            (0, 1) => &mut self.comma,
            _ => return Err("has separators of thousands"),
        };
        let number = match entry.replacen(',', ".", 1).parse::<f64>() {
            Ok(number) if number.is_nan() => return Err("is not a number"),
            Ok(number) if number.is_infinite() => return Err("is infinite"),
            Ok(number) if number < 0.0 => return Err("is negative"),
            Ok(number) => number,
            Err(_) if entry.ends_with('%') => {
                return Err("is a percentage; misses per access are expected, 0.01 for 1 %");
            }
            Err(_) => return Err("is not a number"),
        };
        seen.get_or_insert_with(|| (line, shorten(entry, NAME)));
        Ok(number)
    }

    /// Records how many decimals a number of misses has.
    pub(super) fn note_decimals(&mut self, entry: &str) {
        let decimals = entry.split_once(['.', ',']).map_or(0, |(_, decimals)| decimals.len());
        self.decimals = self.decimals.max(Some(decimals));
    }

    /// Checks that the file has one decimal separator.
    pub(super) fn check(&self) -> Result<(), SavedError> {
        if let Some((line, text)) = &self.misplaced {
            return Err(SavedError::Decimals(format!(
                "line {line} has '{text}', and decimal commas are read only between tabs or semicolons"
            )));
        }
        match (&self.point, self.comma.as_ref().or(self.doubtful.as_ref())) {
            (Some((one, point)), Some((other, comma))) => Err(SavedError::Decimals(format!(
                "line {one} has '{point}' and line {other} '{comma}': a decimal point and a comma"
            ))),
            (None, Some((line, text))) if self.comma.is_none() => Err(SavedError::Decimals(format!(
                "line {line} has '{text}', which can be {} or {}",
                text.replace(',', ""),
                text.replace(',', ".")
            ))),
            _ => Ok(()),
        }
    }
}

/// Whether a comma may separate thousands: `1,234`, but not `0,123`.
fn may_group(text: &str) -> bool {
    text.split_once(',').is_some_and(|(whole, rest)| {
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        (1..=3).contains(&whole.len())
            && !whole.starts_with('0')
            && rest.len() == 3
            && digits(whole)
            && digits(rest)
    })
}
