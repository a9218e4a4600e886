//! blocked: almost all the work becomes products of blocks, in registers.
//!
//! **What changed.** The left half of the columns is eliminated first, itself by halves,
//! down to 8 columns. Then it changes the right half in one go: first the rows next to it,
//! then, below, a *product of two blocks* is subtracted, where an element that was fetched
//! serves many multiplications (`update`).
//!
//! **Predict.** ge7 fetches a row once for each pivot. How often is an element fetched if
//! up to half the matrix is applied at once, and what is left to wait for? How much of the
//! peak is that?
//!
//! **Per inner step:** 2 flops; with AVX-512 1/24 load of 8 columns and 1/3 of one.

use std::array;
use std::ops::Range;

use dgemm::View;
use dgemm::rungs::widest::Product;
use isa::{Avx512, Fused, FusedQuads, Isa, One, Scalar, Task, Widest};
use memory::{Array, Memory};

use crate::problem::system::{SIDES, System};
use crate::rungs::Rung;

/// Columns that are eliminated one by one: a cache line.
const NARROW: usize = 8;

/// Columns of the widest tile of a product: three cache lines.
const PANEL: usize = 24;

/// Eliminates below the diagonal, in the widest registers there are.
#[derive(Debug)]
pub struct Blocked;

impl Rung for Blocked {
    type Isa = FusedQuads;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, quads: FusedQuads) {
        let all = 0..system.size();
        match Avx512::detect() {
            Some(isa) => Halving { mem, isa, s: system }.eliminate(all),
            None => Halving { mem, isa: quads, s: system }.eliminate(all),
        }
    }
}

struct Halving<'s, M, S> {
    mem: &'s mut M,
    isa: S,
    s: System<'s>,
}

/// Where a range of columns or rows is divided: after whole tiles, if it is so long.
fn middle(range: &Range<usize>) -> usize {
    let unit = if range.len() > PANEL { PANEL } else { NARROW };
    range.start + (range.len() / 2).next_multiple_of(unit)
}

impl<M: Memory, S: Fused> Halving<'_, M, S> {
    /// Eliminates `columns` in all rows from the first pivot on, and stores -1 / pivot for
    /// each.
    fn eliminate(&mut self, columns: Range<usize>) {
        if columns.len() <= NARROW {
            return self.narrow(columns);
        }
        let middle = middle(&columns);
        let (pivots, right) = (columns.start..middle, middle..columns.end);
        self.eliminate(pivots.clone());
        self.pivot_rows(pivots.clone(), right.clone());
        self.update(middle..self.s.size(), right.clone(), pivots);
        self.eliminate(right);
    }

    /// At most [`NARROW`] columns: the pivot rows, then the rows below.
    fn narrow(&mut self, columns: Range<usize>) {
        let Halving { mem, isa, s } = self;
        let (a, n) = s.flat();
        for i in columns.clone() {
            let row = a.part(i * n, n);
            for k in columns.start..i {
                let pivot = a.part(k * n, n);
                let multiplier = mem.load(row.at(k)) * mem.load(s.factors.at(k));
                for j in k + 1..columns.end {
                    let One(above) = mem.load_vector(pivot.lanes(j));
                    let One(old) = mem.load_vector(row.lanes(j));
                    mem.store_vector(row.lanes(j), One(old + multiplier * above));
                }
            }
            let pivot = mem.load(row.at(i));
            mem.store(s.factors.at(i), -1.0 / pivot);
        }
        if columns.end < n {
            isa.run(Below { mem: &mut **mem, s: *s, first: columns.start, rows: columns.end..n });
        }
    }

    /// Finishes the rows `pivots` in `columns`, by halves as well.
    fn pivot_rows(&mut self, pivots: Range<usize>, columns: Range<usize>) {
        if pivots.len() <= NARROW {
            let Halving { mem, isa, s } = self;
            return isa.run(PivotRows { mem: &mut **mem, isa: *isa, s: *s, first: pivots.start, columns });
        }
        let middle = middle(&pivots);
        self.pivot_rows(pivots.start..middle, columns.clone());
        self.update(middle..pivots.end, columns.clone(), pivots.start..middle);
        self.pivot_rows(middle..pivots.end, columns);
    }

    /// In `rows` and `columns`, subtracts the multiples of the rows `pivots`:
    /// `a[i][j] -= sum over k of a[i][k] * (a[k][j] / a[k][k])`. The rung spends nearly all
    /// of its time in this product, which is that of [`dgemm::rungs::tiled`].
    fn update(&mut self, rows: Range<usize>, columns: Range<usize>, pivots: Range<usize>) {
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        let (a, n) = self.s.flat();
        let matrix = View::over(a, n, n);
        let block = |rows: &Range<usize>, columns: &Range<usize>| {
            matrix.block(rows.start, columns.start, rows.len(), columns.len())
        };
        let views = [block(&rows, &pivots), block(&pivots, &columns), block(&rows, &columns)];
        let factors = Some(self.s.factors.part(pivots.start, pivots.len()));
        let product = Product { views, factors, sides: SIDES.within(n, n, n), scratch: self.s.panels };
        product.add(self.mem, Widest::detect());
    }
}

/// The rows below [`NARROW`] pivots: each is loaded once, and the multiples of all of them
/// are subtracted in registers.
struct Below<'s, M> {
    mem: &'s mut M,
    s: System<'s>,
    first: usize,
    rows: Range<usize>,
}

impl<M: Memory> Task for Below<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Below { mem, s, first, rows } = self;
        let (a, n) = s.flat();
        // Elements left of the diagonal stay zero, so that all pivots are handled in the
        // same way.
        let pivots: [[f64; NARROW]; NARROW] = array::from_fn(|k| {
            let row = a.part((first + k) * n + first, NARROW);
            array::from_fn(|j| if j > k { mem.load(row.at(j)) } else { 0.0 })
        });
        let factors: [f64; NARROW] = array::from_fn(|k| mem.load(s.factors.at(first + k)));
        for i in rows {
            let cells = a.part(i * n + first, NARROW);
            let mut row: [f64; NARROW] = array::from_fn(|j| mem.load_vector::<One>(cells.lanes(j)).0);
            for k in 0..NARROW - 1 {
                let multiplier = row[k] * factors[k];
                for j in k + 1..NARROW {
                    row[j] += multiplier * pivots[k][j];
                }
            }
            for (j, element) in row.into_iter().enumerate().skip(1) {
                mem.store_vector(cells.lanes(j), One(element));
            }
        }
    }
}

/// [`NARROW`] pivot rows, a register of columns at a time: subtracts from each row its
/// multiples of those above it.
struct PivotRows<'s, M, S> {
    mem: &'s mut M,
    isa: S,
    s: System<'s>,
    first: usize,
    columns: Range<usize>,
}

impl<M: Memory, S: Fused> Task for PivotRows<'_, M, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let PivotRows { mem, isa, s, first, columns } = self;
        let (a, n) = s.flat();
        let multipliers: [[f64; NARROW]; NARROW] = array::from_fn(|r| {
            let row = a.part((first + r) * n + first, NARROW);
            array::from_fn(|k| match k < r {
                true => -mem.load(row.at(k)) * mem.load(s.factors.at(first + k)),
                false => 0.0,
            })
        });
        let rows: [Array<f64>; NARROW] = array::from_fn(|r| a.part((first + r) * n, n));
        let mut j = columns.start;
        while j + S::LANES <= columns.end {
            one_register(mem, isa, rows, j, &multipliers);
            j += S::LANES;
        }
        while j < columns.end {
            one_register(mem, Scalar, rows, j, &multipliers);
            j += 1;
        }
    }
}

#[inline(always)]
fn one_register<M: Memory, S: Fused>(
    mem: &mut M,
    isa: S,
    rows: [Array<f64>; NARROW],
    j: usize,
    multipliers: &[[f64; NARROW]; NARROW],
) {
    let mut sums: [S::Register; NARROW] = array::from_fn(|r| mem.load_vector(rows[r].lanes(j)));
    for r in 1..NARROW {
        for k in 0..r {
            sums[r] = isa.sub_product(sums[r], sums[k], isa.splat(multipliers[r][k]));
        }
        mem.store_vector(rows[r].lanes(j), sums[r]);
    }
}
