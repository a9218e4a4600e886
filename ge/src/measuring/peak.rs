//! The limits of this core: its arithmetic, and its memory.

use std::hint::black_box;

use common::clock;
use isa::{Fused, FusedQuads, Isa, Octets, Quads, Scalar, Task};

/// Independent chains: enough to hide a latency of 5 cycles on two units.
const CHAINS: usize = 12;
/// Steps of each chain in one timed part, which takes a fraction of a millisecond.
const STEPS: usize = 20_000;
/// Number of timed parts; the fastest counts, because disturbances only make them slower.
const STRETCHES: usize = 40;

/// Floating-point operations per second of one core, from chains of multiply-adds in its
/// widest registers.
pub fn flops() -> f64 {
    fn best<S: Fused>(isa: S) -> f64 {
        (0..STRETCHES).map(|_| isa.run(Chains(isa))).fold(0.0, f64::max)
    }
    match (Octets::detect(), FusedQuads::detect()) {
        (Some(octets), _) => best(octets),
        (None, Some(quads)) => best(quads),
        (None, None) => best(Scalar),
    }
}

/// One timed part.
struct Chains<S>(S);

impl<S: Fused> Task for Chains<S> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let isa = self.0;
        // So small that no sum becomes denormal, where each step would be a hundred times
        // slower.
        let factor = isa.splat(black_box(1e-6));
        let mut sums = [isa.splat(black_box(1.0)); CHAINS];
        let from = clock::wall();
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = isa.sub_product(*sum, *sum, factor);
            }
        }
        let passed = clock::wall().0 - from.0;
        black_box(sums);
        (2 * CHAINS * STEPS * S::LANES) as f64 / passed
    }
}

/// Bytes per second that one core reads and writes back while it changes `bytes` bytes in
/// order, as every rung up to ge7 does with the rows; half of them, or less, if there is
/// not enough memory.
pub fn bandwidth(bytes: usize) -> f64 {
    let mut numbers = Vec::new();
    let mut wanted = (bytes / 8).max(1024);
    while numbers.try_reserve_exact(wanted).is_err() {
        wanted /= 2;
    }
    numbers.resize(wanted, 1.0);
    let passes = (8_usize << 20).div_ceil(numbers.len() * 8);
    let pass = |numbers: &mut [f64]| {
        let scale = Scale(numbers, black_box(1.0));
        match Quads::detect() {
            Some(quads) => quads.run(scale),
            None => scale.run(),
        }
    };
    let rate = |_| {
        let from = clock::wall();
        (0..passes).for_each(|_| pass(black_box(&mut numbers)));
        (passes * numbers.len() * 16) as f64 / (clock::wall().0 - from.0)
    };
    (0..10).map(rate).fold(0.0, f64::max)
}

/// Numbers, and the factor for each of them.
struct Scale<'n>(&'n mut [f64], f64);

impl Task for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Scale(numbers, factor) = self;
        numbers.iter_mut().for_each(|x| *x *= factor);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn limits_are_measured_and_plausible() {
        assert!((1e6..1e13).contains(&super::flops()));
        assert!((1e6..1e14).contains(&super::bandwidth(16 << 10)));
    }
}
