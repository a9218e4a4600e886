//! The one strict reader of numbers that people enter: fields of the report, cells of a
//! form. Either a text is one number with a known unit, or it is not read and
//! the [`Doubt`] says why. Nothing is guessed.

use serde::{Deserialize, Serialize};

/// What a field asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A size; its base unit is the byte.
    Bytes,
    /// A count: ways, sets, elements. It has no unit.
    Count,
    /// A time; its base unit is the nanosecond.
    Ns,
    /// A rate in per cent.
    Percent,
    /// A difference of two rates, in percentage points.
    Points,
    /// A factor, such as a speed-up. It has no unit.
    #[default]
    Number,
}

/// A unit that a field offers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Unit {
    /// Its name in a field and in a file.
    pub name: &'static str,
    /// In the kind's base unit; `None` where that takes the clock of a core.
    pub factor: Option<f64>,
}

const fn unit(name: &'static str, factor: f64) -> Unit {
    Unit { name, factor: Some(factor) }
}

/// Other spellings of a kind's units, as typed after the number: kind, spelling, name.
pub const SPELLINGS: [(Kind, &str, &str); 17] = [
    (Kind::Bytes, "k", "KiB"),
    (Kind::Bytes, "K", "KiB"),
    (Kind::Bytes, "M", "MiB"),
    (Kind::Bytes, "byte", "B"),
    (Kind::Bytes, "bytes", "B"),
    (Kind::Ns, "µs", "us"),
    (Kind::Ns, "μs", "us"),
    (Kind::Percent, "percent", "%"),
    (Kind::Percent, "per cent", "%"),
    (Kind::Points, "percentage points", "points"),
    (Kind::Points, "pp", "points"),
    (Kind::Points, "p.p.", "points"),
    (Kind::Count, "-way", ""),
    (Kind::Count, "way", ""),
    (Kind::Count, "ways", ""),
    (Kind::Number, "x", ""),
    (Kind::Number, "×", ""),
];

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 6] =
        [Kind::Bytes, Kind::Count, Kind::Ns, Kind::Percent, Kind::Points, Kind::Number];

    /// The units of this kind. If there is one, it is printed after the field; if there are
    /// several, one must be chosen.
    pub fn units(self) -> &'static [Unit] {
        const BYTES: [Unit; 3] = [unit("B", 1.0), unit("KiB", 1024.0), unit("MiB", 1_048_576.0)];
        const TIMES: [Unit; 4] =
            [unit("ns", 1.0), unit("us", 1e3), unit("ms", 1e6), Unit { name: "cycles", factor: None }];
        const PERCENT: [Unit; 1] = [unit("%", 1.0)];
        const POINTS: [Unit; 1] = [unit("points", 1.0)];
        match self {
            Kind::Bytes => &BYTES,
            Kind::Ns => &TIMES,
            Kind::Percent => &PERCENT,
            Kind::Points => &POINTS,
            Kind::Count | Kind::Number => &[],
        }
    }

    /// Whether a range may get half of the points: sizes and ways double from one array of a
    /// sweep to the next, so the sweep shows them as a range. Rates and speed-ups are computed.
    pub fn may_be_range(self) -> bool {
        matches!(self, Kind::Bytes | Kind::Count)
    }

    /// Whether a dot or comma before three digits may separate thousands. A rate or a factor
    /// of 1000 is implausible, so there it is the decimal sign.
    pub fn has_thousands(self) -> bool {
        matches!(self, Kind::Bytes | Kind::Count | Kind::Ns)
    }
}

/// Why an answer was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "each has its sentence")]
pub enum Doubt {
    NotOneNumber,
    Thousands,
    NoNumber,
    NoUnit,
    OtherUnit,
    Kilobytes,
    Cycles,
    OneEnd,
    EmptyRange,
    Impossible,
}

/// All doubts, with a sentence for the person who typed it.
#[rustfmt::skip]
pub const SENTENCES: [(Doubt, &str); 10] = [
    (Doubt::NotOneNumber, "This is not one number: write digits or a formula, as in 48, 1.5, 2^15 or 48/(12*64); only a unit may follow."),
    (Doubt::Thousands, "This can mean thousands or decimals: write the number without a comma or dot, or with another number of decimals."),
    (Doubt::NoNumber, "The number is missing."),
    (Doubt::NoUnit, "Choose the unit from the list after the number, or type it after the number."),
    (Doubt::OtherUnit, "This field has another unit: write only the number, and choose the unit if there is a list."),
    (Doubt::Kilobytes, "KB and MB may be thousands or units of 1024 bytes: choose KiB or MiB."),
    (Doubt::Cycles, "Clock cycles are not converted to a time; your instructor reads this answer."),
    (Doubt::OneEnd, "A range needs both ends."),
    (Doubt::EmptyRange, "The first end of the range must be smaller than the second."),
    (Doubt::Impossible, "This value is not possible: sizes are whole bytes and counts are whole numbers, both at least 1; times are not negative."),
];

impl Doubt {
    /// Its sentence.
    pub fn sentence(self) -> &'static str {
        SENTENCES.iter().find(|(doubt, _)| *doubt == self).map_or("", |(_, sentence)| sentence)
    }
}

/// Longest formula, in bytes: parentheses nest no deeper.
const LONGEST: usize = 200;

/// Reads one number, or computes it: `48`, `-0.5`, `+.5`, `1,5`, `131 072`, `2^15`, `1e3`, `48*1024/(12*64)`,
/// `1 - 16.8/67.1`.
/// Fails if it is anything else.
fn number(text: &str, kind: Kind) -> Result<f64, Doubt> {
    let text = text.trim().replace('\u{2212}', "-");
    if text.is_empty() {
        return Err(Doubt::NoNumber);
    }
    if text.len() > LONGEST {
        return Err(Doubt::NotOneNumber);
    }
    let mut formula = Formula { rest: &text, kind };
    let value = formula.sum()?;
    if formula.rest.is_empty() && value.is_finite() { Ok(value) } else { Err(Doubt::NotOneNumber) }
}

/// What is left of a formula; each function reads its part.
struct Formula<'t> {
    rest: &'t str,
    kind: Kind,
}

impl Formula<'_> {
    /// Whether one of these signs is next; it is skipped.
    fn next(&mut self, signs: &[char]) -> Option<char> {
        let sign = self.rest.trim_start().chars().next().filter(|sign| signs.contains(sign))?;
        self.rest = &self.rest.trim_start()[sign.len_utf8()..];
        Some(sign)
    }

    fn sum(&mut self) -> Result<f64, Doubt> {
        let mut sum = self.product()?;
        while let Some(sign) = self.next(&['+', '-']) {
            let other = self.product()?;
            sum += if sign == '+' { other } else { -other };
        }
        Ok(sum)
    }

    fn product(&mut self) -> Result<f64, Doubt> {
        let mut product = self.power()?;
        while let Some(sign) = self.next(&['*', '×', '/']) {
            let other = self.power()?;
            product = if sign == '/' { product / other } else { product * other };
        }
        Ok(product)
    }

    fn power(&mut self) -> Result<f64, Doubt> {
        match self.next(&['+', '-']) {
            Some('-') => return Ok(-self.power()?),
            Some(_) => return self.power(),
            None => {}
        }
        let base = if self.next(&['(']).is_some() {
            let sum = self.sum()?;
            self.next(&[')']).ok_or(Doubt::NotOneNumber)?;
            sum
        } else {
            let end = self.rest.find(['+', '-', '*', '×', '/', '^', '(', ')', 'e', 'E']);
            let (digits, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.rest = rest;
            decimal(digits, self.kind)?
        };
        match self.next(&['^', 'e', 'E']) {
            Some('^') => Ok(base.powf(self.power()?)),
            Some(_) => Ok(base * 10_f64.powf(self.power()?)),
            None => Ok(base),
        }
    }
}

/// Digits with at most one decimal sign.
fn decimal(text: &str, kind: Kind) -> Result<f64, Doubt> {
    let text = ungrouped(text.trim());
    let (whole, decimals) = text.split_once([',', '.']).unwrap_or((&text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() && decimals.is_empty() || !digits(whole) || !digits(decimals) {
        return Err(Doubt::NotOneNumber);
    }
    if kind.has_thousands()
        && decimals.len() == 3
        && (1..=3).contains(&whole.len())
        && !whole.starts_with('0')
    {
        return Err(Doubt::Thousands);
    }
    format!("0{whole}.{decimals}0").parse().map_err(|_| Doubt::NotOneNumber)
}

/// `131 072` without its blanks; any other text unchanged.
fn ungrouped(text: &str) -> String {
    let blank = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}');
    let whole = text.split([',', '.']).next().unwrap_or_default();
    let mut groups = whole.split(blank);
    let first = groups.next().unwrap_or_default().len();
    if (1..=3).contains(&first) && groups.all(|group| group.len() == 3) {
        return whole.replace(blank, "") + &text[whole.len()..];
    }
    text.to_owned()
}

/// A number and its unit in the base unit of `kind`. The unit may be typed after the number, too: `48 KiB`,
/// `32k`, `8-way`.
///
/// # Errors
///
/// If either is missing, or is not of this kind, or the two units differ, or nothing can have this value.
pub fn quantity(value: &str, unit: &str, kind: Kind) -> Result<f64, Doubt> {
    let text = value.trim();
    let after_digits = text.rfind(|c: char| c.is_ascii_digit() || c == ')').map_or(0, |last| last + 1);
    let end = after_digits + usize::from(text[after_digits..].starts_with(['.', ',']));
    let (value, typed) = (&text[..end], text[end..].trim());
    if value.is_empty() && !typed.is_empty() {
        return Err(Doubt::NotOneNumber);
    }
    let (value, units) = (number(value, kind)?, kind.units());
    let spelling = SPELLINGS.iter().find(|(of, other, _)| *of == kind && *other == typed);
    let typed = match spelling.map_or(typed, |(.., name)| name) {
        strange if !strange.is_empty() && !strange.contains(|c: char| c.is_alphabetic() || c == '%') => {
            return Err(Doubt::NotOneNumber);
        }
        typed => typed,
    };
    let is_decimal = kind == Kind::Bytes && ["kB", "KB", "kb", "MB", "mb"].contains(&typed);
    if is_decimal {
        return Err(Doubt::Kilobytes);
    }
    if !typed.is_empty() && !unit.is_empty() && typed != unit {
        return Err(Doubt::OtherUnit);
    }
    let unit = if unit.is_empty() { typed } else { unit };
    let factor = match units.iter().find(|known| known.name == unit) {
        Some(Unit { factor, .. }) => factor.ok_or(Doubt::Cycles)?,
        // The page prints the only unit.
        None if unit.is_empty() && units.len() <= 1 => 1.0,
        None if unit.is_empty() => return Err(Doubt::NoUnit),
        None => return Err(Doubt::OtherUnit),
    };
    // A size in KiB may be rounded.
    let is_possible = match kind {
        Kind::Bytes | Kind::Count => value * factor >= 1.0 && (factor > 1.0 || value.fract() == 0.0),
        Kind::Ns => value >= 0.0,
        Kind::Percent | Kind::Points | Kind::Number => true,
    };
    if is_possible { Ok(value * factor) } else { Err(Doubt::Impossible) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_table_is_read_as_it_says() {
        let kind = |name: &str| Kind::ALL.into_iter().find(|kind| format!("{kind:?}").to_lowercase() == name);
        let mut rows = 0;
        for row in include_str!("quantity.tsv").lines().filter(|row| !row.starts_with('#')) {
            let [name, value, unit, means] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let read = quantity(value, unit, kind(name).unwrap());
            match means.parse::<f64>() {
                Ok(means) => {
                    assert!(read.is_ok_and(|read| (read - means).abs() <= 1e-12 * means.abs()), "{row}")
                }
                Err(_) => {
                    let doubt = read.unwrap_err();
                    assert_eq!(format!("{doubt:?}").to_lowercase(), means.replace('-', ""), "{row}");
                }
            }
            rows += 1;
        }
        assert!(rows > 50, "{rows}");
    }
}
