//! **The missing tail of ge4.** The homework prints ge4's inner loop like this:
//!
//! ```c
//! for (j = k + 1; j < n; j++) {
//!     if (j < max(n - 8, 0)) {
//!         A[i][j]     -= A[k][j]     * m;
//!         A[i][j + 1] -= A[k][j + 1] * m;
//!         /* ... */
//!         A[i][j + 7] -= A[k][j + 7] * m;
//!         j += 8;
//!     } else {
//!         A[i][j] -= A[k][j] * m;
//!         j++;
//!     }
//! }
//! ```
//!
//! It compiles, it is fast, and its Check is wrong. The function below is the same in Rust.
//! Follow `j` on paper through a row of 20 columns. Then repair the loop: blocks of eight
//! while a whole block is left, and a tail for the other columns, so that each column
//! is changed once.

use crate::memory::{Array, Memory};

/// Subtracts `multiplier` times `source` from `target`, in the columns from `first`
/// to the end of the row.
pub fn subtract(mem: &mut Memory, target: Array, source: Array, multiplier: f64, first: usize) {
    let n = target.len();
    let mut j = first;
    while j < n {
        if j + 8 < n {
            for column in j..j + 8 {
                step(mem, target, source, multiplier, column);
            }
            j += 8;
        } else {
            step(mem, target, source, multiplier, j);
            j += 1;
        }
        j += 1; // the j++ of the loop's head
    }
}

/// `target[j] -= source[j] * multiplier`
fn step(mem: &mut Memory, target: Array, source: Array, multiplier: f64, j: usize) {
    let change = mem.load(source.at(j)) * multiplier;
    let old = mem.load(target.at(j));
    mem.store(target.at(j), old - change);
}
