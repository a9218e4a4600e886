//! Blocks copied to contiguous memory before they are used: two lines of a block then never
//! conflict in the cache, and a page holds a whole block.

use memory::{Array, Memory};

use crate::view::{View, conform};

/// `c += a * b` in blocks of side `s`. b is copied once, each block of it transposed, so
/// that the inner loop accesses two rows; a block of a is copied when its turn comes.
/// `scratch` has space for [`scratch_len`] doubles.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View, s: usize, scratch: Array<f64>) {
    let (m, n, l, a, b, c) = conform(a, b, c);
    let (a_copy, b_copies) = (scratch.part(0, s * s), scratch.part(s * s, n * l));
    let mut packed = 0;
    for k in (0..l).step_by(s) {
        for j in (0..n).step_by(s) {
            let from = b.block(k, j, s, s);
            let size = from.rows() * from.cols();
            transpose(mem, from, View::over(b_copies.part(packed, size), from.cols(), from.rows()));
            packed += size;
        }
    }
    for i in (0..m).step_by(s) {
        let mut packed = 0;
        for k in (0..l).step_by(s) {
            let from = a.block(i, k, s, s);
            let left = View::over(a_copy, from.rows(), from.cols());
            copy(mem, from, left);
            for j in (0..n).step_by(s) {
                let to = c.block(i, j, s, s);
                let size = left.cols() * to.cols();
                let right = View::over(b_copies.part(packed, size), to.cols(), left.cols());
                packed += size;
                rows_by_rows(mem, left, right, to);
            }
        }
    }
}

/// Doubles of scratch for a b of `l` by `n` and blocks of side `s`.
pub fn scratch_len(l: usize, n: usize, s: usize) -> usize {
    s * s + n * l
}

#[inline(always)]
fn copy<M: Memory>(mem: &mut M, from: View, to: View) {
    for i in 0..from.rows() {
        for (x, y) in from.row(i).cells().iter().zip(to.row(i).cells()) {
            let value = mem.load(x);
            mem.store(y, value);
        }
    }
}

#[inline(always)]
fn transpose<M: Memory>(mem: &mut M, from: View, to: View) {
    for i in 0..from.rows() {
        for j in 0..from.cols() {
            let value = mem.load(from.at(i, j));
            mem.store(to.at(j, i), value);
        }
    }
}

/// `c += a * transposed(b)`: both are accessed by rows, eight elements at a time.
#[inline(always)]
fn rows_by_rows<M: Memory>(mem: &mut M, a: View, b: View, c: View) {
    for i in 0..c.rows() {
        for j in 0..c.cols() {
            let (x, y) = (a.row(i).cells(), b.row(j).cells());
            let (eights, rest) = (x.chunks_exact(8), x.chunks_exact(8).remainder());
            let mut sum = 0.0;
            for (x, y) in eights.zip(y.chunks_exact(8)) {
                let mut term = |k: usize| mem.load(&x[k]) * mem.load(&y[k]);
                sum +=
                    ((term(0) + term(1)) + (term(2) + term(3))) + ((term(4) + term(5)) + (term(6) + term(7)));
            }
            for (x, y) in rest.iter().zip(&y[y.len() - rest.len()..]) {
                sum += mem.load(x) * mem.load(y);
            }
            let sum = mem.load(c.at(i, j)) + sum;
            mem.store(c.at(i, j), sum);
        }
    }
}
