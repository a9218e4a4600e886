//! ge1: the textbook's loop, as a compiler translates it without optimising.
//!
//! **What it does.** Row `i` loses `a[i][k] / a[k][k]` times row `k`, for every
//! row below the pivot. `i`, `j`, `k` and the size live in memory, and so do
//! the row pointers (`double **` in C): each mention of a variable is a load, also in
//! the loops' conditions. (`steps!` is that plain loop; it shows the cache model that
//! every step is like the last.)
//!
//! **Predict.** How many of the loads of one inner step fetch an element of the
//! matrix, and how many only find out where that element is?
//!
//! **Per inner step:** 3 flops, one of them a division; 22 loads, 2 stores.

use std::cell::Cell;

use isa::Scalar;
use memory::{Memory, steps};

use crate::problem::system::{Rows, System, Variables};
use crate::rungs::Rung;

/// Eliminates below the diagonal, row by row, without exchanging rows.
#[derive(Debug)]
pub struct Ge1;

impl Rung for Ge1 {
    type Isa = Scalar;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: Scalar) {
        let (a, Variables { size, i, j, k }) = (system.rows, system.variables);
        mem.store(k, 0);
        while mem.load(k) < mem.load(size) {
            let below = mem.load(k) + 1;
            mem.store(i, below);
            while mem.load(i) < mem.load(size) {
                let right = mem.load(k) + 1;
                mem.store(j, right);
                steps!(mem; while [j] < [size] {
                    let [old, above] = [value(mem, a, i, j), value(mem, a, k, j)];
                    let [left, pivot] = [value(mem, a, i, k), value(mem, a, k, k)];
                    let target = element(mem, a, i, j);
                    mem.store(target, old - above * (left / pivot));
                    let next = mem.load(j) + 1;
                    mem.store(j, next);
                });
                let next = mem.load(i) + 1;
                mem.store(i, next);
            }
            let next = mem.load(k) + 1;
            mem.store(k, next);
        }
    }
}

/// `a[row][column]`: loads both variables, and the row's pointer between them.
#[inline(always)]
fn element<'a, M: Memory>(
    mem: &mut M,
    a: Rows<'a>,
    row: &Cell<usize>,
    column: &Cell<usize>,
) -> &'a Cell<f64> {
    let row = mem.load(row);
    let start = mem.load(a.pointers.at(row));
    a.elements.at(start + mem.load(column))
}

/// The number in `a[row][column]`.
#[inline(always)]
fn value<M: Memory>(mem: &mut M, a: Rows, row: &Cell<usize>, column: &Cell<usize>) -> f64 {
    let cell = element(mem, a, row, column);
    mem.load(cell)
}
