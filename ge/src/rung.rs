//! Each rung as one function: the kernel, and the instructions it may use.

use common::memory::Memory;

use common::isa::Native;

#[cfg(target_arch = "x86_64")]
use crate::simd::Octet;
use crate::simd::Quad;
use crate::system::System;
use crate::team::{Member, Team};
use crate::update::Isa;
use crate::{
    auto, avx512, blocked, fma, ge1, ge2, ge3, ge4, ge5, ge6, ge7, pivoting, pivots4, printed, threads,
};

/// A rung made of instructions every processor of the target has.
macro_rules! plain {
    ($name:ident: |$mem:ident, $s:ident| $kernel:expr) => {
        pub(crate) fn $name<M: Memory>($mem: &mut M, $s: System) {
            $kernel
        }
    };
}

/// A rung compiled for more than that. Its table entry names what it needs, and
/// [`crate::Variant::run`] asks the processor before it enters.
macro_rules! with {
    ($features:literal $name:ident: |$mem:ident, $s:ident| $kernel:expr) => {
        pub(crate) fn $name<M: Memory>($mem: &mut M, $s: System) {
            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            #[cfg_attr(not(target_arch = "x86_64"), inline)]
            fn $name<M: Memory>($mem: &mut M, $s: System) {
                $kernel
            }
            // SAFETY: the processor was asked, see above.
            #[allow(unused_unsafe)]
            unsafe {
                $name($mem, $s)
            }
        }
    };
}

plain!(ge1: |mem, s| ge1::eliminate(mem, s.rows, s.variables));
plain!(ge2: |mem, s| ge2::eliminate(mem, s.rows));
plain!(ge3: |mem, s| ge3::eliminate(mem, s.rows));
plain!(ge4: |mem, s| ge4::eliminate(mem, s.rows));
plain!(ge5: |mem, s| ge5::eliminate(mem, s.matrix.flat(), s.size()));
plain!(ge6: |mem, s| ge6::eliminate(mem, s.matrix.flat(), s.size()));
with!("avx" ge7: |mem, s| ge7::eliminate(mem, s.matrix.flat(), s.size()));
plain!(printed_scalar: |mem, s| printed::scalar(mem, s.matrix.flat(), s.size()));
plain!(printed_pairs: |mem, s| printed::pairs(mem, s.matrix.flat(), s.size()));
with!("avx" auto: |mem, s| auto::eliminate(mem, s.matrix.flat(), s.size()));
with!("avx2,fma" fma: |mem, s| fma::eliminate(mem, s.matrix.flat(), s.size()));
with!("avx512f" avx512: |mem, s| avx512::eliminate(mem, s.matrix.flat(), s.size()));
with!("avx" pivoting: |mem, s| pivoting::eliminate(mem, s.matrix.flat(), s.size(), s.exchanges));
with!("avx2,fma" pivots4: |mem, s| pivots4::eliminate(mem, s.matrix.flat(), s.size()));

/// The blocked rung, compiled for the widest registers.
pub(crate) fn blocked<M: Memory>(mem: &mut M, s: System) {
    member_of(mem, s, &Team::new(1).alone());
}

/// Not for a model: several threads have no one order of accesses.
pub(crate) fn threads(_: &mut Native, s: System) {
    threads::together(s, s.processors, member_of::<Native>);
}

fn member_of<M: Memory>(mem: &mut M, s: System, member: &Member) {
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
    #[cfg_attr(not(target_arch = "x86_64"), inline)]
    fn quads<M: Memory>(mem: &mut M, s: System, member: &Member) {
        blocked::eliminate::<M, Quad>(mem, s.workspace(member.index()), member);
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn octets<M: Memory>(mem: &mut M, s: System, member: &Member) {
        blocked::eliminate::<M, Octet>(mem, s.workspace(member.index()), member);
    }
    // SAFETY: the processor was asked, by `Isa::best` for the one and as in
    // `with!` for the other.
    #[allow(unused_unsafe)]
    unsafe {
        match Isa::best() {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => octets(mem, s, member),
            _ => quads(mem, s, member),
        }
    }
}
