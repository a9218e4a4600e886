//! The smallest blocks of [`crate::rungs::blocked`]: a few columns, eliminated one by one.

use std::array;
use std::ops::Range;

use isa::One;
use memory::Memory;

use super::update::update;
use crate::problem::workspace::Workspace;
use threads::Member;

/// Columns that are eliminated one by one: a cache line.
pub(crate) const NARROW: usize = 8;

/// Eliminates the columns `panel` (at most [`PANEL`](crate::problem::workspace::PANEL)) in
/// all rows from the first pivot on, and records -1 / pivot for each. The first thread
/// updates the pivot rows, then each thread its share of the rows below.
/// share of the rows below.
#[inline(always)]
pub(crate) fn narrow<M: Memory>(mem: &mut M, w: Workspace, panel: Range<usize>, member: &Member) {
    if member.first() {
        for i in panel.clone() {
            for k in panel.start..i {
                let pivot = w.a.part(k * w.n, panel.end);
                let row = w.a.part(i * w.n, panel.end);
                let multiplier = mem.load(row.at(k)) * mem.load(w.factors.at(k));
                for j in k + 1..panel.end {
                    let One(above) = mem.load_vector(pivot.lanes(j));
                    let One(old) = mem.load_vector(row.lanes(j));
                    mem.store_vector(row.lanes(j), One(old + multiplier * above));
                }
            }
            let pivot = mem.load(w.a.at(i * w.n + i));
            mem.store(w.factors.at(i), -1.0 / pivot);
        }
    }
    member.wait();
    let rows = member.share(panel.end..w.n, NARROW);
    if !rows.is_empty() {
        for first in panel.clone().step_by(NARROW) {
            below(mem, w, first, rows.clone());
            let done = first + NARROW;
            update(mem, w, rows.clone(), done..panel.end.min(done + NARROW), panel.start..done);
        }
    }
}

/// The rows below [`NARROW`] pivots: each is loaded once, and the multiples of all of them
/// are subtracted in registers.
#[inline(always)]
fn below<M: Memory>(mem: &mut M, w: Workspace, first: usize, rows: Range<usize>) {
    // Elements left of the diagonal stay zero, so that all pivots are handled in the same
    // way.
    let pivots: [[f64; NARROW]; NARROW] = array::from_fn(|k| {
        let row = w.a.part((first + k) * w.n + first, NARROW);
        array::from_fn(|j| if j > k { mem.load(row.at(j)) } else { 0.0 })
    });
    let factors: [f64; NARROW] = array::from_fn(|k| mem.load(w.factors.at(first + k)));
    for i in rows {
        let cells = w.a.part(i * w.n + first, NARROW);
        let mut row: [f64; NARROW] = array::from_fn(|j| mem.load_vector::<One>(cells.lanes(j)).0);
        for k in 0..NARROW - 1 {
            let multiplier = row[k] * factors[k];
            for j in k + 1..NARROW {
                row[j] += multiplier * pivots[k][j];
            }
        }
        for (j, element) in row.into_iter().enumerate().skip(1) {
            mem.store_vector(cells.lanes(j), One(element));
        }
    }
}
