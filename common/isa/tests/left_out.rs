//! In a process of its own, because AVX-512 is ignored until the process ends.

use isa::{Avx512, Isa, Widest};

#[test]
fn without_avx512_the_widest_is_what_is_left() {
    isa::leave_out_avx512();
    assert!(Avx512::detect().is_none());
    assert_ne!(Widest::detect().name(), "avx512");
}
