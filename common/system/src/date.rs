//! The date, and unique numbers.

use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// The present time, UTC, in RFC 3339: `2026-02-03T14:05:06Z`.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil((seconds / 86_400) as i64);
    let [hour, minute, second] = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60];
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The present day, UTC: `2026-02-03`.
pub fn today() -> String {
    now()[..10].to_owned()
}

/// 64 bits from the system's random numbers and the time.
pub fn unlike_any_other() -> u64 {
    RandomState::new().hash_one(SystemTime::now())
}

/// Year, month and day of a day counted from 1970-01-01, computed with years that start in
/// March.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The inverse of [`civil`].
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// A time in RFC 3339, also with a blank instead of `T` and without seconds: seconds since
/// 1970 by its own clock, and seconds east of Greenwich if it says so.
pub fn parse(text: &str) -> Option<(i64, Option<i64>)> {
    let (day, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?.trim_start();
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ':' || c == '.')).unwrap_or(rest.len());
    let (clock, zone) = (rest[..end].split('.').next().unwrap_or_default(), rest[end..].trim());
    let [year, month, day] = numbers(day, '-')?;
    let seconds = if clock.matches(':').count() == 1 { ":00" } else { "" };
    let [hour, minute, second] = numbers(&format!("{clock}{seconds}"), ':')?;
    let exists = civil(days(year, month.clamp(1, 12), day)) == (year, month, day);
    let at = 86_400 * days(year, month, day) + 3600 * hour + 60 * minute + second;
    let zone = match zone {
        "" => None,
        "Z" | "z" | "UTC" => Some(0),
        zone => Some(offset(zone)?),
    };
    (exists && hour < 24 && minute < 60 && second <= 60).then_some((at, zone))
}

/// Seconds of `+01:00` or `-0530`.
fn offset(zone: &str) -> Option<i64> {
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits = zone.strip_prefix(['+', '-'])?.replacen(':', "", 1);
    let [hours, minutes] = [digits.get(..2)?, digits.get(2..)?];
    let [hours, minutes, _] = numbers(&format!("{hours} {minutes} 0"), ' ')?;
    (digits.len() == 4 && hours < 24 && minutes < 60).then_some(sign * (3600 * hours + 60 * minutes))
}

/// Three numbers of digits alone.
fn numbers(text: &str, sign: char) -> Option<[i64; 3]> {
    let number = |part: &str| {
        let digits = (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse().ok()).flatten()
    };
    let found: Option<Vec<i64>> = text.split(sign).map(number).collect();
    found?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_3339_is_read() {
        for (text, read) in [
            ("1970-01-01T00:00:00Z", Some((0, Some(0)))),
            ("2000-02-29 00:00", Some((951_782_400, None))),
            ("2026-11-20T23:59:30.123-05:00", Some((1_795_219_170, Some(-18_000)))),
            ("2026-02-29T00:00Z", None),
            ("2026-13-01T00:00Z", None),
            ("2026-11-20T24:00Z", None),
            ("2026-11-20", None),
            ("20é6-11-20T23:59", None),
        ] {
            assert_eq!(parse(text), read, "{text}");
        }
    }

    #[test]
    fn now_is_written_as_rfc_3339() {
        let now = now();
        assert!(now.len() == 20 && now.ends_with('Z') && &now[10..11] == "T", "{now}");
        assert!(now.starts_with(&today()));
        assert_ne!(unlike_any_other(), unlike_any_other());
    }
}
