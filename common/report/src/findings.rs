//! The results from which a report is made. The measuring program fills them in; the report
//! itself uses no clock and no file.

use figures::units::Bytes;
use machine::Machine;
use records::record::Record;

/// All results of a run of the assignment.
#[derive(Debug)]
pub struct Findings {
    /// Whether sizes and repetitions were those of a quick run.
    pub quick: bool,
    /// Rows and columns of the matrices.
    pub size: u32,
    /// Repetitions of each matrix product.
    pub runs: u32,
    /// Place and time of the run.
    pub host: Host,
    /// The machine whose caches are the question.
    pub machine: Machine,
    /// Whether that machine ran the programs.
    pub here: bool,
    /// Time of an access by array size and stride: a row for each.
    pub spark: Record,
    /// The same sizes at [`STRIDE`](crate::STRIDE) with dependent accesses, if they were measured.
    pub waiting: Option<Record>,
    /// L1 misses of an access by array size and stride.
    pub l1: Record,
    /// L2 misses of an access by array size and stride.
    pub l2: Record,
    /// The textbook's product (mm1).
    pub mm1: Record,
    /// The product with one operand transposed beforehand (mm2).
    pub mm2: Record,
    /// mm2 with its transposition measured too.
    pub mm2_transposing: Record,
    /// The blocked product (mm3).
    pub mm3: Record,
    /// The guide's products compared with versions without their waits; see
    /// [`causes`](crate::causes).
    pub causes: Record,
    /// The line size that mm3's blocks fit.
    pub line: Bytes,
    /// The source of that line size.
    pub line_from: LineFrom,
    /// Seconds the run took.
    pub took: f64,
    /// What a reader of the page must know about the run, such as an experiment that failed and
    /// its reason.
    pub remarks: Vec<String>,
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

/// The source of mm3's line size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFrom {
    /// Read from the L1 sweep of this run.
    Sweep,
    /// Reported by the system: the sweep does not show it.
    System,
    /// Assumed: neither shows it.
    Usual,
    /// Assumed: the machine is sealed, so the system is not asked.
    Sealed,
}
