//! The limit of this core's arithmetic.

use std::hint::black_box;

use common::clock;
use isa::{Avx512, Fused, FusedQuads, Isa, Scalar, Task};

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
    match (Avx512::detect(), FusedQuads::detect()) {
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
        let from = clock::fine();
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = isa.sub_product(*sum, *sum, factor);
            }
        }
        let passed = clock::fine().0 - from.0;
        black_box(sums);
        (2 * CHAINS * STEPS * S::LANES) as f64 / passed
    }
}
