//! What the report is made of. Whoever measures fills this in; the report itself
//! asks neither a clock nor a file.

use chart::Chart;
use figures::units::Bytes;
use infer::Answer;
use machine::Machine;
use records::record::Record;

/// Everything that a run of the assignment found.
#[derive(Debug)]
pub struct Findings {
    /// Whether sizes and repetitions were those of a first look.
    pub quick: bool,
    /// Rows and columns of the matrices.
    pub size: u32,
    /// Repetitions of each matrix product.
    pub runs: u32,
    /// Where and when it ran.
    pub host: Host,
    /// The machine whose caches are asked for.
    pub machine: Machine,
    /// Whether that machine is the one that ran the programs.
    pub here: bool,
    /// Time of an access by array size and stride.
    pub spark: Sweep,
    /// The same sizes at [`STRIDE`](crate::STRIDE), each access waiting for the one
    /// before; or why there are none.
    pub waiting: Result<Record, String>,
    /// L1 misses of an access by array size and stride.
    pub l1: Sweep,
    /// The same of L2.
    pub l2: Sweep,
    /// The textbook's product.
    pub mm1: Record,
    /// The product with one operand transposed beforehand.
    pub mm2: Record,
    /// The same, its transposition measured too.
    pub mm2_transposing: Record,
    /// The blocked product.
    pub mm3: Record,
    /// The guide's products compared with versions without their waits; see
    /// [`causes`](crate::causes).
    pub causes: Record,
    /// What inference reads from `l1`.
    pub l1_answer: Answer,
    /// What it reads from `l2`.
    pub l2_answer: Answer,
    /// The line that mm3's blocks were cut to.
    pub line: Bytes,
    /// How that line was known.
    pub line_from: LineFrom,
    /// Seconds the whole run took.
    pub took: f64,
}

/// A sweep, and how its own program shows it.
#[derive(Debug)]
pub struct Sweep {
    /// One row for each array size and stride.
    pub record: Record,
    /// The program's chart of it.
    pub chart: Chart,
    /// The lines that the program prints.
    pub printed: String,
}

/// Facts about the machine, the system and the moment.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// The workstation's name.
    pub name: String,
    /// The day, `2026-11-20`.
    pub date: String,
    /// Label and value, in the order of the report.
    pub facts: Vec<(&'static str, String)>,
}

/// Where mm3's line size is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFrom {
    /// Read from the L1 sweep of this run.
    Sweep,
    /// What the system reports: the sweep could not show.
    System,
    /// Neither knew it.
    Usual,
    /// Nobody was asked: it is sealed, and to be found.
    Sealed,
}
