//! Order i, j, k on flat arrays: addresses are incremented, not computed.

use memory::Memory;

use crate::view::{View, conform};

/// `c += a * b`. The column of b is every `stride`-th element from `b[j]` on, so
/// the inner loop adds to a pointer where `b[k][j]` multiplies and adds.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View) {
    let (m, n, _, a, b, c) = conform(a, b, c);
    let (b, stride) = b.flat();
    for i in 0..m {
        let row = a.row(i);
        for j in 0..n.min(b.len()) {
            let column = b.cells()[j..].iter().step_by(stride);
            let mut sum = 0.0;
            for (a_ik, b_kj) in row.cells().iter().zip(column) {
                sum += mem.load(a_ik) * mem.load(b_kj);
            }
            let sum = mem.load(c.at(i, j)) + sum;
            mem.store(c.at(i, j), sum);
        }
    }
}
