//! Order i, k, j on flat arrays: rows are looked up once, then accessed in parallel.

use memory::Memory;

use crate::view::{View, conform};

/// `c += a * b`. The offsets of the rows are computed outside of the inner loop, which
/// accesses two arrays in parallel.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View) {
    let (m, _, l, a, b, c) = conform(a, b, c);
    for i in 0..m {
        let c_row = c.row(i);
        for k in 0..l {
            let b_row = b.row(k);
            let r = mem.load(a.at(i, k));
            for (c_ij, b_kj) in c_row.cells().iter().zip(b_row.cells()) {
                let sum = mem.load(c_ij) + r * mem.load(b_kj);
                mem.store(c_ij, sum);
            }
        }
    }
}
