//! What a student wrote, as a number or an interval: `48 KiB`, `32768 bytes`,
//! `8-way`, `32 to 48 KiB`, `98,5 %`.

use serde::Deserialize;

/// What is asked for, which says how numbers are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A size, in bytes.
    Bytes,
    /// A number of things.
    Count,
    /// A time, in nanoseconds.
    Ns,
    /// A share, in per cent.
    Percent,
    /// A number without a unit: a speed-up, a difference.
    Number,
}

/// One number, or two that bound it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Given {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether a unit stands with it.
    pub(crate) unit: bool,
}

/// A number of the text with the word behind it.
struct Found {
    amount: f64,
    scale: Option<f64>,
    /// Bytes of the text before and behind it.
    at: (usize, usize),
}

/// Longest answer that is read: a line, not a chapter.
const LONGEST: usize = 1000;

/// The first number of `text`, or the first two if words like "to" join them.
pub(crate) fn read(text: &str, kind: Kind) -> Option<Given> {
    let text: String = text.chars().take(LONGEST).collect::<String>().to_lowercase();
    let mut found = numbers(&text, kind);
    let first = found.next()?;
    let second = found.next().filter(|second| joined(&text[first.at.1..second.at.0]));
    let Some(second) = second else {
        let amount = first.amount * first.scale.unwrap_or(1.0);
        return Some(Given { low: amount, high: amount, unit: first.scale.is_some() });
    };
    // "32 to 48 KiB": the unit is that of both
    let scale = second.scale;
    let low = first.amount * first.scale.or(scale).unwrap_or(1.0);
    let high = second.amount * scale.unwrap_or(1.0);
    Some(Given { low: low.min(high), high: low.max(high), unit: scale.is_some() })
}

fn joined(between: &str) -> bool {
    let between = between.trim_matches(|c: char| c.is_whitespace() || c == ',');
    [
        "to",
        "-",
        "–",
        "—",
        "..",
        "...",
        "and",
        "a",
        "até",
        "e",
        "or",
        "ou",
        "less than",
        "to less than",
        "до",
        "do",
    ]
    .contains(&between)
}

fn numbers(text: &str, kind: Kind) -> impl Iterator<Item = Found> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c: char| c.is_ascii_digit())?;
        let numeral = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '^');
        let length = text[start..].find(|c: char| !numeral(c)).unwrap_or(text.len() - start);
        let digits = text[start..start + length].trim_end_matches(['.', ',', '^']);
        let sign = if negative(&text[..start]) { -1.0 } else { 1.0 };
        let mut end = start + digits.len();
        let amount = amount(digits, kind);
        let (scale, word) = unit(&text[end..], kind);
        end += word;
        at = end.max(start + length.min(digits.len()).max(1));
        Some(Found { amount: sign * amount.unwrap_or(f64::NAN), scale, at: (start, end) })
    })
    .filter(|found| found.amount.is_finite())
}

/// A sign, not a dash between two numbers or within a word.
fn negative(before: &str) -> bool {
    let signed = before.strip_suffix(['-', '−']).map(str::trim_end);
    signed.is_some_and(|rest| rest.is_empty() || rest.ends_with(['(', '=', ':', '≈', '~']))
}

/// `32768`, `32,768` (sizes and counts), `98,5` (the rest), `2^15`.
fn amount(digits: &str, kind: Kind) -> Option<f64> {
    if let Some((base, power)) = digits.split_once('^') {
        return Some(base.parse::<f64>().ok()?.powf(power.parse().ok()?));
    }
    let groups = |sign| {
        let parts: Vec<&str> = digits.split(sign).collect();
        parts.len() > 1 && (1..=3).contains(&parts[0].len()) && parts[1..].iter().all(|part| part.len() == 3)
    };
    let whole = matches!(kind, Kind::Bytes | Kind::Count);
    let plain = match (digits.contains(','), digits.contains('.')) {
        (true, true) => digits.replace(',', ""),
        (true, false) if whole && groups(',') => digits.replace(',', ""),
        (false, true) if whole && groups('.') => digits.replace('.', ""),
        _ => digits.replace(',', "."),
    };
    plain.parse().ok()
}

/// The factor of the unit that `rest` begins with, and how many bytes it takes.
fn unit(rest: &str, kind: Kind) -> (Option<f64>, usize) {
    let blanks = rest.len() - rest.trim_start_matches([' ', '\u{a0}', '-']).len();
    let word: &str =
        rest[blanks..].split(|c: char| !c.is_alphabetic() && c != '%').next().unwrap_or_default();
    let scale = match kind {
        Kind::Bytes => bytes(word),
        Kind::Ns => nanoseconds(word),
        Kind::Percent => (word == "%" || word.starts_with("per")).then_some(1.0),
        Kind::Count => {
            (word.starts_with("way") || word.starts_with("via") || word.starts_with("elem")).then_some(1.0)
        }
        Kind::Number => None,
    };
    (scale, if scale.is_some() { blanks + word.len() } else { 0 })
}

fn bytes(word: &str) -> Option<f64> {
    let rest = word.trim_start_matches(['k', 'm', 'g']);
    let scale = match word.as_bytes().first()? {
        b'k' => 1024.0,
        b'm' => 1024.0 * 1024.0,
        b'g' => 1024.0 * 1024.0 * 1024.0,
        _ => 1.0,
    };
    match rest {
        "" | "b" | "ib" | "byte" | "bytes" | "ibyte" | "ibytes" => Some(scale),
        "bit" | "bits" | "ibit" | "ibits" => Some(scale / 8.0),
        _ => None,
    }
}

fn nanoseconds(word: &str) -> Option<f64> {
    match word {
        "ns" | "nanosecond" | "nanoseconds" | "nsec" => Some(1.0),
        "us" | "µs" | "μs" | "microseconds" => Some(1e3),
        "ms" => Some(1e6),
        "s" => Some(1e9),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_write_numbers_in_many_ways() {
        for (text, kind, low, high) in [
            ("32768", Kind::Bytes, 32768.0, 32768.0),
            ("32,768 bytes", Kind::Bytes, 32768.0, 32768.0),
            ("32 KiB, since 64 KiB misses", Kind::Bytes, 32768.0, 32768.0),
            ("It is 32kB", Kind::Bytes, 32768.0, 32768.0),
            ("2^15 B", Kind::Bytes, 32768.0, 32768.0),
            ("32 to 48 KiB", Kind::Bytes, 32768.0, 49152.0),
            ("32 KiB – 48 KiB", Kind::Bytes, 32768.0, 49152.0),
            ("entre 32 e 64 KB", Kind::Bytes, 32768.0, 65536.0),
            ("1.5 MiB", Kind::Bytes, 1_572_864.0, 1_572_864.0),
            ("8-way", Kind::Count, 8.0, 8.0),
            ("8 to 15 ways", Kind::Count, 8.0, 15.0),
            ("98,5 %", Kind::Percent, 98.5, 98.5),
            ("0.6 us", Kind::Ns, 600.0, 600.0),
            ("-1.25 pp", Kind::Number, -1.25, -1.25),
            ("512 bits", Kind::Bytes, 64.0, 64.0),
        ] {
            let given = read(text, kind).unwrap();
            assert_eq!((given.low, given.high), (low, high), "{text}");
        }
        for nothing in ["", "no idea", "<script>", "..."] {
            assert_eq!(read(nothing, Kind::Bytes), None, "{nothing}");
        }
    }
}
