//! Prefetch hints.

use std::cell::Cell;

/// Prefetches the line of `cell` into L1. A hint: it loads nothing into a register, and the
/// cache model does not see it. An address without memory is ignored.
#[inline(always)]
pub fn prefetch(cell: *const Cell<f64>) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(cell.cast());
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{0}]", in(reg) cell, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
    let _ = cell;
}
