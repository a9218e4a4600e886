//! Quantities with their units in the type: a number of microseconds cannot be
//! printed under the heading "cycles".

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A size in bytes; written `8K`, `64 KiB`, `2M` (powers of 1024).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// 1024 bytes, `n` times.
    pub const fn kib(n: u64) -> Bytes {
        Bytes(n << 10)
    }

    /// 1024 KiB, `n` times.
    pub const fn mib(n: u64) -> Bytes {
        Bytes(n << 20)
    }

    /// The same number as an index type.
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, unit) = match self.0 {
            b if b >= 10 << 30 || b >= 1 << 30 && b % (1 << 20) == 0 => {
                (b as f64 / (1u64 << 30) as f64, "GiB")
            }
            b if b >= 10 << 20 || b >= 1 << 20 && b % (1 << 10) == 0 => {
                (b as f64 / (1u64 << 20) as f64, "MiB")
            }
            b if b >= 1 << 10 => (b as f64 / (1u64 << 10) as f64, "KiB"),
            b => (b as f64, "B"),
        };
        let text = format!("{number:.3}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.pad(&format!("{text} {unit}"))
    }
}

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Bytes, String> {
        let wrong = || format!("'{text}' is not a size; write bytes, or 8K, 64KiB, 2M, 1G");
        let trimmed = text.trim();
        let digits = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(digits);
        let shift = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            _ => return Err(wrong()),
        };
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let bytes = number * (1u64 << shift) as f64;
        if !(0.0..9e15).contains(&bytes) || bytes.fract() != 0.0 {
            return Err(wrong());
        }
        Ok(Bytes(bytes as u64))
    }
}

/// A length of time in seconds.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(pub f64);

impl Seconds {
    /// In nanoseconds.
    pub fn nanos(self) -> f64 {
        self.0 * 1e9
    }
}

/// Ticks of a cycle counter that runs at a fixed rate (x86 TSC, Arm CNTVCT,
/// RISC-V time). Not core cycles: the core's clock may be faster or slower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ticks(pub u64);

/// A frequency in hertz.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hertz(pub f64);

impl Hertz {
    /// How many periods fit into `time`.
    pub fn periods(self, time: Seconds) -> f64 {
        self.0 * time.0
    }

    /// How long `ticks` periods last.
    pub fn duration(self, ticks: Ticks) -> Seconds {
        Seconds(ticks.0 as f64 / self.0)
    }
}

impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 >= 1e9 {
            write!(f, "{:.3} GHz", self.0 * 1e-9)
        } else {
            write!(f, "{:.3} MHz", self.0 * 1e-6)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        for (text, bytes) in [("8192", 8192), ("8K", 8192), ("64 KiB", 65536), ("1.25M", 1310720)] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "7X", "-1", "1.3", "K", "1e3", "99999999G"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_print_in_the_largest_unit_that_stays_short() {
        for (bytes, text) in [
            (64, "64 B"),
            (49152, "48 KiB"),
            (1310720, "1.25 MiB"),
            (1 << 30, "1 GiB"),
            (9 << 40 | 1, "9216 GiB"),
            (292_895_520, "279.327 MiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
    }
}
