//! Compares every instruction set with the same arithmetic on plain numbers.

use memory::Vector;
use proptest::prelude::*;

use crate::*;

/// A token's results for three numbers, lane by lane: sum, difference, product.
fn lanes<S: Simd>(simd: S, [x, y]: [f64; 2]) -> [Vec<f64>; 3] {
    struct Arithmetic<S>(S, f64, f64);
    impl<S: Simd> Task for Arithmetic<S> {
        type Output = [S::Register; 3];
        #[inline(always)]
        fn run(self) -> Self::Output {
            let Arithmetic(simd, x, y) = self;
            let (x, y) = (simd.splat(x), simd.splat(y));
            [simd.add(x, y), simd.sub(x, y), simd.mul(x, y)]
        }
    }
    simd.run(Arithmetic(simd, x, y)).map(|found| (0..S::LANES).map(|i| found.lane(i)).collect())
}

fn check<S: Simd>(lanes_of: usize, [x, y]: [f64; 2]) {
    assert_eq!(S::LANES, lanes_of, "{}", S::NAME);
    let Some(simd) = S::detect() else { return };
    let [sum, difference, product] = lanes(simd, [x, y]);
    assert_eq!(sum, vec![x + y; lanes_of], "{}", S::NAME);
    assert_eq!(difference, vec![x - y; lanes_of], "{}", S::NAME);
    assert_eq!(product, vec![x * y; lanes_of], "{}", S::NAME);
}

fn check_fused<S: Fused>([sum, x, y]: [f64; 3], rounded_once: bool) {
    struct Products<S>(S, [f64; 3]);
    impl<S: Fused> Task for Products<S> {
        type Output = [f64; 2];
        #[inline(always)]
        fn run(self) -> [f64; 2] {
            let simd = self.0;
            let [sum, x, y] = self.1.map(|number| simd.splat(number));
            [simd.add_product(sum, x, y), simd.sub_product(sum, x, y)].map(|found| found.lane(S::LANES - 1))
        }
    }
    let Some(simd) = S::detect() else { return };
    let expected =
        if rounded_once { [x.mul_add(y, sum), (-x).mul_add(y, sum)] } else { [sum + x * y, sum - x * y] };
    assert_eq!(simd.run(Products(simd, [sum, x, y])), expected, "{}", S::NAME);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 64 }, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_register_calculates_as_plain_numbers_do(
        sum in -1e9..1e9, x in -1e3..1e3, y in -1e3..1e3,
    ) {
        check::<Scalar>(1, [x, y]);
        check::<Pairs>(2, [x, y]);
        check::<Quads>(4, [x, y]);
        check::<FusedQuads>(4, [x, y]);
        check::<Avx512>(8, [x, y]);
        check::<Neon>(2, [x, y]);
        check::<Twice<Twice<Scalar>>>(4, [x, y]);
        let once = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        check_fused::<FusedQuads>([sum, x, y], once);
        check_fused::<Avx512>([sum, x, y], true);
        check_fused::<Scalar>([sum, x, y], false);
        check_fused::<Twice<Twice<Scalar>>>([sum, x, y], false);
    }
}

#[test]
fn the_widest_is_one_that_the_processor_has() {
    let there = match Widest::detect() {
        Widest::Avx512(_) => Avx512::detect().is_some(),
        Widest::Avx2Fma(_) => Avx512::detect().is_none() && FusedQuads::detect().is_some(),
        Widest::Neon(_) => Pairs::detect().is_some() && cfg!(target_arch = "aarch64"),
        Widest::Portable(_) => Avx512::detect().is_none() && Neon::detect().is_none(),
    };
    assert!(there, "{:?}", Widest::detect());
}
