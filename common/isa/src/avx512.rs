//! Whether this process takes AVX-512 for missing.

use std::sync::atomic::{AtomicBool, Ordering};

static LEFT_OUT: AtomicBool = AtomicBool::new(false);

/// From now on, this process ignores AVX-512, as on a processor with AVX2 only. Must be
/// called before anything is detected.
pub fn leave_out_avx512() {
    LEFT_OUT.store(true, Ordering::Relaxed);
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn left_out() -> bool {
    LEFT_OUT.load(Ordering::Relaxed)
}
