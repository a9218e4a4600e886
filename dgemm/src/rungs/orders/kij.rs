//! Order k, i, j: one row of b goes into all rows of c, then the next one.

use memory::{Memory, steps};

use crate::view::{View, conform};

/// `c += a * b`. Inner loop: b and c by rows, the element of a in a register:
/// 2 loads, 1 store.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View) {
    let (m, n, l, a, b, c) = conform(a, b, c);
    steps!(mem; for k in 0..l {
        steps!(mem; for i in 0..m {
            let r = mem.load(a.at(i, k));
            steps!(mem; for j in 0..n {
                let sum = mem.load(c.at(i, j)) + r * mem.load(b.at(k, j));
                mem.store(c.at(i, j), sum);
            });
        });
    });
}
