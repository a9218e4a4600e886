//! The table of the ladder, which tests, benches, charts and programs walk.

use common::isa::Native;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use common::memory::Vector;
use common::memory::{Array, Memory};

use crate::orders::{ijk, ikj, jik, jki, kij, kji};
use crate::problem::Problem;
use crate::simd::Isa;
use crate::tiled::{self, Sides};
use crate::view::View;
use crate::{block_l1, block_l2, flat_ijk, flat_ikj, packed, recursive, threads, unrolled};

/// Which kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the file of that name")]
pub enum Kernel {
    Ijk,
    Jik,
    Ikj,
    Kij,
    Jki,
    Kji,
    FlatIjk,
    FlatIkj,
    BlockL1,
    Unrolled,
    BlockL2,
    Recursive,
    Packed,
    Tiled,
    Prefetch,
    Threads,
}

/// One rung.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// As given on the command line.
    pub name: &'static str,
    /// What is new in it, in a few words.
    pub idea: &'static str,
    /// What runs.
    pub kernel: Kernel,
}

/// The ladder, from the textbook up.
pub const VARIANTS: &[Variant] = &[
    Variant { name: "ijk", idea: "rows times columns, the sum in a register", kernel: Kernel::Ijk },
    Variant { name: "jik", idea: "the same, c column by column", kernel: Kernel::Jik },
    Variant { name: "ikj", idea: "everything by rows", kernel: Kernel::Ikj },
    Variant { name: "kij", idea: "everything by rows, all of c each time", kernel: Kernel::Kij },
    Variant { name: "jki", idea: "everything by columns", kernel: Kernel::Jki },
    Variant { name: "kji", idea: "everything by columns, all of c each time", kernel: Kernel::Kji },
    Variant { name: "flat-ijk", idea: "ijk on flat arrays", kernel: Kernel::FlatIjk },
    Variant { name: "flat-ikj", idea: "ikj on flat arrays", kernel: Kernel::FlatIkj },
    Variant { name: "block-l1", idea: "blocks that fit the L1 cache", kernel: Kernel::BlockL1 },
    Variant { name: "unrolled", idea: "L1 blocks, unrolled by 8", kernel: Kernel::Unrolled },
    Variant { name: "block-l2", idea: "L1 blocks within L2 blocks, unrolled", kernel: Kernel::BlockL2 },
    Variant { name: "recursive", idea: "halves of halves, no cache size known", kernel: Kernel::Recursive },
    Variant { name: "packed", idea: "blocks copied side by side", kernel: Kernel::Packed },
    Variant { name: "tiled", idea: "a tile of c in SIMD registers", kernel: Kernel::Tiled },
    Variant {
        name: "prefetch",
        idea: "tiled, what is needed next asked for ahead",
        kernel: Kernel::Prefetch,
    },
    Variant { name: "threads", idea: "prefetch, a band of columns per core", kernel: Kernel::Threads },
];

impl Variant {
    /// The rung of that name.
    pub fn find(name: &str) -> Option<&'static Variant> {
        VARIANTS.iter().find(|v| v.name == name)
    }

    /// Cores it uses, of `threads` offered.
    pub fn cores(&self, threads: usize) -> usize {
        if self.kernel == Kernel::Threads { threads } else { 1 }
    }

    /// `c += a * b` as the program runs it: on the machine's memory, and with
    /// threads if that is the rung's idea.
    pub fn run_native(&self, p: &Problem) {
        match self.kernel {
            Kernel::Threads => {
                threads::multiply(p.isa, [p.a, p.b, p.c], p.blocks.sides, p.scratch, p.blocks.threads);
            }
            _ => self.run(&mut Native, p),
        }
    }

    /// `c += a * b` on any memory. On one memory the bands of the threads run
    /// in turn.
    #[inline(always)]
    pub fn run<M: Memory>(&self, mem: &mut M, p: &Problem) {
        let (a, b, c, s) = (p.a, p.b, p.c, p.blocks);
        match self.kernel {
            Kernel::Ijk => ijk::multiply(mem, a, b, c),
            Kernel::Jik => jik::multiply(mem, a, b, c),
            Kernel::Ikj => ikj::multiply(mem, a, b, c),
            Kernel::Kij => kij::multiply(mem, a, b, c),
            Kernel::Jki => jki::multiply(mem, a, b, c),
            Kernel::Kji => kji::multiply(mem, a, b, c),
            Kernel::FlatIjk => flat_ijk::multiply(mem, a, b, c),
            Kernel::FlatIkj => flat_ikj::multiply(mem, a, b, c),
            Kernel::BlockL1 => block_l1::multiply(mem, a, b, c, s.l1),
            Kernel::Unrolled => unrolled::multiply(mem, a, b, c, s.l1),
            Kernel::BlockL2 => block_l2::multiply(mem, a, b, c, s.l2, s.l1),
            Kernel::Recursive => recursive::multiply(mem, a, b, c, s.base),
            Kernel::Packed => packed::multiply(mem, a, b, c, s.l1, p.scratch),
            Kernel::Tiled => one_core::<_, false>(mem, p.isa, [a, b, c], None, s.sides, p.scratch),
            Kernel::Prefetch => one_core::<_, true>(mem, p.isa, [a, b, c], None, s.sides, p.scratch),
            Kernel::Threads => threads::in_turn(mem, p.isa, [a, b, c], s.sides, p.scratch, s.threads),
        }
    }
}

/// `c += a * diag(factors) * b` with the `prefetch` rung's tiles, for programs
/// whose work is a product: row k of b counts `factors[k]` times. `scratch` has
/// room for [`tiled::scratch_len`] doubles, `isa` is [`Isa::best`].
pub fn add_product<M: Memory>(
    mem: &mut M,
    isa: Isa,
    views: [View; 3],
    factors: Array<f64>,
    sides: Sides,
    scratch: Array<f64>,
) {
    one_core::<M, true>(mem, isa, views, Some(factors), sides, scratch);
}

/// The tiled product with the tile of one instruction set, which the
/// processor must have.
pub(crate) fn one_core<M: Memory, const AHEAD: bool>(
    mem: &mut M,
    isa: Isa,
    v: [View; 3],
    factors: Option<Array<f64>>,
    sides: Sides,
    scratch: Array<f64>,
) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Isa::best`, the only source of this value, asked the processor.
        Isa::Avx512 => unsafe { x86::avx512::<M, AHEAD>(mem, v, factors, sides, scratch) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx2 => unsafe { x86::avx2::<M, AHEAD>(mem, v, factors, sides, scratch) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        Isa::Neon => unsafe { arm::neon::<M, AHEAD>(mem, v, factors, sides, scratch) },
        Isa::Plain => tiled::blocks::<crate::simd::Plain, M, 4, 1, AHEAD>(mem, v, factors, sides, scratch),
    }
}

/// Declares the product for the tiles of one instruction set.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! product {
    ($name:ident, $features:literal: $register:ty, $rows:literal, $registers:literal) => {
        #[target_feature(enable = $features)]
        pub(super) fn $name<M: Memory, const AHEAD: bool>(
            m: &mut M,
            v: [View; 3],
            factors: Option<Array<f64>>,
            s: Sides,
            scratch: Array<f64>,
        ) {
            if v[2].cols() <= <$register as Vector>::LANES {
                // Too few columns for a tile: one register wide.
                tiled::blocks::<$register, M, $rows, 1, AHEAD>(m, v, factors, s, scratch);
            } else {
                tiled::blocks::<$register, M, $rows, $registers, AHEAD>(m, v, factors, s, scratch);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::{__m256d, __m512d};

    product!(avx512, "avx512f": __m512d, 8, 3);
    product!(avx2, "avx2,fma": __m256d, 6, 2);
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::*;
    use std::arch::aarch64::float64x2_t;

    product!(neon, "neon": float64x2_t, 6, 4);
}
