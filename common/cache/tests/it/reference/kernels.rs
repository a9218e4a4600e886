//! Kernels that run on any memory, with their loops in `steps!`, and random kernels.

use std::cell::Cell;

use figures::random::Random;
use memory::{Array, Memory, steps};

use super::pick;

/// An array of one of three element types. Numbers are below 128, which all types can hold.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Elements<'a> {
    Bytes(Array<'a, u8>),
    Shorts(Array<'a, i16>),
    Doubles(Array<'a, f64>),
}

/// Elements of a vector access, of any type: 4 to 32 bytes.
const LANES: usize = 4;

impl Elements<'_> {
    fn load<M: Memory>(self, mem: &mut M, at: usize, vector: bool) -> f64 {
        match (self, vector) {
            (Elements::Bytes(x), false) => f64::from(mem.load(x.at(at))),
            (Elements::Shorts(x), false) => f64::from(mem.load(x.at(at))),
            (Elements::Doubles(x), false) => mem.load(x.at(at)),
            (Elements::Bytes(x), true) => f64::from(mem.load_vector::<[u8; LANES]>(x.lanes(at))[1]),
            (Elements::Shorts(x), true) => f64::from(mem.load_vector::<[i16; LANES]>(x.lanes(at))[1]),
            (Elements::Doubles(x), true) => mem.load_vector::<[f64; LANES]>(x.lanes(at))[1],
        }
    }

    fn store<M: Memory>(self, mem: &mut M, at: usize, vector: bool, value: f64) {
        let value = value % 128.0;
        match (self, vector) {
            (Elements::Bytes(x), false) => mem.store(x.at(at), value as u8),
            (Elements::Shorts(x), false) => mem.store(x.at(at), value as i16),
            (Elements::Doubles(x), false) => mem.store(x.at(at), value),
            (Elements::Bytes(x), true) => mem.store_vector(x.lanes(at), [value as u8; LANES]),
            (Elements::Shorts(x), true) => mem.store_vector(x.lanes(at), [value as i16; LANES]),
            (Elements::Doubles(x), true) => mem.store_vector(x.lanes(at), [value; LANES]),
        }
    }

    /// Sets every element to a number that depends on its index.
    pub(crate) fn fill(self) {
        match self {
            Elements::Bytes(x) => x.fill(|at| (at % 127) as u8),
            Elements::Shorts(x) => x.fill(|at| (at % 113) as i16),
            Elements::Doubles(x) => x.fill(|at| (at % 101) as f64),
        }
    }

    pub(crate) fn to_vec(self) -> Vec<f64> {
        match self {
            Elements::Bytes(x) => x.cells().iter().map(|cell| f64::from(cell.get())).collect(),
            Elements::Shorts(x) => x.cells().iter().map(|cell| f64::from(cell.get())).collect(),
            Elements::Doubles(x) => x.to_vec(),
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

    /// One more than its largest element.
    fn end(&self, counters: [usize; 3]) -> usize {
        self.element(counters) + if self.vector { LANES } else { 1 }
    }
}

/// The accesses in order: a store writes the sum of the values loaded before.
fn access_all<M: Memory>(mem: &mut M, accesses: &[Access], data: &[Elements], counters: [usize; 3]) {
    let mut sum = 1.0;
    for access in accesses {
        let (array, at) = (data[access.array], access.element(counters));
        if access.store {
            array.store(mem, at, access.vector, sum);
        } else {
            sum += array.load(mem, at, access.vector);
        }
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
#[derive(Debug, Clone)]
pub(crate) enum Kernel {
    /// Three loops, the outer and the inner one in `steps!`, with accesses
    /// before, in and after the inner one.
    Nest { counts: [usize; 3], middle: Middle, before: Vec<Access>, body: Vec<Access>, after: Vec<Access> },
    /// Gaussian elimination of `n` rows, `row` elements apart.
    Elimination { n: usize, row: usize, array: usize },
    /// Loads, or loads and stores, of every `stride`-th element, repeated.
    Sweep { times: u64, count: usize, stride: usize, store: bool, array: usize },
    /// The accesses of a list, repeated.
    List { times: u64, list: Vec<Access> },
    /// Another kernel, repeated.
    Repeated { times: u64, kernel: Box<Kernel> },
    /// Rows that an inner loop accesses with a counter in memory, outside the arrays.
    Counted { rows: usize, row: usize, count: usize, array: usize },
}

/// Variables in memory, at the same offset within a line in each process.
#[repr(align(256))]
#[derive(Default)]
struct Variables([Cell<usize>; 3]);

impl Kernel {
    /// Runs it.
    pub(crate) fn run<M: Memory>(&self, mem: &mut M, data: &[Elements]) {
        match self {
            Kernel::Nest { counts: [outer, middles, inner], middle, before, body, after } => {
                fn row<M: Memory>(
                    mem: &mut M,
                    parts: [&[Access]; 3],
                    data: &[Elements],
                    at: [usize; 2],
                    inner: usize,
                ) {
                    let [i, j] = at;
                    access_all(mem, parts[0], data, [i, j, 0]);
                    steps!(mem; for k in 0..inner {
                        access_all(mem, parts[1], data, [i, j, k]);
                    });
                    access_all(mem, parts[2], data, [i, j, 0]);
                }
                let parts: [&[Access]; 3] = [before, body, after];
                steps!(mem; for i in 0..*outer {
                    match middle {
                        Middle::Steps => steps!(mem; for j in 0..*middles {
                            row(mem, parts, data, [i, j], *inner);
                        }),
                        Middle::Plain => {
                            for j in 0..*middles {
                                row(mem, parts, data, [i, j], *inner);
                            }
                        }
                        Middle::Repeat => mem.repeat(*middles as u64, |mem| row(mem, parts, data, [i, 0], *inner)),
                    }
                });
            }
            &Kernel::Elimination { n, row, array } => {
                let a = data[array];
                for k in 0..n {
                    steps!(mem; for i in k + 1..n {
                        let factor = a.load(mem, i * row + k, false) + a.load(mem, k * row + k, false);
                        a.store(mem, i * row + k, false, factor);
                        steps!(mem; for j in k + 1..n {
                            let product = factor * a.load(mem, k * row + j, false);
                            let element = a.load(mem, i * row + j, false);
                            a.store(mem, i * row + j, false, element + product);
                        });
                    });
                }
            }
            &Kernel::Sweep { times, count, stride, store, array } => {
                let x = data[array];
                mem.repeat(times, |mem| {
                    steps!(mem; for i in 0..count {
                        let element = x.load(mem, i * stride, false);
                        if store {
                            x.store(mem, i * stride, false, element + 1.0);
                        }
                    });
                });
            }
            Kernel::List { times, list } => {
                mem.repeat(*times, |mem| access_all(mem, list, data, [0; 3]));
            }
            Kernel::Repeated { times, kernel } => mem.repeat(*times, |mem| kernel.run(mem, data)),
            &Kernel::Counted { rows, row, count, array } => {
                let x = data[array];
                let variables = Variables::default();
                let [i, j, end] = &variables.0;
                mem.store(end, count);
                steps!(mem; for turn in 0..rows {
                    mem.store(i, turn);
                    mem.store(j, 0);
                    steps!(mem; while [j] < [end] {
                        let at = turn * row + mem.load(j);
                        let element = x.load(mem, at, false);
                        x.store(mem, at, false, element + 1.0);
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
            Kernel::Nest { counts, before, body, after, .. } => {
                let last = |access: &Access, at: usize| if access.by[at] > 0 { counts[at] - 1 } else { 0 };
                let end = |access: &Access| access.end([0, 1, 2].map(|at| last(access, at)));
                [before, body, after]
                    .into_iter()
                    .flatten()
                    .map(|access| (access.array, end(access)))
                    .collect()
            }
            Kernel::List { list, .. } => {
                list.iter().map(|access| (access.array, access.end([0; 3]))).collect()
            }
            Kernel::Repeated { kernel, .. } => kernel.lengths(),
            &Kernel::Elimination { n, row, array } => vec![(array, n * row)],
            &Kernel::Sweep { count, stride, array, .. } => vec![(array, count * stride)],
            &Kernel::Counted { rows, row, array, .. } => vec![(array, rows * row)],
        }
    }

    /// A random kernel of up to about `most` accesses on some of `arrays`; `rows` are row
    /// lengths to choose from.
    pub(crate) fn random(random: &mut Random, arrays: &[usize], rows: &[usize], most: usize) -> Kernel {
        let row = pick(random, rows);
        let any = |random: &mut Random| pick(random, arrays);
        let stores = random.below(2) == 0;
        match random.below(17) {
            0..6 => product(random, arrays, rows, most),
            6..9 => nest(random, arrays, row, most),
            9..12 => {
                let n = 3 + random.below((most as f64).cbrt() as usize);
                Kernel::Elimination { n, row: row.max(n), array: any(random) }
            }
            12 | 13 => {
                let count = 1 + below(random, &[4, 16, 64, 256, 1024, 4096]);
                let times = 1 + random.below(most / count) as u64;
                let stride = if random.below(4) == 0 { row } else { 1 + random.below(70) };
                Kernel::Sweep {
                    times,
                    count: count.min(1 + (4 << 20) / stride / 8),
                    stride,
                    store: stores,
                    array: any(random),
                }
            }
            14 => {
                let length = 1 + random.below(1500);
                let reach = 1 + below(random, &[500, 3000, 20_000]);
                let access = |random: &mut Random| Access {
                    array: any(random),
                    start: random.below(reach),
                    by: [0; 3],
                    store: random.below(3) == 0,
                    vector: random.below(4) == 0,
                };
                let list = (0..length).map(|_| access(random)).collect();
                Kernel::List { times: 1 + random.below(most / length / 2) as u64, list }
            }
            15 => Kernel::Repeated {
                times: 1 + random.below(20) as u64,
                kernel: Box::new(Kernel::random(random, arrays, rows, most / 10)),
            },
            _ => {
                let (rows, count) = (1 + random.below(60), 1 + random.below(row.min(200)));
                Kernel::Counted { rows, row, count, array: any(random) }
            }
        }
    }
}

/// A number below one of these bounds.
fn below(random: &mut Random, bounds: &[usize]) -> usize {
    let bound = pick(random, bounds);
    random.below(bound)
}

/// A product c += a * b with its loops in any order and rows of any length; elements that
/// stay the same in the inner loop may be accessed once before and after it.
fn product(random: &mut Random, arrays: &[usize], rows: &[usize], most: usize) -> Kernel {
    let mut order = [0, 1, 2]; // which of i, j, k each loop counts
    random.shuffle(&mut order);
    let mut counts = [0; 3].map(|_| 1 + below(random, &[4, 90, 90, 90]));
    while counts.iter().product::<usize>() > most.max(32) / 4 {
        let longest = counts.iter_mut().max();
        longest.into_iter().for_each(|count| *count = *count / 2 + 1);
    }
    let wide = counts.into_iter().max().unwrap_or(1);
    let row = wide.max(pick(random, rows).min(1500)) as isize;
    let row = if random.below(3) == 0 { wide as isize } else { row };
    let is_once = random.below(2) == 0;
    let mut nest = [Vec::new(), Vec::new(), Vec::new()];
    let strides = [[row, 0, 1], [0, 1, row], [row, 1, 0]]; // of a, b and c by i, j and k
    for (matrix, store) in [(0, false), (1, false), (2, false), (2, true)] {
        let array = arrays[matrix % arrays.len()];
        let access =
            Access { array, start: 0, by: order.map(|at| strides[matrix][at]), store, vector: false };
        let is_before_or_after = is_once && access.by[2] == 0;
        nest[if is_before_or_after { 2 * usize::from(store) } else { 1 }].push(access);
    }
    let [before, body, after] = nest;
    let middle = if random.below(2) == 0 { Middle::Steps } else { Middle::Plain };
    Kernel::Nest { counts, middle, before, body, after }
}

/// Any accesses in three loops.
fn nest(random: &mut Random, arrays: &[usize], row: usize, most: usize) -> Kernel {
    let middle = pick(random, &[Middle::Steps, Middle::Plain, Middle::Repeat]);
    let inner = 1 + below(random, &[8, 70, 400]);
    let outer = 1 + below(random, &[12, 150]);
    let counts = [outer, 1 + random.below((most / inner / outer / 3).clamp(1, 60)), inner];
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
        Access {
            array: pick(random, arrays),
            start: back(0) + back(1) + back(2) + random.below(40),
            by,
            store: random.below(3) == 0,
            vector: random.below(5) == 0,
        }
    };
    let some = |random: &mut Random, most: usize, least: usize| -> Vec<Access> {
        (0..least + random.below(most)).map(|_| access(random)).collect()
    };
    let mut body = some(random, 4, 1);
    // variables in memory, each accessed several times
    let variables = if random.below(2) == 0 { 1 + random.below(3) } else { 0 };
    for _ in 0..variables {
        let mut variable = access(random);
        (variable.by[2], variable.vector) = (0, false);
        for _ in 0..2 + random.below(4) {
            let store = random.below(6) == 0;
            body.insert(random.below(body.len() + 1), Access { store, ..variable });
        }
    }
    if random.below(3) > 0 && variables > 0 {
        body.iter_mut().for_each(|access| access.vector = false);
    }
    Kernel::Nest { counts, middle, before: some(random, 3, 0), body, after: some(random, 2, 0) }
}
