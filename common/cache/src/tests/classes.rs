//! Repeated walks of which one class is simulated, against every access simulated.

use std::iter;

use super::stride_runs::any_machine;
use super::*;

/// `passes` passes over a part of an array: where it starts, bytes between steps, how
/// many steps, and for each access of a step how far on it is and whether it stores.
#[derive(Debug, Clone)]
struct Repeated {
    start: usize,
    stride: usize,
    steps: usize,
    accesses: Vec<(usize, bool)>,
    passes: u64,
}

impl Repeated {
    fn pass(&self, mem: &mut Modelled, x: Array<u8>) {
        let steps = self.steps;
        steps!(mem; for step in 0..steps {
            for &(on, store) in &self.accesses {
                let cell = x.at(self.start + on + step * self.stride);
                if store { mem.store(cell, 1) } else { _ = mem.load(cell) }
            }
        });
    }
}

fn repeated() -> impl Strategy<Value = Repeated> {
    let start = prop::sample::select(vec![0usize, 0, 0, 0, 64, 512, 4096, 5000]);
    let stride =
        prop::sample::select(vec![1usize, 4, 16, 64, 64, 128, 256, 512, 1024, 4096, 24, 96, 192, 320]);
    let size = prop::sample::select(vec![64usize, 1024, 4096, 4096, 8192, 16384, 16384, 3072, 12288, 5000]);
    let update = vec![(0, false), (0, true)];
    let accesses =
        prop::sample::select(vec![update.clone(), update, vec![(0, false)], vec![(0, false), (40, true)]]);
    (start, stride, size, accesses, 1u64..20).prop_map(|(start, stride, size, accesses, passes)| Repeated {
        start,
        stride,
        steps: size / stride,
        accesses,
        passes,
    })
}

/// A fully associative first level, with a second level or not.
fn one_set() -> impl Strategy<Value = Machine> {
    let ways = prop::sample::select(vec![8u64, 12, 16, 32, 64]);
    let second = prop::sample::select(vec![None, Some((16, 4)), Some((64, 8)), Some((1, 128))]);
    let rules = prop::sample::select(vec!["", "", "replacement = \"fifo\"", "allocate = false"]);
    (ways, second, rules, any::<bool>()).prop_map(|(ways, second, rules, tlbs)| {
        let levels: Vec<(u64, u64)> = iter::once((1, ways)).chain(second).collect();
        let machine = machine(&levels, rules);
        if tlbs { with_tlbs(machine) } else { machine }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_repeated_walk_is_counted_and_leaves_all_as_if_walked(
        machine in prop_oneof![any_machine(), hierarchy(), one_set()],
        walks in prop::collection::vec(repeated(), 1..3),
        accesses in accesses(),
        gap in prop::sample::select(vec![0, 4096, 4100]),
    ) {
        let arena = Arena::with_capacity(BYTES + 4100).unwrap();
        arena.array::<u8>("before", gap).unwrap();
        let x = arena.array("x", BYTES).unwrap();
        let mut short = Modelled::of_arrays_alone(&machine, &arena, &[]).unwrap();
        let mut long = Modelled::exhaustive(&machine, &arena).unwrap();
        for one in &walks {
            short.repeat(one.passes, |mem| one.pass(mem, x));
            (0..one.passes).for_each(|_| one.pass(&mut long, x));
            long.passes += one.passes;
            prop_assert_eq!(short.counts(), long.counts());
        }
        walk(&mut short, x, &accesses);
        walk(&mut long, x, &accesses);
        prop_assert_eq!(short.counts(), long.counts());
    }
}

/// The sweeps of cm1 and spark, on the machines of the catalogue.
#[test]
fn one_set_in_many_is_simulated() {
    for entry in machine::catalogue() {
        let machine = Machine::named(entry.name).unwrap();
        let arena = Arena::with_capacity(1 << 18).unwrap();
        let x = arena.array::<u8>("x", 1 << 18).unwrap();
        let counted = |model: &mut Modelled| (model.counts(), model.filter.hierarchy.levels[0].uses);
        for (size, stride) in (15..=18).flat_map(|power| [16, 64, 256].map(|stride| (1 << power, stride))) {
            let accesses = vec![(0, false), (0, true)];
            let one = Repeated { start: 0, stride, steps: size / stride, accesses, passes: 5 };
            let mut short = Modelled::of_arrays_alone(&machine, &arena, &[]).unwrap();
            short.repeat(one.passes, |mem| one.pass(mem, x));
            let mut long = Modelled::exhaustive(&machine, &arena).unwrap();
            (0..one.passes).for_each(|_| one.pass(&mut long, x));
            long.passes = one.passes;
            let [(counts, uses), (walked, all)] = [&mut short, &mut long].map(counted);
            assert_eq!(counts, walked, "{} {size} {stride}", entry.name);
            assert!(15 * uses < all, "{} {size} {stride}: {uses} of {all}", entry.name);
        }
    }
}
