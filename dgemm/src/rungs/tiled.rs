//! A tile of c in registers: each loaded element of a and b is used in a whole row or
//! column of multiply-adds. With the five loops around it, a strip of a stays in L1, a
//! block of b in L2 and a block of a in L3 (K. Goto, R. van de Geijn, "Anatomy of
//! high-performance matrix multiplication", ACM TOMS 34, 2008, with rows and columns
//! exchanged).

use std::cell::Cell;

use isa::{Fused, One};
use memory::{Array, Memory};

use crate::rungs::panels;
use crate::view::{View, conform};

/// Sides of the blocks: `rows` by `depth` of a, `depth` by `cols` of b.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides {
    /// Rows of a block of a.
    pub rows: usize,
    /// Columns of a block of b.
    pub cols: usize,
    /// Columns of a, rows of b.
    pub depth: usize,
}

impl Sides {
    /// The same blocks, no larger than a product of `m` by `n` by `k` needs.
    pub fn within(self, m: usize, n: usize, k: usize) -> Sides {
        let Sides { rows, cols, depth } = self;
        Sides { rows: rows.min(m.max(1)), cols: cols.min(n.max(1)), depth: depth.min(k.max(1)) }
    }
}

/// A product `c += a * diag(factors) * b` of the three `views`, in blocks of `sides`. Row k
/// of b is multiplied by `factors[k]`, or by nothing. `scratch` has space for
/// [`scratch_len`] doubles.
#[derive(Debug, Clone, Copy)]
pub struct Product<'a> {
    /// a, b and c.
    pub views: [View<'a>; 3],
    /// The factor of each row of b.
    pub factors: Option<Array<'a, f64>>,
    /// Sides of the blocks.
    pub sides: Sides,
    /// Memory for panels.
    pub scratch: Array<'a, f64>,
}

/// The product by tiles of `R` rows and `N` registers.
#[inline(always)]
pub(crate) fn blocks<S: Fused, M: Memory, const R: usize, const N: usize>(
    mem: &mut M,
    isa: S,
    Product { views: [a, b, c], factors, sides, scratch }: Product,
) {
    let (m, n, l, a, b, c) = conform(a, b, c);
    let (a_panels, b_panels) = scratch_parts(scratch, sides, R, N * S::LANES);
    for i in (0..m).step_by(sides.rows) {
        for k in (0..l).step_by(sides.depth) {
            let left = a.block(i, k, sides.rows, sides.depth);
            let factors = factors.map(|factors| factors.part(k, left.cols()));
            panels::pack_rows::<M, R>(mem, left, a_panels);
            for j in (0..n).step_by(sides.cols) {
                let right = b.block(k, j, sides.depth, sides.cols);
                panels::pack_columns(mem, isa, right, factors, b_panels, N);
                let to = c.block(i, j, sides.rows, sides.cols);
                tiles::<S, M, R, N>(mem, isa, a_panels, b_panels, to, left.cols());
            }
        }
    }
}

/// The two inner loops around the tile: every strip of a with every strip of b.
#[inline(always)]
fn tiles<S: Fused, M: Memory, const R: usize, const N: usize>(
    mem: &mut M,
    isa: S,
    a: Array<f64>,
    b: Array<f64>,
    c: View,
    depth: usize,
) {
    let width = N * S::LANES;
    let share = (R * depth / LINE).div_ceil(c.cols().div_ceil(width).max(1));
    for i in (0..c.rows()).step_by(R) {
        let a = a.part(i * depth, R * depth);
        for (number, j) in (0..c.cols()).step_by(width).enumerate() {
            let to = c.block(i, j, R, width);
            let next = a.cells().as_ptr().wrapping_add(a.len() + number * share * LINE);
            let sums = tile::<S, M, R, N>(mem, isa, a, b.part(j * depth, width * depth), to, next, share);
            panels::add_to(mem, isa, &sums, to);
        }
    }
}

/// Doubles per line.
const LINE: usize = 8;

/// The innermost loop: `R * N` registers of sums, `N` of b, one of a. Meanwhile it prefetches
/// the tile of `c` to which the sums will be added, and this tile's `share` of the lines of
/// the next strip of a, from `next` on. The core itself prefetches contiguous data such as
/// the strips of b.
#[inline(always)]
fn tile<S: Fused, M: Memory, const R: usize, const N: usize>(
    mem: &mut M,
    isa: S,
    a: Array<f64>,
    b: Array<f64>,
    c: View,
    next: *const Cell<f64>,
    share: usize,
) -> [[S::Register; N]; R] {
    let mut sums = [[isa.splat(0.0); N]; R];
    let mut steps = a.pieces_with(R, b, N * S::LANES);
    // a few at a time: the core can have only some dozen lines in flight
    for row in 0..c.rows() {
        let row = c.row(row).cells().as_ptr();
        (0..N * S::LANES).step_by(LINE).for_each(|left| mem.prefetch(row.wrapping_add(left)));
        for _ in 0..4 {
            let Some((a, b)) = steps.next() else { break };
            step(mem, isa, &mut sums, a, b);
        }
    }
    for line in 0..share {
        let Some((a, b)) = steps.next() else { break };
        mem.prefetch(next.wrapping_add(line * LINE));
        step(mem, isa, &mut sums, a, b);
    }
    for (a, b) in steps {
        step(mem, isa, &mut sums, a, b);
    }
    sums
}

/// One column of a strip of a times one row of a strip of b.
#[inline(always)]
fn step<S: Fused, M: Memory, const R: usize, const N: usize>(
    mem: &mut M,
    isa: S,
    sums: &mut [[S::Register; N]; R],
    a: Array<f64>,
    b: Array<f64>,
) {
    let mut right = [isa.splat(0.0); N];
    for (j, right) in right.iter_mut().enumerate() {
        *right = mem.load_vector(b.lanes(j * S::LANES));
    }
    for (i, sums) in sums.iter_mut().enumerate() {
        let One(x) = mem.load_vector(a.lanes(i));
        for (sum, right) in sums.iter_mut().zip(right) {
            *sum = isa.add_product(*sum, isa.splat(x), right);
        }
    }
}

/// Doubles of scratch for blocks of these sides and tiles of `r` by `width`.
pub fn scratch_len(sides: Sides, r: usize, width: usize) -> usize {
    (sides.rows.next_multiple_of(r) + sides.cols.next_multiple_of(width)) * sides.depth
}

fn scratch_parts(scratch: Array<f64>, sides: Sides, r: usize, width: usize) -> (Array<f64>, Array<f64>) {
    let left = sides.rows.next_multiple_of(r) * sides.depth;
    let right = sides.cols.next_multiple_of(width) * sides.depth;
    (scratch.part(right, left), scratch.part(0, right))
}
