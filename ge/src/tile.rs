//! The innermost loop of [`crate::update`]: a tile of the matrix that stays in
//! registers while all its multiples are subtracted.

use common::memory::{Array, Memory, Vector};

use crate::simd::{Octet, One, Quad, Simd};

/// Rows of the largest tile of any instruction set.
pub const MOST_ROWS: usize = 12;

/// What a tile is computed from.
#[derive(Debug, Clone, Copy)]
pub struct Operands<'a> {
    /// For each row of the tile, its elements in the columns of the pivots.
    pub left: [Array<'a, f64>; MOST_ROWS],
    /// The pivot rows, divided by their pivots, in the columns of the tile.
    pub panel: Array<'a, f64>,
    /// The rows of the tile itself.
    pub target: [Array<'a, f64>; MOST_ROWS],
    /// How many of them are to be stored.
    pub rows: usize,
}

/// The tile of one instruction set: as large as its registers allow.
pub trait Tile {
    /// One of its registers; the tile is two of them wide.
    type Register: Simd;
    /// Rows.
    const ROWS: usize;
    /// Columns.
    const ACROSS: usize = 2 * Self::Register::LANES;
    /// `target -= left * panel`; only where the processor has the instructions.
    fn multiply<M: Memory>(mem: &mut M, operands: &Operands);
}

/// 6 by 8: 12 of AVX2's 16 registers, 24 of NEON's 32.
#[derive(Debug)]
pub enum Quads {}

/// 12 by 16: 24 of AVX-512's 32 registers.
#[derive(Debug)]
pub enum Octets {}

macro_rules! tile {
    ($tile:ty: $register:ty, $rows:literal, $features:literal) => {
        impl Tile for $tile {
            type Register = $register;
            const ROWS: usize = $rows;
            fn multiply<M: Memory>(mem: &mut M, operands: &Operands) {
                #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
                #[inline(never)]
                fn multiply<M: Memory>(mem: &mut M, operands: &Operands) {
                    in_registers::<M, $register, $rows>(mem, operands);
                }
                // SAFETY: see `Tile::multiply`; `crate::rung` asks.
                #[allow(unused_unsafe)]
                unsafe {
                    multiply(mem, operands)
                }
            }
        }
    };
}
tile!(Quads: Quad, 6, "avx2,fma");
tile!(Octets: Octet, 12, "avx512f");

/// The lesson: per pivot, 2 loads of pivot rows and `ROWS` of elements serve
/// `2 * ROWS` multiplications of whole registers.
#[inline(always)]
fn in_registers<M: Memory, V: Simd, const ROWS: usize>(mem: &mut M, operands: &Operands) {
    let depth = operands.panel.len() / (2 * V::LANES);
    let mut left = [operands.left[0].part(0, depth); ROWS];
    let mut target = [operands.target[0].part(0, 2 * V::LANES); ROWS];
    let mut tile = [[V::splat(0.0); 2]; ROWS];
    for r in 0..ROWS {
        left[r] = operands.left[r].part(0, depth);
        target[r] = operands.target[r].part(0, 2 * V::LANES);
        tile[r] = [mem.load_vector(target[r].lanes(0)), mem.load_vector(target[r].lanes(V::LANES))];
    }
    for k in 0..depth {
        let pivots = operands.panel.part(k * 2 * V::LANES, 2 * V::LANES);
        let pivots: [V; 2] = [mem.load_vector(pivots.lanes(0)), mem.load_vector(pivots.lanes(V::LANES))];
        for r in 0..ROWS {
            let element: One = mem.load_vector(left[r].lanes(k));
            let element = V::splat(element.0);
            tile[r][0] = tile[r][0].sub_mul(element, pivots[0]);
            tile[r][1] = tile[r][1].sub_mul(element, pivots[1]);
        }
    }
    for r in 0..ROWS {
        if r < operands.rows {
            mem.store_vector(target[r].lanes(0), tile[r][0]);
            mem.store_vector(target[r].lanes(V::LANES), tile[r][1]);
        }
    }
}
