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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let read = [-1, 0, 11_016, 20_777].map(civil);
        assert_eq!(read, [(1969, 12, 31), (1970, 1, 1), (2000, 2, 29), (2026, 11, 20)]);
    }

    #[test]
    fn now_is_written_as_rfc_3339() {
        let now = now();
        assert!(now.len() == 20 && now.ends_with('Z') && &now[10..11] == "T", "{now}");
        assert_ne!(unlike_any_other(), unlike_any_other());
    }
}
