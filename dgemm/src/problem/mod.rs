//! The matrices of one product, its blocks, and the check of its result.

use figures::random::Random;
use isa::Widest;
use memory::{Arena, Array, OutOfMemory};

use crate::rungs::tiled::{self, Sides};
use crate::rungs::widest::{Product, tile};
use crate::view::View;

/// Sides of all blocks, by the lecture's rule or given as options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// Side of the blocks that fit the L1 cache.
    pub l1: usize,
    /// Side of the blocks that fit the L2 cache.
    pub l2: usize,
    /// Largest side that the recursion does not divide.
    pub base: usize,
    /// Blocks of the tiled rungs.
    pub sides: Sides,
    /// Threads of the threaded rung.
    pub threads: usize,
}

/// The largest `b` for which three `b` by `b` blocks of doubles fit in `bytes`: the
/// lecture's `b = sqrt(mL / 3)` for `L` lines of `m` doubles. If it is above 8 it is
/// rounded down to a multiple of 8 (the elements of a 64-byte line, and the unrolling).
pub fn side_for(bytes: u64) -> usize {
    let b = ((bytes / 8) as f64 / 3.0).sqrt() as usize;
    if b > 8 { b - b % 8 } else { b.max(1) }
}

impl Blocks {
    /// For data caches of `l1` and `l2` bytes (0: none), on `threads` threads.
    ///
    /// The tiled rungs use half of L1 for a strip of a, while strips of b are read once
    /// each, and a quarter of L2 for a block of b.
    pub fn for_caches(l1: u64, l2: u64, threads: usize) -> Blocks {
        let l1 = if l1 == 0 { 32 << 10 } else { l1 };
        let l2 = if l2 == 0 { 8 * l1 } else { l2 };
        let (height, width) = tile(Widest::detect());
        let depth = (l1 as usize / 2 / (8 * height) / 8 * 8).clamp(64, 384);
        let cols = (l2 as usize / 4 / (8 * depth) / width * width).clamp(width, 1032);
        let sides = Sides { rows: 4096usize.next_multiple_of(height), cols, depth };
        let l1 = side_for(l1);
        Blocks { l1, l2: (side_for(l2) / l1).max(1) * l1, base: 2, sides, threads: threads.max(1) }
    }

    /// The plan with blocks no larger than an `m` by `n` by `k` product needs.
    fn within(self, m: usize, n: usize, k: usize) -> Blocks {
        Blocks { sides: self.sides.within(m, n, k), ..self }
    }
}

/// `c += a * b`, ready to run. Its matrices and its scratch memory do not overlap, and no
/// code can exchange them: the threaded rung relies on that.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    pub(crate) a: View<'a>,
    pub(crate) b: View<'a>,
    pub(crate) c: View<'a>,
    /// Memory for copies of blocks.
    pub(crate) scratch: Array<'a, f64>,
    pub(crate) blocks: Blocks,
    pub(crate) isa: Widest,
}

impl<'a> Problem<'a> {
    /// Bytes of the arena for [`Problem::new`]; the largest number if no machine can address them.
    pub fn bytes(m: usize, n: usize, k: usize, blocks: Blocks) -> usize {
        let copies = scratch_len(blocks.within(m, n, k)) + 2 * LINE;
        let arrays = [m.saturating_mul(k), k.saturating_mul(n), m.saturating_mul(n)];
        arrays.into_iter().fold(copies, usize::saturating_add).saturating_mul(8)
    }

    /// Matrices `a`, `b` with elements between 0.5 and 1.5 and a `c` of zeros, one after
    /// the other, then the copies, starting at a line.
    /// Fails if `arena` has fewer than [`Problem::bytes`] bytes left.
    pub fn new(arena: &'a Arena, [m, n, k]: [usize; 3], blocks: Blocks) -> Result<Problem<'a>, OutOfMemory> {
        let p = Problem::without_numbers(arena, [m, n, k], blocks)?;
        let mut random = Random::new(1);
        for matrix in [p.a, p.b] {
            let cells = (0..matrix.rows()).flat_map(|i| matrix.row(i).cells());
            cells.for_each(|cell| cell.set(0.5 + random.unit()));
        }
        // Memory that the first product does not have to ask the system for.
        p.scratch.fill(|_| 0.0);
        Ok(p)
    }

    /// A problem with matrices that were never written, for which the system provides no
    /// memory: for machines on which a product is counted, not computed.
    /// Fails as [`new`](Problem::new) does.
    pub fn without_numbers(
        arena: &'a Arena,
        [m, n, k]: [usize; 3],
        blocks: Blocks,
    ) -> Result<Problem<'a>, OutOfMemory> {
        let (a, b) = (arena.matrix("a", m, k)?, arena.matrix("b", k, n)?);
        let c = arena.matrix("c", m, n)?;
        let blocks = blocks.within(m, n, k);
        let len = scratch_len(blocks);
        let scratch = on_a_line(arena.array("copies", len + LINE)?).part(0, len);
        Ok(Problem { a: a.into(), b: b.into(), c: c.into(), scratch, blocks, isa: Widest::detect() })
    }

    /// The left factor, `m` by `k`.
    pub fn a(&self) -> View<'a> {
        self.a
    }

    /// The right factor, `k` by `n`.
    pub fn b(&self) -> View<'a> {
        self.b
    }

    /// The result, `m` by `n`.
    pub fn c(&self) -> View<'a> {
        self.c
    }

    /// The whole problem, for the tiled rungs.
    pub(crate) fn product(&self) -> Product<'a> {
        let views = [self.a, self.b, self.c];
        Product { views, factors: None, sides: self.blocks.sides, scratch: self.scratch }
    }

    /// The sides `m`, `n`, `k`.
    pub fn sides(&self) -> [usize; 3] {
        [self.c.rows(), self.c.cols(), self.a.cols()]
    }

    /// Floating-point operations of the product: a multiplication and an
    /// addition for each of the `m n k` inner iterations.
    pub fn flops(&self) -> f64 {
        2.0 * self.iterations()
    }

    /// Inner iterations, `m n k`.
    pub fn iterations(&self) -> f64 {
        self.sides().map(|side| side as f64).iter().product()
    }

    /// Sets `c` to zero.
    pub fn clear(&self) {
        (0..self.c.rows()).for_each(|i| self.c.row(i).fill(|_| 0.0));
    }

    /// Freivalds' check of `c = a * b` after [`clear`](Problem::clear) and one product: the
    /// largest relative difference between the elements of `c x` and `a (b x)` for a random
    /// `x` of positive numbers, in `n^2` operations. About 1e-15 for a right product; a
    /// wrong element of `c` gives its share of the sum of its row.
    pub fn residual(&self) -> f64 {
        let mut random = Random::new(2);
        let x: Vec<f64> = (0..self.c.cols()).map(|_| 0.5 + random.unit()).collect();
        let (direct, through) = (times(self.c, &x), times(self.a, &times(self.b, &x)));
        let difference = |(p, q): (&f64, &f64)| if p == q { 0.0 } else { (p - q).abs() / q.abs() };
        direct.iter().zip(&through).map(difference).fold(0.0, f64::max)
    }
}

/// Doubles of the longest usual line (Apple's 128 bytes).
pub const LINE: usize = 16;

/// `array` from its first element at the start of a line: at most [`LINE`] elements are
/// lost.
pub fn on_a_line(array: Array<f64>) -> Array<f64> {
    let address = array.cells().as_ptr() as usize;
    let skipped = (address.next_multiple_of(8 * LINE) - address) / 8;
    array.part(skipped, array.len() - skipped)
}

fn scratch_len(blocks: Blocks) -> usize {
    let (height, width) = tile(Widest::detect());
    blocks.threads * tiled::scratch_len(blocks.sides, height, width).next_multiple_of(LINE)
}

fn times(matrix: View, x: &[f64]) -> Vec<f64> {
    let row = |i| matrix.row(i).cells().iter().zip(x).map(|(cell, x)| cell.get() * x).sum();
    (0..matrix.rows()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_gives_the_lectures_block() {
        assert_eq!(side_for(32 << 10), 32); // sqrt(4096 / 3) = 36.95
        assert_eq!(side_for(256 << 10), 104); // sqrt(32768 / 3) = 104.5
        assert_eq!(side_for(100), 2);
        assert_eq!(side_for(0), 1);
        let blocks = Blocks::for_caches(32 << 10, 256 << 10, 1);
        assert_eq!((blocks.l1, blocks.l2), (32, 96));
    }

    #[test]
    fn a_wrong_element_shows_in_the_residual() {
        let blocks = Blocks::for_caches(32 << 10, 256 << 10, 1);
        let arena = Arena::with_capacity(Problem::bytes(9, 8, 7, blocks)).unwrap();
        let p = Problem::new(&arena, [9, 8, 7], blocks).unwrap();
        crate::VARIANTS[0].run(&mut isa::Native, &p);
        assert!(p.residual() < 1e-14);
        p.c.at(8, 7).set(p.c.at(8, 7).get() * 1.001);
        assert!(p.residual() > 1e-5);
    }
}
