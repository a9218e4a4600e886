//! Order k, j, i: one column of a goes into all columns of c, then the next one.

use memory::{Memory, steps};

use crate::view::{View, conform};

/// `c += a * b`. Inner loop: a and c by columns, the element of b in a
/// register: 2 loads, 1 store.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View) {
    let (m, n, l, a, b, c) = conform(a, b, c);
    steps!(mem; for k in 0..l {
        steps!(mem; for j in 0..n {
            let r = mem.load(b.at(k, j));
            steps!(mem; for i in 0..m {
                let sum = mem.load(c.at(i, j)) + mem.load(a.at(i, k)) * r;
                mem.store(c.at(i, j), sum);
            });
        });
    });
}
