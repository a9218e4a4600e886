//! The tiled product in the widest registers of the processor.

use isa::{Fused, Isa, Native, Task, Widest, start_on_a_line};
use memory::Memory;

use crate::rungs::tiled;

pub use crate::rungs::tiled::Product;

/// Rows and columns of the tile of c that fits in the registers of `isa`.
pub fn tile(isa: Widest) -> (usize, usize) {
    match isa {
        Widest::Avx512(_) => (8, 24),
        Widest::Avx2Fma(_) | Widest::Neon(_) => (6, 8),
        Widest::Portable(_) => (4, 4),
    }
}

impl Product<'_> {
    /// Adds the product, by tiles of [`tile`]'s size.
    pub fn add<M: Memory>(self, mem: &mut M, isa: Widest) {
        if M::IS_NATIVE { self.add_native(isa) } else { self.add_on(mem, isa) }
    }

    /// One copy of the machine code, which the rungs of this ladder and of elimination share.
    #[inline(never)]
    fn add_native(self, isa: Widest) {
        self.add_on(&mut Native, isa);
    }

    #[inline(always)]
    fn add_on<M: Memory>(self, mem: &mut M, isa: Widest) {
        match isa {
            Widest::Avx512(isa) => isa.run(Tiles::<_, _, 8, 3> { isa, mem, product: self }),
            Widest::Avx2Fma(isa) => isa.run(Tiles::<_, _, 6, 2> { isa, mem, product: self }),
            Widest::Neon(isa) => isa.run(Tiles::<_, _, 6, 4> { isa, mem, product: self }),
            Widest::Portable(isa) => isa.run(Tiles::<_, _, 4, 1> { isa, mem, product: self }),
        }
    }
}

/// A product by tiles of `R` rows and `N` registers.
struct Tiles<'p, S, M, const R: usize, const N: usize> {
    isa: S,
    mem: &'p mut M,
    product: Product<'p>,
}

impl<S: Fused, M: Memory, const R: usize, const N: usize> Task for Tiles<'_, S, M, R, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        start_on_a_line();
        if self.product.views[2].cols() <= S::LANES {
            // Too few columns for a tile: one register wide.
            tiled::blocks::<S, M, R, 1>(self.mem, self.isa, self.product);
        } else {
            tiled::blocks::<S, M, R, N>(self.mem, self.isa, self.product);
        }
    }
}
