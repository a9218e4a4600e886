//! The lecture's closed forms of cache misses, with their assumptions and whether these
//! hold on a machine.

use figures::stats::greatest_common_divisor;
use machine::{CacheLevel, Replacement};

use crate::problem::Blocks;
use crate::variants::Kernel;

/// Misses at one level, by array. `copies` are the packed blocks, `walks` the page table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Misses {
    /// Of the left factor.
    pub a: f64,
    /// Of the right factor.
    pub b: f64,
    /// Of the result.
    pub c: f64,
    /// Of packed blocks.
    pub copies: f64,
    /// Of page walks; the closed forms have none.
    pub walks: f64,
}

impl Misses {
    /// The sum.
    pub fn total(self) -> f64 {
        self.a + self.b + self.c + self.copies + self.walks
    }

    /// Applies `f` to every field and the same field of `other`.
    pub fn with(self, other: Misses, f: impl Fn(f64, f64) -> f64) -> Misses {
        Misses {
            a: f(self.a, other.a),
            b: f(self.b, other.b),
            c: f(self.c, other.c),
            copies: f(self.copies, other.copies),
            walks: f(self.walks, other.walks),
        }
    }

    /// Every field times `factor`.
    pub fn scaled(self, factor: f64) -> Misses {
        self.with(self, |x, _| x * factor)
    }
}

/// An assumption of the closed form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumption {
    /// The assumption, and the numbers of this machine.
    pub text: String,
    /// Whether it holds on this machine.
    pub holds: bool,
}

/// A closed form for one product and one cache.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedForm {
    /// Misses of the whole product.
    pub misses: Misses,
    /// The formula of each array in the lecture's letters, and their values here.
    pub formula: String,
    /// Why the real number may differ.
    pub assumptions: Vec<Assumption>,
}

/// One product and one cache, with the closed forms' parameters.
struct Setting<'c> {
    kernel: Kernel,
    m: f64,
    n: f64,
    k: f64,
    /// Doubles per line: the lecture's m.
    line: f64,
    /// Lines: the lecture's L.
    lines: f64,
    cache: &'c CacheLevel,
    blocks: Blocks,
    tile: (usize, usize),
}

/// The closed form of `kernel` for an `m` by `n` by `k` product in `cache`; `tile` is the
/// tile of the tiled rungs with their instruction set.
pub fn closed_form(
    kernel: Kernel,
    sides: [usize; 3],
    blocks: Blocks,
    tile: (usize, usize),
    cache: &CacheLevel,
) -> ClosedForm {
    let [m, n, k] = sides.map(|side| side as f64);
    let line = (cache.line.0 as f64 / 8.0).max(1.0);
    let s = Setting { kernel, m, n, k, line, lines: cache.lines() as f64, cache, blocks, tile };
    let (misses, terms) = s.misses();
    ClosedForm { formula: s.formula(terms), misses, assumptions: s.assumptions() }
}

impl Setting<'_> {
    /// One miss per line for an array accessed by rows, one per element by columns; and the
    /// lecture's term for each array. The tiled rungs are not the lecture's.
    fn misses(&self) -> (Misses, [&'static str; 3]) {
        let Setting { m, n, k, line, .. } = *self;
        let (a, b, c) = (m * k, k * n, m * n);
        let (each_step, step_lines) = ((m * n * k, "n³"), (m * n * k / line, "n³/m"));
        let (each, lines) = (|array: f64| (array, "n²"), |array: f64| (array / line, "n²/m"));
        let form = |a: (f64, _), b: (f64, _), c: (f64, _)| {
            (Misses { a: a.0, b: b.0, c: c.0, ..Misses::default() }, [a.1, b.1, c.1])
        };
        match self.kernel {
            Kernel::Ijk | Kernel::FlatIjk => {
                form(if self.a_row_stays() { lines(a) } else { step_lines }, each_step, lines(c))
            }
            Kernel::Jik => form(step_lines, if self.a_row_stays() { each(b) } else { each_step }, each(c)),
            Kernel::Ikj | Kernel::FlatIkj => {
                form(lines(a), step_lines, if self.rows_stay() { lines(c) } else { step_lines })
            }
            Kernel::Kij => form(each(a), if self.rows_stay() { lines(b) } else { step_lines }, step_lines),
            Kernel::Jki => form(each_step, each(b), if self.columns_stay() { each(c) } else { each_step }),
            Kernel::Kji => form(if self.columns_stay() { each(a) } else { each_step }, lines(b), each_step),
            Kernel::BlockL1 | Kernel::Unrolled | Kernel::BlockL2 | Kernel::Recursive => {
                let of_blocks = (m * n * k / (line * self.block()), "n³/(mb)");
                form(of_blocks, of_blocks, lines(c))
            }
            Kernel::Library => (Misses::default(), ["not in the lecture"; 3]),
            Kernel::Tiled | Kernel::Threads => {
                let sides = self.blocks.sides;
                let (rows, cols, depth) = (sides.rows as f64, sides.cols as f64, sides.depth as f64);
                let (blocks_of_b, strips) = ((m / rows).ceil(), (m / self.tile.0 as f64).ceil());
                let copies = (a + b * blocks_of_b) + a * (n / cols).ceil() + b * strips;
                let c = c * (k / depth).ceil();
                let misses = Misses {
                    a: a / line,
                    b: b * blocks_of_b / line,
                    c: c / line,
                    copies: copies / line,
                    walks: 0.0,
                };
                (misses, ["n²/m", "n²/m for each block of rows", "n²/m for each block of depth"])
            }
        }
    }

    /// The lecture's term for each array, and the values of its letters.
    fn formula(&self, [a, b, c]: [&str; 3]) -> String {
        let Setting { m, n, k, line, lines, .. } = *self;
        let sides = if m == n && n == k {
            format!("n = {n}")
        } else {
            format!("n³ = {m}·{n}·{k}, n² = the elements of an array")
        };
        let block =
            if a == "n³/(mb)" { format!(", blocks of side b = {:.0}", self.block()) } else { String::new() };
        format!("a {a}, b {b}, c {c}, with {sides}, m = {line} doubles in a line, L = {lines} lines{block}")
    }

    /// Whether a row of a is still in the cache after an access to a whole column of b.
    fn a_row_stays(&self) -> bool {
        self.k + self.k / self.line <= self.lines
    }

    /// Whether a row of b and one of c fit together.
    fn rows_stay(&self) -> bool {
        2.0 * self.n / self.line <= self.lines
    }

    /// Whether a column of a and one of c fit together, a line per element.
    fn columns_stay(&self) -> bool {
        2.0 * self.m <= self.lines
    }

    /// Side of the blocks that must stay in this cache.
    fn block(&self) -> f64 {
        let whole = self.m.max(self.n).max(self.k);
        let fits = (self.line * self.lines / 3.0).sqrt();
        match self.kernel {
            Kernel::Recursive => {
                let halvings = (whole / fits).log2().ceil().max(0.0);
                whole / halvings.exp2()
            }
            Kernel::BlockL2 if self.cache.level > 1 => whole.min(self.blocks.l2 as f64),
            _ => whole.min(self.blocks.l1 as f64),
        }
    }

    fn assumptions(&self) -> Vec<Assumption> {
        let lines = self.cache.lines();
        let mut all = Vec::new();
        let mut assume = |text: String, holds: bool| all.push(Assumption { text, holds });
        for (what, count, stride) in self.columns() {
            let fate = match count > lines {
                true => format!("here {count} lines do not fit into {lines}"),
                false => format!("here {count} lines fit into {lines}: the column stays"),
            };
            assume(
                format!("a column of {what} is evicted before the next column is used; {fate}"),
                count > lines,
            );
            let places = self.places(stride);
            assume(
                format!(
                    "the cache is fully associative for the {count} lines of a column of {what}; here, at this row length, they share {places} places"
                ),
                places >= lines.min(count),
            );
        }
        if let Kernel::Ikj | Kernel::FlatIkj | Kernel::Kij = self.kernel {
            let (rows, sets) = ((2.0 * self.n / self.line).ceil() as usize, self.cache.sets());
            assume(
                format!(
                    "a row of b and one of c both stay in the cache, or evict each other in each of its {sets} sets; here they have {rows} lines, and the cache has {lines}"
                ),
                rows <= lines || rows > lines + 2 * (sets - 1),
            );
        }
        if let Kernel::BlockL1 | Kernel::Unrolled | Kernel::BlockL2 | Kernel::Recursive = self.kernel {
            let side = self.block() as usize;
            let doubles = (self.line * self.lines) as usize;
            assume(
                format!(
                    "three blocks of {side} by {side} fit; here they have {} doubles, and the cache has {doubles}",
                    3 * side * side
                ),
                3 * side * side <= doubles,
            );
            let lines_of_rows = side * side.div_ceil(self.line as usize);
            let places = self.places(self.n as usize) * side.div_ceil(self.line as usize);
            assume(
                format!(
                    "the rows of a block do not share places; here {lines_of_rows} lines of b are on {} places",
                    places.min(lines)
                ),
                places.min(lines) >= lines_of_rows,
            );
        }
        assume("the least recently used line is evicted".into(), self.cache.replacement == Replacement::Lru);
        all
    }

    /// Arrays that the inner loop accesses by columns: name, length, row length.
    fn columns(&self) -> Vec<(&'static str, usize, usize)> {
        let (m, n, k) = (self.m as usize, self.n as usize, self.k as usize);
        match self.kernel {
            Kernel::Ijk | Kernel::FlatIjk | Kernel::Jik => vec![("b", k, n)],
            Kernel::Jki | Kernel::Kji => vec![("a", m, k), ("c", m, n)],
            _ => Vec::new(),
        }
    }

    /// The number of lines of the cache in which elements at a distance of `stride` doubles
    /// can be.
    fn places(&self, stride: usize) -> usize {
        let (bytes, line) = (8 * stride, self.cache.line.0 as usize);
        let sets = self.cache.sets();
        if line == 0 || bytes == 0 || !bytes.is_multiple_of(line) {
            return self.cache.lines();
        }
        let shared = greatest_common_divisor((bytes / line) as u64, sets as u64) as usize;
        sets / shared * self.cache.ways
    }
}
