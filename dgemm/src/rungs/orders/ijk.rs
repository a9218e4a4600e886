//! Order i, j, k: each element of c is the product of a row and a column.

use memory::{Memory, steps};

use crate::view::{View, conform};

/// `c += a * b`. Inner loop: a by rows, b by columns, the sum in a register:
/// 2 loads, 0 stores.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View) {
    let (m, n, l, a, b, c) = conform(a, b, c);
    steps!(mem; for i in 0..m {
        steps!(mem; for j in 0..n {
            let mut sum = 0.0;
            steps!(mem; for k in 0..l {
                sum += mem.load(a.at(i, k)) * mem.load(b.at(k, j));
            });
            let sum = mem.load(c.at(i, j)) + sum;
            mem.store(c.at(i, j), sum);
        });
    });
}
