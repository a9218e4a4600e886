//! The product of blocks that nearly all of [`crate::blocked`]'s time goes into.

use std::array;
use std::ops::Range;

use common::memory::{Array, Memory, Vector};

use crate::simd::Simd;
use crate::tile::{MOST_ROWS, Operands, Tile};

/// Pivots per pass: a panel of that many rows of pivots, a few registers wide,
/// stays in the first-level cache.
pub const DEPTH: usize = 192;
/// Columns per pass: all panels together stay in the second-level cache.
const WIDTH: usize = 128;

/// The matrix and what one member of the team needs beside it.
#[derive(Debug, Clone, Copy)]
pub struct Workspace<'a> {
    /// The matrix, row by row.
    pub a: Array<'a, f64>,
    /// Its rows and columns.
    pub n: usize,
    /// 1 / pivot, for the pivots done so far.
    pub inverse: Array<'a, f64>,
    /// This member's panels, and a tile: [`Workspace::PRIVATE`] elements.
    pub private: Array<'a, f64>,
}

impl Workspace<'_> {
    /// Elements of [`private`](Workspace::private): the panels (the last one may
    /// be wider than the columns) and a tile.
    pub const PRIVATE: usize = DEPTH * WIDTH + DEPTH * 16 + TILE;
}

/// Elements of the largest tile of any instruction set.
const TILE: usize = 12 * 16;

/// In `rows` and `columns`, subtracts the multiples of the rows `pivots`:
/// `a[i][j] -= sum over k of a[i][k] * (a[k][j] / a[k][k])`.
#[inline(always)]
pub fn update<M: Memory, T: Tile>(
    mem: &mut M,
    w: Workspace,
    rows: Range<usize>,
    columns: Range<usize>,
    pivots: Range<usize>,
) {
    let across = T::ACROSS;
    if rows.is_empty() || columns.is_empty() {
        return;
    }
    for k in pivots.clone().step_by(DEPTH) {
        let depth = DEPTH.min(pivots.end - k);
        for left in columns.clone().step_by(WIDTH) {
            let width = WIDTH.min(columns.end - left);
            for j in (0..width).step_by(across) {
                let panel = w.private.part(j * depth, across * depth);
                pack::<M, T>(mem, w, panel, k, left + j..left + width.min(j + across));
            }
            for i in rows.clone().step_by(T::ROWS) {
                let strip = i..rows.end.min(i + T::ROWS);
                for j in (0..width).step_by(across) {
                    let panel = w.private.part(j * depth, across * depth);
                    let covered = left + j..left + width.min(j + across);
                    tile::<M, T>(mem, w, panel, strip.clone(), covered, k, depth);
                }
            }
        }
    }
}

/// Copies pivot rows, divided by their pivots, so that the tile reads them from
/// front to back; columns that are not there are zero.
#[inline(always)]
fn pack<M: Memory, T: Tile>(mem: &mut M, w: Workspace, panel: Array<f64>, k: usize, columns: Range<usize>) {
    let across = T::ACROSS;
    for step in 0..panel.len() / across {
        let inverse = mem.load(w.inverse.at(k + step));
        let (from, to) = (w.a.part((k + step) * w.n, w.n), panel.part(step * across, across));
        if columns.len() == across {
            for half in [0, T::Register::LANES] {
                let pivot: T::Register = mem.load_vector(from.lanes(columns.start + half));
                mem.store_vector(to.lanes(half), pivot.mul(T::Register::splat(inverse)));
            }
        } else {
            for column in 0..across {
                let j = columns.start + column;
                let pivot = if j < columns.end { mem.load(from.at(j)) * inverse } else { 0.0 };
                mem.store(to.at(column), pivot);
            }
        }
    }
}

/// One tile. At the right edge it is computed in the
/// workspace; at the bottom, surplus rows repeat the last one and are dropped.
#[inline(always)]
fn tile<M: Memory, T: Tile>(
    mem: &mut M,
    w: Workspace,
    panel: Array<f64>,
    rows: Range<usize>,
    columns: Range<usize>,
    k: usize,
    depth: usize,
) {
    let across = T::ACROSS;
    let left: [Array<f64>; MOST_ROWS] =
        array::from_fn(|r| w.a.part((rows.start + r).min(rows.end - 1) * w.n + k, depth));
    let in_matrix = |r: usize| ((rows.start + r).min(rows.end - 1)) * w.n + columns.start;
    if columns.len() == across {
        let target: [Array<f64>; MOST_ROWS] = array::from_fn(|r| w.a.part(in_matrix(r), across));
        T::multiply(mem, &Operands { left, panel, target, rows: rows.len() });
    } else {
        let aside = w.private.part(w.private.len() - TILE, TILE);
        for r in 0..rows.len() {
            for j in 0..columns.len() {
                let element = mem.load(w.a.at(in_matrix(r) + j));
                mem.store(aside.at(r * across + j), element);
            }
        }
        let target: [Array<f64>; MOST_ROWS] = array::from_fn(|r| aside.part(r * across, across));
        T::multiply(mem, &Operands { left, panel, target, rows: rows.len() });
        for r in 0..rows.len() {
            for j in 0..columns.len() {
                let element = mem.load(aside.at(r * across + j));
                mem.store(w.a.at(in_matrix(r) + j), element);
            }
        }
    }
}
