//! A solution of each task, for instructors; not in the student's edition.

use exercises::check::policy::Way;
use memory::{Array, Matrix, Memory};

pub(crate) fn transpose<M: Memory>(mem: &mut M, from: Matrix<f64>, to: Matrix<f64>) {
    const B: usize = 8;
    let n = from.rows();
    for ii in (0..n).step_by(B) {
        for jj in (0..n).step_by(B) {
            for i in ii..n.min(ii + B) {
                for j in jj..n.min(jj + B) {
                    let element = mem.load(from.at(i, j));
                    mem.store(to.at(j, i), element);
                }
            }
        }
    }
}

pub(crate) fn subtract<M: Memory>(
    mem: &mut M,
    target: Array<f64>,
    source: Array<f64>,
    multiplier: f64,
    first: usize,
) {
    let n = target.len();
    let mut j = first;
    while j + 8 <= n {
        for column in j..j + 8 {
            step(mem, target, source, multiplier, column);
        }
        j += 8;
    }
    while j < n {
        step(mem, target, source, multiplier, j);
        j += 1;
    }
}

pub(crate) fn step<M: Memory>(
    mem: &mut M,
    target: Array<f64>,
    source: Array<f64>,
    multiplier: f64,
    j: usize,
) {
    let change = mem.load(source.at(j)) * multiplier;
    let old = mem.load(target.at(j));
    mem.store(target.at(j), old - change);
}

pub(crate) fn side(cache: usize, line: usize, element: usize) -> usize {
    let b = (cache / element / 3).isqrt();
    b - b % (line / element)
}

pub(crate) fn smooth<M: Memory>(mem: &mut M, from: Matrix<f64>, to: Matrix<f64>) {
    let n = from.rows();
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let sum = mem.load(from.at(i - 1, j))
                + mem.load(from.at(i + 1, j))
                + mem.load(from.at(i, j - 1))
                + mem.load(from.at(i, j + 1));
            mem.store(to.at(i, j), sum / 4.0);
        }
    }
}

/// A random line: some lines of the array survive, and none stays for ever.
pub(crate) fn victim(ways: &[Way], chance: u64) -> usize {
    chance as usize % ways.len()
}
