//! Order j, i, k: as i, j, k, but c is filled column by column.

use memory::{Memory, steps};

use crate::view::{View, conform};

/// `c += a * b`. Inner loop: a by rows, b by columns, the sum in a register:
/// 2 loads, 0 stores.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View) {
    let (m, n, l, a, b, c) = conform(a, b, c);
    steps!(mem; for j in 0..n {
        steps!(mem; for i in 0..m {
            let mut sum = 0.0;
            steps!(mem; for k in 0..l {
                sum += mem.load(a.at(i, k)) * mem.load(b.at(k, j));
            });
            let sum = mem.load(c.at(i, j)) + sum;
            mem.store(c.at(i, j), sum);
        });
    });
}
