//! What this core can do at most: its arithmetic, and its memory.

use std::hint::black_box;

use common::clock;

use crate::needs::Needs;
use crate::simd::{Octet, One, Quad, Simd};

/// Independent chains: enough to hide a latency of 5 cycles on two units.
const CHAINS: usize = 12;
/// Steps of each chain in one timed stretch, a fraction of a millisecond.
const STEPS: usize = 20_000;
/// Timed stretches; the fastest counts, as nothing makes one too fast.
const STRETCHES: usize = 40;

/// Floating-point operations per second of one core, from chains of
/// multiply-and-adds in its widest registers.
pub fn flops() -> f64 {
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx512f"))]
    #[cfg_attr(not(target_arch = "x86_64"), inline)]
    fn octets() -> f64 {
        chains::<Octet>()
    }
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
    #[cfg_attr(not(target_arch = "x86_64"), inline)]
    fn quads() -> f64 {
        chains::<Quad>()
    }
    let best = |chains: &dyn Fn() -> f64| (0..STRETCHES).map(|_| chains()).fold(0.0, f64::max);
    if Needs::Octets.missing().is_none() {
        // SAFETY: the processor was just asked.
        #[allow(unused_unsafe)]
        best(&|| unsafe { octets() })
    } else if Needs::FusedQuads.missing().is_none() {
        // SAFETY: as above.
        #[allow(unused_unsafe)]
        best(&|| unsafe { quads() })
    } else {
        best(&chains::<One>)
    }
}

#[inline(always)]
fn chains<V: Simd>() -> f64 {
    // So small that no sum shrinks below the smallest normal number: from there
    // on each step would be a hundred times slower.
    let factor = V::splat(black_box(1e-6));
    let mut sums = [V::splat(black_box(1.0)); CHAINS];
    let from = clock::wall();
    for _ in 0..STEPS {
        for sum in &mut sums {
            *sum = sum.sub_mul(*sum, factor);
        }
    }
    let passed = clock::wall().0 - from.0;
    black_box(sums);
    (2 * CHAINS * STEPS * V::LANES) as f64 / passed
}

/// Bytes per second that one core reads and writes back while it changes each
/// of `bytes` in turn, as every rung up to ge7 does with the rows.
pub fn bandwidth(bytes: usize) -> f64 {
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
    #[cfg_attr(not(target_arch = "x86_64"), inline)]
    fn scale(numbers: &mut [f64], factor: f64) {
        numbers.iter_mut().for_each(|x| *x *= factor);
    }
    let mut numbers = vec![1.0; (bytes / 8).max(1024)];
    let passes = (8_usize << 20).div_ceil(numbers.len() * 8);
    let pass = |numbers: &mut [f64]| {
        let factor = black_box(1.0);
        if Needs::Quads.missing().is_none() {
            // SAFETY: the processor was just asked.
            #[allow(unused_unsafe)]
            unsafe {
                scale(numbers, factor)
            }
        } else {
            numbers.iter_mut().for_each(|x| *x *= factor);
        }
    };
    let rate = |_| {
        let from = clock::wall();
        (0..passes).for_each(|_| pass(black_box(&mut numbers)));
        (passes * numbers.len() * 16) as f64 / (clock::wall().0 - from.0)
    };
    (0..10).map(rate).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    #[test]
    fn limits_are_measured_and_plausible() {
        assert!((1e6..1e13).contains(&super::flops()));
        assert!((1e6..1e14).contains(&super::bandwidth(16 << 10)));
    }
}
