//! The kernel compared with a product written in another way.

use common::isa::Native;
use common::memory::{Arena, Matrix};
use proptest::prelude::*;

/// The product by definition, in 32 bits, cut to 16 at the end.
fn reference(a: &[i16], b: &[i16], n: usize) -> Vec<i16> {
    let element = |i: usize, j: usize| {
        (0..n).fold(0i32, |sum, k| sum.wrapping_add(i32::from(a[i * n + k]) * i32::from(b[k * n + j]))) as i16
    };
    (0..n * n).map(|at| element(at / n, at % n)).collect()
}

fn operands<'a>(arena: &'a Arena, n: usize, a: &[i16], b: &[i16]) -> [Matrix<'a, i16>; 3] {
    let [x, y, z] = ["mul1", "mul2", "res"].map(|name| arena.matrix(name, n, n).unwrap());
    x.fill(|i, j| a[i * n + j]);
    y.fill(|i, j| b[i * n + j]);
    [x, y, z]
}

proptest! {
    #[test]
    fn agrees_with_the_definition_wrapping_like_c(n in 1usize..20, a in prop::collection::vec(any::<i16>(), 400), b in prop::collection::vec(any::<i16>(), 400)) {
        let arena = Arena::with_capacity(6 * n * n).unwrap();
        let [x, y, z] = operands(&arena, n, &a, &b);
        mm1::multiply(&mut Native, x, y, z);
        prop_assert_eq!(z.flat().to_vec(), reference(&a[..n * n], &b[..n * n], n));
        z.fill(|_, _| 0);
        mm1::multiply_in_register(&mut Native, x, y, z);
        prop_assert_eq!(z.flat().to_vec(), reference(&a[..n * n], &b[..n * n], n));
    }
}

#[test]
#[should_panic(expected = "square matrices of one size")]
fn refuses_matrices_of_different_sizes() {
    let arena = Arena::with_capacity(64).unwrap();
    let [x, y] = ["x", "y"].map(|name| arena.matrix::<i16>(name, 2, 2).unwrap());
    let z = arena.matrix::<i16>("z", 3, 2).unwrap();
    mm1::multiply(&mut Native, x, y, z);
}
