//! A sweep as it was found in a file.

use figures::value::Source;

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
    /// The notes that report damage: an incomplete line, an entry that is not a number.
    pub damage: Vec<String>,
    /// The largest number of decimals of misses per access, if the file is a text with
    /// misses.
    pub decimals: Option<usize>,
}

impl Saved {
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
