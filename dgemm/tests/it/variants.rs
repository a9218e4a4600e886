//! Every rung is right for every shape, and makes the stated accesses.

use dgemm::counting::model::{LONGEST_S, count};
use dgemm::{Blocks, Kernel, Problem, VARIANTS, Variant, View};
use machine::Machine;
use memory::Arena;
use proptest::prelude::*;

/// Small blocks of odd sides, so that every loop has an edge.
fn small(threads: usize) -> Blocks {
    let usual = Blocks::for_caches(32 << 10, 256 << 10, threads);
    let sides = dgemm::rungs::tiled::Sides { rows: 10, cols: 31, depth: 13 };
    Blocks { l1: 5, l2: 15, base: 3, sides, ..usual }
}

/// Element (`i`, `j`) of a * b, summed one by one.
fn reference(a: View, b: View, i: usize, j: usize) -> f64 {
    (0..a.cols()).map(|k| a.at(i, k).get() * b.at(k, j).get()).sum()
}

/// The product on native memory, as the program runs it, compared with the reference
/// element by element; c starts as ones, to see that the product is added.
fn check(variant: &Variant, sides: [usize; 3], blocks: Blocks) {
    let [m, n, k] = sides;
    let arena = Arena::with_capacity(Problem::bytes(m, n, k, blocks)).unwrap();
    let p = Problem::new(&arena, sides, blocks).unwrap();
    (0..m).for_each(|i| p.c().row(i).fill(|_| 1.0));
    variant.run_native(&p).unwrap();
    for i in 0..m {
        for j in 0..n {
            let (right, got) = (1.0 + reference(p.a(), p.b(), i, j), p.c().at(i, j).get());
            let bound = 1e-12 * k.max(1) as f64 * right.abs();
            assert!((got - right).abs() <= bound, "{} {sides:?} ({i}, {j}): {got} {right}", variant.name);
        }
    }
}

#[test]
fn every_rung_is_right_at_odd_sizes_and_on_long_and_thin_matrices() {
    let by_the_rule = Blocks::for_caches(32 << 10, 256 << 10, 2);
    for variant in VARIANTS {
        [1, 33, 100].into_iter().for_each(|n| check(variant, [n; 3], by_the_rule));
        for sides in [[1, 7, 1000], [1000, 5, 3], [3, 1000, 9], [37, 1, 100], [5, 6, 0], [0, 4, 4], [4, 0, 4]]
        {
            check(variant, sides, small(2));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_rung_is_right_whatever_the_sides_and_blocks(
        m in 1usize..40, n in 1usize..40, k in 1usize..40,
        l1 in 1usize..12, factor in 1usize..4, base in 1usize..6,
        rows in 1usize..20, cols in 1usize..30, depth in 1usize..20, threads in 1usize..5,
    ) {
        let sides = dgemm::rungs::tiled::Sides { rows, cols, depth };
        let blocks = Blocks { l1, l2: l1 * factor, base, sides, threads };
        for variant in VARIANTS {
            check(variant, [m, n, k], blocks);
        }
    }
}

/// Loads and stores of an `m` by `n` by `k` product, from the loops; `None` if the tile
/// depends on the processor.
fn accesses(kernel: Kernel, [m, n, k]: [u64; 3], blocks: Blocks) -> Option<(u64, u64)> {
    let mnk = m * n * k;
    let (l1, l2) = (blocks.l1 as u64, blocks.l2 as u64);
    let nested = (k / l2) * l2.div_ceil(l1) + (k % l2).div_ceil(l1);
    let sums = |pieces: u64| Some((2 * mnk + m * n * pieces, m * n * pieces));
    match kernel {
        Kernel::Ijk | Kernel::Jik | Kernel::FlatIjk => sums(1),
        Kernel::Ikj | Kernel::Kij | Kernel::FlatIkj => Some((2 * mnk + m * k, mnk)),
        Kernel::Jki | Kernel::Kji => Some((2 * mnk + k * n, mnk)),
        Kernel::BlockL1 | Kernel::Unrolled => sums(k.div_ceil(l1)),
        Kernel::BlockL2 => sums(nested),
        Kernel::Library => Some((0, 0)),
        Kernel::Recursive | Kernel::Tiled | Kernel::Threads => None,
    }
}

#[test]
fn loads_and_stores_are_those_of_the_closed_form() {
    let machine = Machine::named("lecture").unwrap();
    for (sides, blocks) in [([9, 14, 23], small(1)), ([16, 16, 16], small(2)), ([33, 31, 40], small(1))] {
        let [m, n, k] = sides;
        let arena = Arena::with_capacity(Problem::bytes(m, n, k, blocks)).unwrap();
        let p = Problem::new(&arena, sides, blocks).unwrap();
        for variant in VARIANTS {
            let counts = count(variant, &p, &arena, &machine, LONGEST_S, None).unwrap();
            let counted = (counts.loads, counts.stores);
            match accesses(variant.kernel, sides.map(|s| s as u64), blocks) {
                Some(expected) => assert_eq!(counted, expected, "{} {sides:?}", variant.name),
                None => assert!(counted.0 > 0 && counted.1 > 0, "{}", variant.name),
            }
        }
    }
}
