//! In a process of its own, because AVX-512 is ignored until the process ends.

use isa::{Isa, Octets, Widest};

#[test]
fn without_avx512_the_widest_is_what_is_left() {
    isa::leave_out_avx512();
    assert!(Octets::detect().is_none());
    assert_ne!(Widest::detect().name(), "avx512");
}
