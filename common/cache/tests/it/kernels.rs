//! Random kernels, with their loops in `steps!`.

use std::cell::Cell;

use cache::Modelled;
use figures::random::Random;
use memory::{Array, Memory, steps};

use crate::pick;

/// Elements of one byte, which may be several to a line at any stride, or of eight.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Elements<'a> {
    Bytes(Array<'a, u8>),
    Doubles(Array<'a, f64>),
}

/// Elements of a vector access.
const LANES: usize = 4;

impl Elements<'_> {
    fn access(self, mem: &mut Modelled, at: usize, store: bool, vector: bool) {
        match (self, store, vector) {
            (Elements::Bytes(x), false, false) => drop(mem.load(x.at(at))),
            (Elements::Bytes(x), true, false) => mem.store(x.at(at), 1),
            (Elements::Bytes(x), false, true) => drop(mem.load_vector::<[u8; LANES]>(x.lanes(at))),
            (Elements::Bytes(x), true, true) => mem.store_vector(x.lanes(at), [1; LANES]),
            (Elements::Doubles(x), false, false) => drop(mem.load(x.at(at))),
            (Elements::Doubles(x), true, false) => mem.store(x.at(at), 1.0),
            (Elements::Doubles(x), false, true) => drop(mem.load_vector::<[f64; LANES]>(x.lanes(at))),
            (Elements::Doubles(x), true, true) => mem.store_vector(x.lanes(at), [1.0; LANES]),
        }
    }
}

/// An access in a nest of three loops: to element `start`, plus each loop's counter times
/// its factor in `by`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    array: usize,
    start: usize,
    by: [isize; 3],
    store: bool,
    vector: bool,
}

impl Access {
    fn element(&self, counters: [usize; 3]) -> usize {
        let steps = counters.into_iter().zip(self.by).map(|(counter, by)| counter as isize * by);
        self.start.wrapping_add_signed(steps.sum())
    }
}

/// The kind of the middle loop of a nest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Middle {
    Steps,
    Plain,
    Repeat,
}

/// A kernel with its sizes. Arrays are numbered.
#[derive(Debug)]
pub(crate) enum Kernel {
    /// Three loops, the outer and the inner one in `steps!`, with accesses before, in and after the
    /// inner one; all of it repeated.
    Nest { times: u64, counts: [usize; 3], middle: Middle, parts: [Vec<Access>; 3] },
    /// Gaussian elimination of `n` rows, `row` elements apart.
    Elimination { n: usize, row: usize, array: usize },
    /// Rows that an inner loop accesses with a counter in memory, outside the arrays.
    Counted { rows: usize, row: usize, count: usize, array: usize },
}

/// Variables in memory, at the same offset within a line in each process.
#[repr(align(256))]
#[derive(Default)]
struct Variables([Cell<usize>; 3]);

/// An iteration of the middle loop.
fn row(mem: &mut Modelled, parts: &[Vec<Access>; 3], data: &[Elements], [i, j]: [usize; 2], inner: usize) {
    let all = |mem: &mut Modelled, part: usize, k: usize| {
        for access in &parts[part] {
            data[access.array].access(mem, access.element([i, j, k]), access.store, access.vector);
        }
    };
    all(mem, 0, 0);
    steps!(mem; for k in 0..inner {
        all(mem, 1, k);
    });
    all(mem, 2, 0);
}

impl Kernel {
    /// Runs it.
    pub(crate) fn run(&self, mem: &mut Modelled, data: &[Elements]) {
        match self {
            Kernel::Nest { times, counts: [outer, middles, inner], middle, parts } => {
                mem.repeat(*times, |mem| {
                    steps!(mem; for i in 0..*outer {
                        match middle {
                            Middle::Steps => steps!(mem; for j in 0..*middles {
                                row(mem, parts, data, [i, j], *inner);
                            }),
                            Middle::Plain => (0..*middles).for_each(|j| row(mem, parts, data, [i, j], *inner)),
                            Middle::Repeat => mem.repeat(*middles as u64, |mem| row(mem, parts, data, [i, 0], *inner)),
                        }
                    });
                });
            }
            &Kernel::Elimination { n, row, array } => {
                let a = data[array];
                for k in 0..n {
                    steps!(mem; for i in k + 1..n {
                        a.access(mem, i * row + k, false, false);
                        a.access(mem, k * row + k, false, false);
                        a.access(mem, i * row + k, true, false);
                        steps!(mem; for j in k + 1..n {
                            a.access(mem, k * row + j, false, false);
                            a.access(mem, i * row + j, false, false);
                            a.access(mem, i * row + j, true, false);
                        });
                    });
                }
            }
            &Kernel::Counted { rows, row, count, array } => {
                let (x, variables) = (data[array], Variables::default());
                let [i, j, end] = &variables.0;
                mem.store(end, count);
                steps!(mem; for turn in 0..rows {
                    mem.store(i, turn);
                    mem.store(j, 0);
                    steps!(mem; while [j] < [end] {
                        let at = turn * row + mem.load(j);
                        x.access(mem, at, false, false);
                        x.access(mem, at, true, false);
                        let next = mem.load(j) + 1;
                        mem.store(j, next);
                    });
                });
            }
        }
    }

    /// The arrays, and how many elements it needs of each.
    pub(crate) fn lengths(&self) -> Vec<(usize, usize)> {
        match self {
            Kernel::Nest { counts, parts, .. } => {
                let end = |access: &Access| {
                    let last = [0, 1, 2].map(|at| if access.by[at] > 0 { counts[at] - 1 } else { 0 });
                    access.element(last) + if access.vector { LANES } else { 1 }
                };
                parts.iter().flatten().map(|access| (access.array, end(access))).collect()
            }
            &Kernel::Elimination { n, row, array } => vec![(array, n * row)],
            &Kernel::Counted { rows, row, array, .. } => vec![(array, rows * row)],
        }
    }

    /// A random kernel of up to about `most` accesses on some of `arrays`; `rows` are row
    /// lengths to choose from.
    pub(crate) fn random(random: &mut Random, arrays: &[usize], rows: &[usize], most: usize) -> Kernel {
        let (row, array) = (pick(random, rows), pick(random, arrays));
        match random.below(8) {
            0..3 => product(random, arrays, row, most),
            3..6 => nest(random, arrays, row, most),
            6 => {
                let n = 3 + random.below((most as f64).cbrt() as usize);
                Kernel::Elimination { n, row: row.max(n), array }
            }
            _ => {
                let (rows, count) = (1 + random.below(60), 1 + random.below(row.min(200)));
                Kernel::Counted { rows, row, count, array }
            }
        }
    }
}

/// A product c += a * b with its loops in any order; elements that stay the same in the inner loop may
/// be accessed once before and after it.
fn product(random: &mut Random, arrays: &[usize], row: usize, most: usize) -> Kernel {
    let mut order = [0, 1, 2]; // which of i, j, k each loop counts
    random.shuffle(&mut order);
    let mut counts = [0; 3].map(|_| 1 + random.below(90));
    while counts.iter().product::<usize>() > most / 4 {
        counts.iter_mut().max().into_iter().for_each(|longest| *longest = *longest / 2 + 1);
    }
    let row = counts.into_iter().max().unwrap_or(1).max(row.min(1500)) as isize;
    let is_once = random.below(2) == 0;
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    let strides = [[row, 0, 1], [0, 1, row], [row, 1, 0]]; // of a, b and c by i, j and k
    for (matrix, store) in [(0, false), (1, false), (2, false), (2, true)] {
        let (array, by) = (arrays[matrix % arrays.len()], order.map(|at| strides[matrix][at]));
        let part = if is_once && by[2] == 0 { 2 * usize::from(store) } else { 1 };
        parts[part].push(Access { array, start: 0, by, store, vector: false });
    }
    let middle = if random.below(2) == 0 { Middle::Steps } else { Middle::Plain };
    Kernel::Nest { times: 1, counts, middle, parts }
}

/// Any accesses in three loops.
fn nest(random: &mut Random, arrays: &[usize], row: usize, most: usize) -> Kernel {
    let middle = pick(random, &[Middle::Steps, Middle::Plain, Middle::Repeat]);
    let (inner, outer) = (1 + pick(random, &[7, 70, 400, 1000]), 1 + pick(random, &[0, 11, 150]));
    let counts = [outer, 1 + random.below((most / inner / outer / 3).clamp(1, 60)), inner];
    let times = 1 + random.below((most / counts.iter().product::<usize>()).clamp(1, 30)) as u64;
    let access = |random: &mut Random| {
        let strides = [0, 0, 1, 1, 2, 4, 8, 16, row as isize, row as isize + 1, 3 * row as isize, -1, -8];
        let mut by = [0; 3].map(|_| pick(random, &strides));
        if middle == Middle::Repeat {
            by[1] = 0;
        }
        if row > 300 {
            by[2] = by[2].clamp(-16, 16);
        }
        let back = |at: usize| (counts[at] as isize * by[at].min(0)).unsigned_abs();
        let start = back(0) + back(1) + back(2) + random.below(40);
        let (store, vector) = (random.below(3) == 0, random.below(5) == 0);
        Access { array: pick(random, arrays), start, by, store, vector }
    };
    let some = |random: &mut Random, most: usize, least: usize| -> Vec<Access> {
        (0..least + random.below(most)).map(|_| access(random)).collect()
    };
    let mut body = some(random, 4, 1);
    // Variables in memory, each accessed several times.
    for _ in 0..random.below(4) {
        let mut variable = access(random);
        (variable.by[2], variable.vector) = (0, false);
        for _ in 0..2 + random.below(4) {
            let store = random.below(6) == 0;
            body.insert(random.below(body.len() + 1), Access { store, ..variable });
        }
    }
    Kernel::Nest { times, counts, middle, parts: [some(random, 3, 0), body, some(random, 2, 0)] }
}
