//! **Transpose by blocks, for two machines.** `to[j][i] = from[i][j]` for every i and j.
//!
//! The two loops below are right, but every store misses the cache: while j runs along
//! a row of `from`, it runs down a column of `to`, a new line each time. When i
//! increases, the first line of the column has been evicted.
//!
//! Cut both matrices into squares whose lines fit the cache, and transpose square by
//! square. The same function must be good on two machines. One has a cache of 8 KiB in
//! lines of 64 bytes, the other one 16 KiB in lines of 128 bytes; an element has
//! 8 bytes. In C, with squares of B elements and N a multiple of B:
//!
//! ```c
//! for (ii = 0; ii < N; ii += B)
//!     for (jj = 0; jj < N; jj += B)
//!         for (i = ii; i < ii + B; i++)
//!             for (j = jj; j < jj + B; j++)
//!                 to[j][i] = from[i][j];
//! ```
//!
//! In this exercise N need not be a multiple of B. Useful Rust: `(0..n).step_by(8)`,
//! `a.min(b)`.

use crate::memory::{Matrix, Memory};

/// Writes the transpose of `from` into `to`; both have as many rows as columns.
pub fn transpose(mem: &mut Memory, from: Matrix, to: Matrix) {
    let n = from.rows();
    for i in 0..n {
        for j in 0..n {
            let element = mem.load(from.at(i, j));
            mem.store(to.at(j, i), element);
        }
    }
}
