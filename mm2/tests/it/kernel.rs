//! The kernel compared with mm1's, which is compared with the definition.

use common::memory::Arena;

use common::isa::Native;
use proptest::prelude::*;

proptest! {
    #[test]
    fn transposing_first_changes_nothing_in_the_product(n in 1usize..20, seed in prop::collection::vec(any::<i16>(), 800)) {
        let arena = Arena::with_capacity(10 * n * n).unwrap();
        let [a, b, tmp, res, expected] =
            ["mul1", "mul2", "tmp", "res", "expected"].map(|name| arena.matrix::<i16>(name, n, n).unwrap());
        a.fill(|i, j| seed[i * n + j]);
        b.fill(|i, j| seed[400 + i * n + j]);
        mm2::transpose(&mut Native, b, tmp);
        for i in 0..n {
            prop_assert_eq!(tmp.row(i).to_vec(), (0..n).map(|j| b.at(j, i).get()).collect::<Vec<_>>());
        }
        mm2::multiply(&mut Native, a, tmp, res);
        mm1::multiply(&mut Native, a, b, expected);
        prop_assert_eq!(res.flat().to_vec(), expected.flat().to_vec());
        res.fill(|_, _| 0);
        mm2::multiply_in_register(&mut Native, a, tmp, res);
        prop_assert_eq!(res.flat().to_vec(), expected.flat().to_vec());
    }
}
