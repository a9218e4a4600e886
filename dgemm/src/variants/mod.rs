//! The table of the ladder: tests, charts and programs iterate over it.

#[cfg(feature = "program")]
mod library;
pub mod threads;

#[cfg(feature = "program")]
use common::system::threads::NoThread;
use memory::Memory;

use crate::problem::Problem;
use crate::rungs::orders::{ijk, ikj, jik, jki, kij, kji};
use crate::rungs::{block_l1, block_l2, flat_ijk, flat_ikj, recursive, unrolled};

/// The kernel of a rung.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table has a line on each")]
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
    Tiled,
    Threads,
    Library,
}

/// One rung.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Its name on the command line.
    pub name: &'static str,
    /// The difference from the rung before, in a few words.
    pub idea: &'static str,
    /// Its kernel.
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
    Variant { name: "recursive", idea: "halves of halves, for any cache size", kernel: Kernel::Recursive },
    Variant { name: "tiled", idea: "a tile of c in SIMD registers", kernel: Kernel::Tiled },
    Variant { name: "threads", idea: "tiled, a block of c per core", kernel: Kernel::Threads },
    #[cfg(feature = "program")]
    Variant { name: "matrixmultiply", idea: "a library in Rust, for comparison", kernel: Kernel::Library },
];

impl Variant {
    /// The rung of that name.
    pub fn find(name: &str) -> Option<&'static Variant> {
        VARIANTS.iter().find(|v| v.name == name)
    }

    /// The number of cores that it uses, of `threads`.
    pub fn cores(&self, threads: usize) -> usize {
        if self.kernel == Kernel::Threads { threads } else { 1 }
    }

    /// `c += a * b` as the program runs it: on native memory, and with threads if the rung
    /// has them.
    /// Fails if the system does not start enough threads; c is then invalid.
    #[cfg(feature = "program")]
    #[inline(never)]
    pub fn run_native(&self, p: &Problem) -> Result<(), NoThread> {
        isa::start_on_a_line();
        match self.kernel {
            Kernel::Threads => return threads::multiply(p),
            Kernel::Library => library::multiply(p),
            _ => self.run(&mut isa::Native, p),
        }
        Ok(())
    }

    /// `c += a * b` on any memory. On one memory the blocks of the threads run one after
    /// the other. The library accesses its own memory alone.
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
            Kernel::Tiled => p.product().add(mem, p.isa),
            Kernel::Threads => threads::in_turn(mem, p),
            Kernel::Library => {}
        }
    }
}
