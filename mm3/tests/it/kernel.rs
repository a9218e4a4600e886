//! The kernel compared with mm1's, which is compared with the definition.

use common::memory::Arena;

use common::isa::Native;
use common::units::Bytes;
use proptest::prelude::*;

proptest! {
    #[test]
    fn blocking_changes_nothing_in_the_product(n in 1usize..20, block in 1usize..24, seed in prop::collection::vec(any::<i16>(), 800)) {
        let arena = Arena::with_capacity(8 * n * n).unwrap();
        let [a, b, res, expected] =
            ["mul1", "mul2", "res", "expected"].map(|name| arena.matrix::<i16>(name, n, n).unwrap());
        a.fill(|i, j| seed[i * n + j]);
        b.fill(|i, j| seed[400 + i * n + j]);
        mm3::multiply(&mut Native, a, b, res, block);
        mm1::multiply(&mut Native, a, b, expected);
        prop_assert_eq!(res.flat().to_vec(), expected.flat().to_vec());
        res.fill(|_, _| 0);
        mm3::multiply_unblocked(&mut Native, a, b, res);
        prop_assert_eq!(res.flat().to_vec(), expected.flat().to_vec());
    }
}

#[test]
fn a_line_holds_a_whole_number_of_elements() {
    assert_eq!(mm3::elements_per_line(Bytes(64)), Ok(32));
    assert_eq!(mm3::elements_per_line(Bytes(2)), Ok(1));
    for line in [0, 1, 63, 1 << 21] {
        let message = mm3::elements_per_line(Bytes(line)).unwrap_err().to_string();
        assert!(message.contains(&line.to_string()) && message.contains("2-byte"), "{message}");
    }
}
