//! Reads saved sweeps of array size and stride.
//!
//! | format | looks like |
//! |---|---|
//! | cm1's lines, of the C kit and of this one | `CSIZE=8192 STRIDE=1 avgMISSES=0.000294 avgTIME=0.003029`; `cache_size=8192 stride=1 avg_misses=0.000294 avg_time=0.003029 ...` |
//! | spark's table | a header `size stride elapsed(s) cycles`, then numbers, then perhaps `source=timing repeats=100`; `[LOG]` lines |
//! | CSV | a header with the kit's names: `size_bytes,stride_bytes,event,avg_misses,ns_per_access`; also with `;` or tabs |
//! | JSON | what `--record` and `--format json` write |
//!
//! A figure that is marked as not counted is a cell without that figure. What cannot be used, also a
//! decimal comma, is refused with the number of its line.

mod json;
mod raw;
mod text;

use figures::encoding;
use figures::units::Bytes;
use figures::value::Source;

use crate::record::Record;
use raw::RawSweep;

/// Bytes of a file that are read at most: a sweep of 20,000 cells, as an indented record, has
/// 12 MB.
pub const BYTES: u64 = 16 << 20;
/// Bytes of the array of a row; spark and cm1 sweep up to 1 GiB.
const ARRAY: u64 = 4 << 30;
/// Misses per access of an event that counts misses: prefetchers add up to 5.
const MISSES: f64 = 100.0;
/// Characters of a name or a line that is repeated in a message.
const NAME: usize = 60;

/// One cell of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SavedCell {
    /// Size of the array in bytes.
    pub size: u64,
    /// Bytes from one access to the next.
    pub stride: u64,
    /// Misses per access, if the file has them.
    pub misses: Option<f64>,
    /// Nanoseconds per access, if the file has them.
    pub nanos: Option<f64>,
}

/// A sweep that was read from a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Saved {
    /// The cells in order of size, then stride; no cell twice.
    pub cells: Vec<SavedCell>,
    /// The event that was counted, if the file names it.
    pub event: Option<String>,
    /// The source of the misses or, without misses, of the times, if the file names it. If
    /// there are several sources, the weakest.
    pub source: Option<Source>,
    /// Notes on what was accepted, one sentence each.
    pub notes: Vec<String>,
}

impl Saved {
    /// Reads a text in any of the formats.
    /// Fails if no row is found, a line cannot be understood, or the text is too long; a sentence
    /// without the file's name.
    pub fn parse(text: &str) -> Result<Saved, String> {
        within_limit(text.as_bytes())?;
        let text = &encoding::plain(text);
        let start = text.trim_start();
        let found = if start.starts_with('{') || start.starts_with('[') && !start.starts_with("[LOG]") {
            json::parse(text)
        } else {
            text::parse(text)
        };
        found.and_then(RawSweep::sweep)
    }

    /// The sweep of a new record, as if it had been read from a file.
    pub fn of(record: &Record) -> Saved {
        json::of(record).and_then(RawSweep::sweep).unwrap_or_default()
    }

    /// Whether the event counts misses, judging by its name, and not cycles, instructions
    /// or accesses.
    pub fn counts_misses(&self) -> bool {
        counts_misses(self.event.as_deref())
    }

    /// The sizes in the file, ascending.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.cells.iter().map(|c| c.size).collect();
        sizes.dedup();
        sizes
    }

    /// The cells of one size, by stride.
    pub fn row(&self, size: u64) -> impl Iterator<Item = &SavedCell> {
        let from = self.cells.partition_point(|cell| cell.size < size);
        self.cells[from..].iter().take_while(move |cell| cell.size == size)
    }
}

/// Whether `event` can count misses: of PAPI's presets those of misses, of other names all
/// except cycles and instructions. A sweep without an event has misses.
pub fn counts_misses(event: Option<&str>) -> bool {
    let Some(event) = event.map(str::to_ascii_uppercase) else { return true };
    if event.starts_with("PAPI_") {
        return ["CM", "DM", "IM", "TM"].iter().any(|end| event.ends_with(end));
    }
    !["CYC", "CLK", "CLOCK", "INS"].iter().any(|part| event.contains(part))
}

const EMPTY: &str = "there is no row of a sweep in it; give what cm1 or spark has written";

fn within_limit(file: &[u8]) -> Result<(), String> {
    if file.len() as u64 <= BYTES {
        return Ok(());
    }
    Err(format!("it has more than {}, and no sweep of spark or cm1 has that many", Bytes(BYTES)))
}

#[cfg(test)]
mod tests;
