//! Questions whose answer is a number: predict it, then let the model count.

use cache::Modelled;
use dgemm::rungs::orders;
use dgemm::{Blocks, Problem};
use machine::Machine;
use memory::Arena;

use crate::check::{cache_of, misses};

/// A number to predict.
#[derive(Debug, Clone, Copy)]
pub struct Quiz {
    /// Its name on the command line.
    pub name: &'static str,
    /// The question.
    pub asks: &'static str,
    /// Whether it is a rate in per cent.
    percent: bool,
    /// Counts it.
    count: fn() -> Result<f64, String>,
    /// The results of usual mistakes, and what each of them forgets.
    slips: &'static [(f64, &'static str)],
    /// The explanation of the right number.
    because: &'static str,
}

/// The result of a prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Whether it is right.
    pub right: bool,
    /// The model's count.
    pub counted: f64,
    /// What the mistake forgets, if it is a known one; then the explanation.
    pub why: Vec<&'static str>,
}

/// Tolerance for rounded predictions, as a share; of a rate in per cent, as a share of its miss
/// rate, and at least half of its first decimal.
const WITHIN: f64 = 0.01;
const MIN_POINTS: f64 = 0.05;

impl Quiz {
    /// Counts, and compares.
    ///
    /// # Errors
    ///
    /// If the model cannot count it; a sentence.
    pub fn answer(&self, predicted: f64) -> Result<Judged, String> {
        let counted = (self.count)()?;
        let near = |amount: f64| {
            if !self.percent {
                return (predicted - amount).abs() <= WITHIN * amount.abs();
            }
            let within = MIN_POINTS.max(WITHIN * (100.0 - counted));
            [predicted, 100.0 * predicted].iter().any(|p| (p - amount).abs() <= within && *p <= 100.0)
        };
        let slip = self.slips.iter().find(|(amount, _)| near(*amount)).map(|(_, sentence)| *sentence);
        let right = near(counted);
        Ok(Judged {
            right,
            counted,
            why: slip.filter(|_| !right).into_iter().chain([self.because]).collect(),
        })
    }
}

/// The quiz called `name`.
pub fn find(name: &str) -> Option<&'static Quiz> {
    QUIZZES.iter().find(|quiz| quiz.name == name)
}

/// The questions, in the order of the course.
pub const QUIZZES: &[Quiz] = &[
    Quiz {
        name: "stride",
        asks: "cm1 walks an array of 64 KiB again and again, every 16th byte, through a cache of 32 KiB (64-byte lines, 8 ways). Misses per access?",
        percent: false,
        count: || walked(16),
        slips: &[
            (1.0, "Only the first access to a line misses; the next ones find their elements in it."),
            (4.0, "So many accesses share a line; only one of them misses."),
            (16.0, "That is the stride: what share of the accesses begins a new line?"),
            (
                0.5,
                "The array is twice the cache, but LRU does not retain half of it: every line is evicted before it is used again.",
            ),
        ],
        because: "64 / 16 = 4 accesses fall into a line; the first fetches it, so one in four misses.",
    },
    Quiz {
        name: "one-set",
        asks: "cm1 walks an array of 64 KiB again and again, every 4096th byte, through a cache of 32 KiB (64-byte lines, 8 ways). Misses per access?",
        percent: false,
        count: || walked(4096),
        slips: &[
            (0.0, "16 lines are few, but all of them fall into one set, and it has 8 places."),
            (
                0.5,
                "8 of the 16 lines fit the set at a time, but LRU always evicts the one that is used next.",
            ),
        ],
        because: "32 KiB / 8 ways = 4096 bytes: all 16 lines fall into one set of 8 ways, and each is evicted before it is used again.",
    },
    Quiz {
        name: "vanish",
        asks: "cm1 walks an array of 64 KiB through a cache of 32 KiB (64-byte lines, 8 ways). From which stride on, in bytes, do the misses vanish?",
        percent: false,
        count: vanishing,
        slips: &[
            (4096.0, "There 16 lines are in use, all in one set of 8 ways."),
            (32768.0, "Two lines fit, but so do more."),
            (64.0, "That is the line: from there on every access misses."),
        ],
        because: "64 KiB / 8192 = 8 lines are in use, as many as a set has ways. So a curve shows the number of ways.",
    },
    Quiz {
        name: "line",
        asks: "How many elements of 16 bits does a line of 64 bytes hold?",
        percent: false,
        count: || Ok(64.0 / size_of::<i16>() as f64),
        slips: &[
            (64.0, "That is the number of bytes; an element has 2."),
            (256.0, "That is the line's bits divided by an element's bytes."),
            (4.0, "That would be elements of 16 bytes; these have 16 bits."),
        ],
        because: "64 bytes / 2 bytes.",
    },
    Quiz {
        name: "loads",
        asks: "How many loads does one step of mm1's inner loop make?",
        percent: false,
        count: || product(24, mm1_on).map(|counts| counts.loads as f64 / 24f64.powi(3)),
        slips: &[
            (2.0, "The sum is in memory, in res[i][j]: each step loads it as well."),
            (4.0, "That counts the store too."),
        ],
        because: "mul1[i][k], mul2[k][j] and res[i][j]; the store is a fourth access.",
    },
    Quiz {
        name: "mm1",
        asks: "mm1 with N = 256 in a cache of 32 KiB (64-byte lines, 8 ways): misses per step of the inner loop?",
        percent: false,
        count: || product(256, mm1_on).map(|counts| misses(&counts) as f64 / 256f64.powi(3)),
        slips: &[
            (0.03125, "That is for mul1, along its row; but mul2 walks a column."),
            (1.03125, "mul1's row of 512 bytes stays for the next j: it misses in the first column only."),
            (2.0, "mul1 goes along a row: 32 elements share a line."),
            (4.0, "Not every access misses: res[i][j] stays, mul1 goes along a row."),
        ],
        because: "mul2's column has a line for each step; its rows of 512 bytes put them on 8 of the 64 sets, and 8 x 8 places do not hold 256 lines.",
    },
    Quiz {
        name: "mm2",
        asks: "mm2 (tmp is mul2 transposed) with N = 256 in a cache of 32 KiB (64-byte lines, 8 ways): misses per step of the inner loop?",
        percent: false,
        count: || product(256, mm2_on).map(|counts| misses(&counts) as f64 / 256f64.powi(3)),
        slips: &[
            (0.0625, "mul1's row of 512 bytes stays for all j: only tmp's rows are new."),
            (1.0, "That is mm1; now both factors go along rows."),
            (0.0, "tmp has 128 KiB and the cache 32: its rows are evicted before the next i uses them."),
        ],
        because: "one in 32 steps begins a new line of tmp; mul1's row and res stay.",
    },
    Quiz {
        name: "hit-rate",
        asks: "mm2 with N = 256 in a cache of 32 KiB (64-byte lines, 8 ways): its hit rate, in percent?",
        percent: true,
        count: || {
            let counts = product(256, mm2_on)?;
            Ok(100.0 - 100.0 * misses(&counts) as f64 / (counts.loads + counts.stores) as f64)
        },
        slips: &[
            (0.79, "That is the miss rate."),
            (96.9, "A step makes four accesses: three loads and a store."),
        ],
        because: "1 - 0.0315 misses / 4 accesses = 0.9921.",
    },
    Quiz {
        name: "ikj",
        asks: "dgemm in the order i, k, j: doubles, 32-byte lines, rows so long that two of them do not fit the cache. Misses per step?",
        percent: false,
        count: ikj,
        slips: &[
            (0.25, "b's row is new for each k, and so is c's: two rows are walked."),
            (1.25, "That is the order i, j, k, which walks columns of b."),
            (1.0, "A line of 32 bytes holds 4 doubles."),
        ],
        because: "b and c along rows, a new line every 4 steps each: 0.25 + 0.25; a's element is in a register.",
    },
    Quiz {
        name: "steps",
        asks: "How often does ge3's inner statement run for N = 100?",
        percent: false,
        count: eliminated,
        slips: &[
            (1e6, "The loops over i and j begin after k: they become shorter with every k."),
            (5e5, "Both inner loops shrink, not only one: a third, not a half."),
            (333_333.33, "N^3 / 3 is near; the sum of the squares 1 to 99 is exact."),
        ],
        because: "for each k, (N - 1 - k)^2 steps: together N (N - 1) (2N - 1) / 6.",
    },
];

/// The first-level cache of the guide's processors.
fn first_cache() -> Result<Machine, String> {
    cache_of(32 << 10, 64, 8).map_err(|error| error.to_string())
}

/// Misses per access of cm1 on 64 KiB after the first pass.
fn walked(stride: usize) -> Result<f64, String> {
    let arena = Arena::with_capacity(64 << 10).map_err(|error| error.to_string())?;
    let array = arena.array::<u8>("x", 64 << 10).map_err(|error| error.to_string())?;
    let mut model = Modelled::new(&first_cache()?, &arena).map_err(|error| error.to_string())?;
    cm1::walk(&mut model, array, stride, 1);
    model.reset_counts();
    cm1::walk(&mut model, array, stride, 10);
    let counts = model.counts();
    Ok(misses(&counts) as f64 / counts.loads as f64)
}

/// The smallest stride larger than a line that gives no misses.
fn vanishing() -> Result<f64, String> {
    for stride in (6..=15).map(|power| 1 << power) {
        if walked(stride)? == 0.0 {
            return Ok(stride as f64);
        }
    }
    Err("misses never vanish".to_owned())
}

type Square<'a> = memory::Matrix<'a, i16>;

fn mm1_on(model: &mut Modelled, mul1: Square, mul2: Square, res: Square) {
    mm1::multiply(model, mul1, mul2, res);
}

fn mm2_on(model: &mut Modelled, mul1: Square, tmp: Square, res: Square) {
    mm2::multiply(model, mul1, tmp, res);
}

fn product(n: usize, kernel: fn(&mut Modelled, Square, Square, Square)) -> Result<cache::Counts, String> {
    let arena = Arena::with_capacity(3 * 2 * n * n).map_err(|error| error.to_string())?;
    let matrix = |name| arena.matrix(name, n, n).map_err(|error| error.to_string());
    let (x, y, z) = (matrix("x")?, matrix("y")?, matrix("z")?);
    let model = Modelled::new(&first_cache()?, &arena).map_err(|error| error.to_string())?;
    let mut model = model.without_numbers();
    kernel(&mut model, x, y, z);
    Ok(model.counts())
}

/// The lecture's 32-byte lines; a row of 400 doubles is larger than half of 4 KiB.
fn ikj() -> Result<f64, String> {
    const N: usize = 400;
    let machine = cache_of(4 << 10, 32, 4).map_err(|error| error.to_string())?;
    let blocks = Blocks::for_caches(0, 0, 1);
    let arena = Arena::with_capacity(Problem::bytes(N, N, N, blocks)).map_err(|error| error.to_string())?;
    let p = Problem::new(&arena, [N; 3], blocks).map_err(|error| error.to_string())?;
    let model = Modelled::new(&machine, &arena).map_err(|error| error.to_string())?;
    let mut model = model.without_numbers();
    orders::ikj::multiply(&mut model, p.a(), p.b(), p.c());
    Ok(misses(&model.counts()) as f64 / p.iterations())
}

/// Stores of ge3, one in each inner step.
fn eliminated() -> Result<f64, String> {
    let ge3 = ge::find("ge3").ok_or("there is no ge3")?;
    let fill = ge::problem::matrices::Fill::Dominant;
    Ok(ge::modelled::count(ge3, 100, fill, &first_cache()?, None)?.stores as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms.
    #[test]
    fn the_model_counts_what_the_reasons_say() {
        let expected = [0.25, 1.0, 8192.0, 32.0, 3.0, 1.0, 1.0 / 32.0, 99.21, 0.5, 328_350.0];
        for (quiz, expected) in QUIZZES.iter().zip(expected) {
            let judged = quiz.answer(expected).unwrap();
            assert!(judged.right, "{}: {judged:?}", quiz.name);
        }
        assert_eq!(QUIZZES.len(), expected.len());
    }

    #[test]
    fn a_rate_may_be_a_share_and_is_judged_by_its_misses() {
        let rate = find("hit-rate").unwrap();
        for (predicted, right) in
            [(99.2, true), (0.9921, true), (0.992, true), (99.0, false), (100.4, false), (0.0079, false)]
        {
            assert_eq!(rate.answer(predicted).unwrap().right, right, "{predicted}");
        }
    }

    #[test]
    fn a_slip_is_distinguished_from_the_right_number_and_from_any_other() {
        for quiz in QUIZZES {
            for (slip, why) in quiz.slips {
                let judged = quiz.answer(*slip).unwrap();
                assert!(!judged.right && judged.why[0] == *why, "{}: {slip}: {judged:?}", quiz.name);
            }
            assert_eq!(quiz.answer(-7.0).unwrap().why, [quiz.because]);
        }
    }
}
