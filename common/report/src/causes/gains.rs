//! Compares the times of the kernels.

use std::fmt;

use figures::stats::quantile;
use records::record::{Record, Row};

/// A smaller gain is not taken for a difference.
pub(super) const CLEAR: f64 = 1.15;
/// With fewer runs, the spread is unknown.
const ENOUGH: usize = 3;

/// The speed-up of one kernel over another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gain {
    /// By the medians.
    median: f64,
    /// By the fastest run of each: disturbances only slow a run down.
    fastest: f64,
    /// The number of runs; of the kernel that has fewer.
    runs: usize,
}

impl Gain {
    /// `slow` and `fast` are the seconds of each run, above 0.
    fn of(slow: &[f64], fast: &[f64]) -> Gain {
        let ratio = |at| quantile(slow, at).zip(quantile(fast, at)).map_or(1.0, |(slow, fast)| slow / fast);
        Gain { median: ratio(0.5), fastest: ratio(0.0), runs: slow.len().min(fast.len()) }
    }

    /// Whether it is a gain; `None` if there are too few runs, or their medians and fastest
    /// runs contradict each other.
    fn clear(self) -> Option<bool> {
        let [median, fastest] = [self.median, self.fastest].map(|gain| gain >= CLEAR);
        (self.runs >= ENOUGH && median == fastest).then_some(median)
    }
}

impl Gain {
    /// `1.31 times as fast`; below 1 for a loss.
    pub(super) fn speed(self) -> String {
        format!("{self} times as fast")
    }
}

/// Rounded to a precision with which such runs repeat.
impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if (self.median / self.fastest).ln().abs() < 0.1 {
            return write!(f, "{:.2}", self.median);
        }
        write!(f, "{:.2} ({:.2} by the fastest runs)", self.median, self.fastest)
    }
}

/// All gains of a record; see [`Gains::of`].
pub(super) struct Gains {
    /// By transposing, with the sum in memory.
    pub(super) transposing: Gain,
    /// By transposing, with the sum in a register.
    pub(super) transposing_sum: Gain,
    /// By a register for mm2's sum.
    pub(super) register: Gain,
    /// By blocks.
    pub(super) blocks: Gain,
    /// By an order in which no step waits, compared with mm2.
    pub(super) order: Gain,
    /// By free choice of the compiler, in mm1 and mm2 with their sums in a register.
    pub(super) free: Option<[Gain; 2]>,
}

impl Gains {
    /// `None` where a kernel was not timed.
    pub(super) fn of(record: &Record) -> Option<Gains> {
        let time = |kernel: &str, figure: &str| {
            let of_kernel = |row: &&Row| row.keys.get("kernel").is_some_and(|name| name == kernel);
            let row = record.rows.iter().find(of_kernel)?;
            let runs = row.reading(figure)?.runs();
            Some(runs).filter(|runs| runs.iter().all(|seconds| *seconds > 0.0) && !runs.is_empty())
        };
        let counted = |kernel: &str| time(kernel, "cpu_s");
        let [mm1, mm2, mm3] = [counted("mm1")?, counted("mm2")?, counted("mm3")?];
        let [sum1, sum2] = [counted("mm1, sum in a register")?, counted("mm2, sum in a register")?];
        let unblocked = counted("ikj, without blocks")?;
        let free = |kernel: &str| time(kernel, "free_cpu_s");
        let free = free("mm1, sum in a register").zip(free("mm2, sum in a register"));
        Some(Gains {
            transposing: Gain::of(mm1, mm2),
            transposing_sum: Gain::of(sum1, sum2),
            register: Gain::of(mm2, sum2),
            blocks: Gain::of(unblocked, mm3),
            order: Gain::of(mm2, unblocked),
            free: free.map(|(free1, free2)| [Gain::of(sum1, free1), Gain::of(sum2, free2)]),
        })
    }

    /// What the figures show, or that their spread is too large.
    pub(super) fn verdicts(&self) -> Vec<String> {
        let told = [self.wait(), self.misses(), self.blocks()];
        told.into_iter().chain(self.free.map(simd)).collect()
    }

    fn wait(&self) -> String {
        let gain = self.register;
        match gain.clear() {
            Some(true) => format!(
                "In mm1 and mm2 each step loads what the step before has stored, and waits for it: without that wait mm2 is {}.",
                gain.speed()
            ),
            Some(false) => {
                format!(
                    "The wait for the stored sum costs little on this machine: without it mm2 gains {gain}."
                )
            }
            None => unclear("the wait for the stored sum costs time", &[gain]),
        }
    }

    fn misses(&self) -> String {
        let (with_wait, without) = (self.transposing, self.transposing_sum);
        match (with_wait.clear(), without.clear()) {
            (Some(true), _) => {
                format!("The misses of mm1 cost more than that wait can hide: transposing gains {with_wait}.")
            }
            (Some(false), Some(true)) => format!(
                "That wait hides the misses of mm1: transposing gains {with_wait}, but {without} with the sum in a register."
            ),
            (Some(false), Some(false)) => format!(
                "The misses of mm1 have no visible cost at this size ({with_wait} and {without}): the next level delivers the data in time. Try a larger --size."
            ),
            _ => unclear("the misses of mm1 cost time", &[with_wait, without]),
        }
    }

    fn blocks(&self) -> String {
        let (blocks, order) = (self.blocks, self.order);
        match (blocks.clear(), order.clear()) {
            (Some(true), _) => {
                format!("Blocks gain {blocks} over the same order without blocks: these misses cost time.")
            }
            (Some(false), Some(true)) => format!(
                "mm3 is fast because of its order, in which no step waits: the order gains {order} over mm2, the blocks {blocks} more at this size."
            ),
            (Some(false), Some(false)) => format!(
                "Neither mm3's order nor its blocks have a visible gain at this size ({order} and {blocks})."
            ),
            _ => unclear("mm3's blocks or its order gain time", &[blocks, order]),
        }
    }
}

/// The remaining gain once nothing waits: several elements in one instruction.
fn simd([mm1, mm2]: [Gain; 2]) -> String {
    match mm2.clear() {
        Some(true) => format!(
            "All these times are for one element after the other. With full optimisation the compiler multiplies several adjacent elements at once (SIMD): mm2 with its sum in a register gains {mm2}; mm1, whose column elements are not adjacent, {mm1}."
        ),
        Some(false) => format!(
            "With full optimisation mm2 with its sum in a register gains {mm2}: the compiler does not multiply several elements at once (SIMD) on this machine."
        ),
        None => unclear("several elements at once (SIMD) gain time in mm2", &[mm2]),
    }
}

fn unclear(what: &str, gains: &[Gain]) -> String {
    let figures: Vec<String> = gains.iter().map(Gain::to_string).collect();
    let why = if gains.iter().any(|gain| gain.runs < ENOUGH) {
        format!("too few (give --runs {ENOUGH} or more)")
    } else {
        "which scatter too much (try again when the machine is idle)".to_owned()
    };
    format!("These runs do not show whether {what}, {why}: gains of {}.", figures.join(" and "))
}
