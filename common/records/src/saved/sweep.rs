//! A sweep as it was found in a file.

use figures::value::Source;

/// One cell of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Bytes walked over.
    pub size: u64,
    /// Bytes from one access to the next.
    pub stride: u64,
    /// Misses per access, if the file has them.
    pub misses: Option<f64>,
    /// Nanoseconds per access, if the file has them.
    pub nanos: Option<f64>,
}

/// A sweep as it was found in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Saved {
    /// The cells in order of size, then stride; no cell twice.
    pub cells: Vec<Cell>,
    /// The event that was counted, where the file names it.
    pub event: Option<String>,
    /// Where the misses come from, or, if there are none, the times; where the
    /// file says it. Of several sources the weakest.
    pub source: Option<Source>,
    /// What was tolerated, one sentence each.
    pub notes: Vec<String>,
    /// Those of the notes that report damage: a line cut off, an entry that is
    /// no number.
    pub damage: Vec<String>,
    /// The most decimals with which misses per access are written, where the file is a text
    /// that has them.
    pub decimals: Option<usize>,
}

impl Saved {
    /// Whether its misses can be misses by the event's name, and are not cycles,
    /// instructions or accesses.
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
    pub fn row(&self, size: u64) -> impl Iterator<Item = &Cell> {
        let from = self.cells.partition_point(|cell| cell.size < size);
        self.cells[from..].iter().take_while(move |cell| cell.size == size)
    }
}

/// Whether `event` can be one of misses: of PAPI's presets those are, of other names all
/// but those of cycles and instructions. A sweep that names none has misses.
pub fn counts_misses(event: Option<&str>) -> bool {
    let Some(event) = event.map(str::to_ascii_uppercase) else { return true };
    if event.starts_with("PAPI_") {
        return ["CM", "DM", "IM", "TM"].iter().any(|end| event.ends_with(end));
    }
    !["CYC", "CLK", "CLOCK", "INS"].iter().any(|part| event.contains(part))
}
