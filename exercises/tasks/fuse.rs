//! **Two loops into one.** The function below makes two arrays from one. Each array is larger
//! than the cache: when the second loop begins, the first elements of `a` and `b` have been
//! evicted, and all their lines are fetched again.
//!
//! Do the work of both loops in one, with one load of `a[i]`, and one store to `b[i]` and to
//! `c[i]`. A value that was just computed need not be loaded.

use crate::memory::{Array, Memory};

/// `b[i] = 2 a[i]` and `c[i] = a[i] + b[i]`.
pub fn scale_and_add(mem: &mut Memory, a: Array, b: Array, c: Array) {
    for i in 0..a.len() {
        let value = mem.load(a.at(i));
        mem.store(b.at(i), 2.0 * value);
    }
    for i in 0..a.len() {
        let sum = mem.load(a.at(i)) + mem.load(b.at(i));
        mem.store(c.at(i), sum);
    }
}
