//! Halve every side until the blocks are tiny: they then fit every cache there
//! is, without a line of code that knows its size.

use isa::start_on_a_line;
use memory::Memory;

use crate::rungs::orders::ijk;
use crate::view::{View, conform};

/// `c += a * b`; sides of at most `base` are multiplied directly. An odd side is divided
/// into unequal halves. A side of 1 is not divided: its second half is empty, and an empty
/// product does nothing.
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View, base: usize) {
    start_on_a_line();
    let (m, n, l, a, b, c) = conform(a, b, c);
    if m == 0 || n == 0 || l == 0 {
        return;
    }
    if m.max(n).max(l) <= base.max(1) {
        return ijk::multiply(mem, a, b, c);
    }
    let [a11, a12, a21, a22] = quarters(a, m.div_ceil(2), l.div_ceil(2));
    let [b11, b12, b21, b22] = quarters(b, l.div_ceil(2), n.div_ceil(2));
    let [c11, c12, c21, c22] = quarters(c, m.div_ceil(2), n.div_ceil(2));
    multiply(mem, a11, b11, c11, base);
    multiply(mem, a12, b21, c11, base);
    multiply(mem, a11, b12, c12, base);
    multiply(mem, a12, b22, c12, base);
    multiply(mem, a21, b11, c21, base);
    multiply(mem, a22, b21, c21, base);
    multiply(mem, a21, b12, c22, base);
    multiply(mem, a22, b22, c22, base);
}

/// The four quarters, the first of `rows` by `cols`.
#[inline(always)]
fn quarters(x: View, rows: usize, cols: usize) -> [View; 4] {
    let (below, right) = (x.rows(), x.cols()); // a block ends at the edge
    [
        x.block(0, 0, rows, cols),
        x.block(0, cols, rows, right),
        x.block(rows, 0, below, cols),
        x.block(rows, cols, below, right),
    ]
}
