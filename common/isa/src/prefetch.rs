//! Prefetch hints.

use std::cell::Cell;

/// Prefetches the line of `cell` into L1 or L2. A hint: it loads nothing into a register,
/// and the cache model does not see it. An address without memory is ignored.
#[inline(always)]
pub fn prefetch<const LEVEL: u32>(cell: *const Cell<f64>) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        match LEVEL {
            1 => _mm_prefetch::<_MM_HINT_T0>(cell.cast()),
            _ => _mm_prefetch::<_MM_HINT_T1>(cell.cast()),
        }
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: as above.
    unsafe {
        use std::arch::asm;
        match LEVEL {
            1 => asm!("prfm pldl1keep, [{0}]", in(reg) cell, options(nostack, preserves_flags, readonly)),
            _ => asm!("prfm pldl2keep, [{0}]", in(reg) cell, options(nostack, preserves_flags, readonly)),
        }
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
    let _ = cell;
}
