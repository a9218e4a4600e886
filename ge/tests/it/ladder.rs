//! Compares all rungs with each other, with the course's values and with a reference.

use cache::Modelled;
use ge::modelled;
use ge::problem::matrices;
use ge::problem::residual::residual;
use ge::problem::system::System;
use ge::{Rounding, VARIANTS, Variant};
use machine::Machine;
use memory::{Arena, Matrix};
use proptest::prelude::*;

/// Runs `body` on an `n` by `n` system.
fn with_system<R>(n: usize, body: impl FnOnce(&Arena, System) -> R) -> R {
    let arena = Arena::with_capacity(System::bytes(n) + n * n * 8).unwrap();
    let system = System::new(&arena, n).unwrap();
    body(&arena, system)
}

fn available() -> impl Iterator<Item = &'static Variant> {
    VARIANTS.iter().filter(|variant| variant.available().is_ok())
}

/// The textbook's loop on plain numbers.
fn reference(n: usize, a: &mut [f64]) {
    for k in 0..n {
        for i in k + 1..n {
            for j in k + 1..n {
                a[i * n + j] -= a[k * n + j] * (a[i * n + k] / a[k * n + k]);
            }
        }
    }
}

/// All rungs with the C programs' bits have this `Check`.
fn all_have_the_check(n: usize, expected: f64, among: impl Fn(&Variant) -> bool) {
    with_system(n, |_, system| {
        for variant in available().filter(|variant| variant.rounding == Rounding::Same && among(variant)) {
            matrices::write(system.matrix());
            variant.run(system).unwrap();
            assert_eq!(matrices::check(system.matrix()), expected, "{} {n}", variant.name);
        }
    });
}

#[test]
fn check_is_that_of_the_c_programs_bit_for_bit() {
    all_have_the_check(10, 4612545602.908113, |_| true);
    all_have_the_check(100, 3025813991950.493, |_| true);
    all_have_the_check(1000, -873285032152802.5, |variant| ["ge3", "ge7"].contains(&variant.name));
}

#[test]
#[ignore = "takes a minute even in an optimised build"]
fn check_holds_bit_for_bit_on_all_seven_at_large_sizes() {
    for (n, expected) in
        [(1000, -873285032152802.5), (1500, -46057812482890496.0), (2000, 20045566062568936.0)]
    {
        all_have_the_check(n, expected, |_| true);
    }
}

#[test]
fn every_rung_leaves_a_small_residual() {
    for n in [1, 2, 5, 8, 9, 13, 16, 17, 24, 31, 33, 64, 100, 129, 197, 260] {
        with_system(n, |arena, system| {
            let original = arena.matrix::<f64>("original", n, n).unwrap();
            // A diagonal so large that no digits are lost.
            let dominant = |matrix: Matrix<f64>| {
                matrices::write(matrix);
                (0..n).for_each(|i| matrix.at(i, i).set(n as f64 * f64::from(1u32 << 31)));
            };
            dominant(original);
            for variant in available().filter(|variant| variant.rounding != Rounding::Wrong) {
                dominant(system.matrix());
                variant.run(system).unwrap();
                let found = residual(original, system.matrix());
                assert!(found < 1e-14, "{} {n}: {found:e}", variant.name);
            }
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_matrix_gives_the_same_bits_on_all_rungs_that_promise_it(
        n in 0usize..70,
        seed in 2u32..1000,
    ) {
        with_system(n, |_, system| {
            let mut rand = ge::problem::rand::Rand::new(seed);
            let numbers: Vec<f64> = (0..n * n).map(|_| f64::from(rand.next()) / 65536.0 - 16384.0).collect();
            let mut expected = numbers.clone();
            reference(n, &mut expected);
            for variant in available().filter(|variant| variant.rounding == Rounding::Same) {
                system.matrix().flat().fill(|i| numbers[i]);
                variant.run(system).unwrap();
                prop_assert_eq!(system.matrix().flat().to_vec(), expected.clone(), "{}", variant.name);
            }
            Ok(())
        })?;
    }
}

/// The model sees two iterations of an inner loop and derives the others: all counts are
/// equal to those with every iteration executed and computed.
#[test]
fn steps_are_counted_as_if_walked() {
    for machine in ["i5-7500", "zen3", "golden-cove", "apple-m1", "lecture", "sparcstation-1+"] {
        let machine = Machine::named(machine).unwrap();
        for (variant, n) in available().zip([9, 40, 61].into_iter().cycle()) {
            let foreseen = modelled::count(variant, n, &machine).unwrap();
            let arena = Arena::with_capacity(System::bytes(n)).unwrap();
            let system = System::new(&arena, n).unwrap();
            matrices::write(system.matrix());
            let mut model = Modelled::exhaustive(&machine, &arena).unwrap();
            variant.model(&mut model, system).unwrap();
            assert_eq!(foreseen, model.counts(), "{} {n} {}", variant.name, machine.name);
        }
    }
}

#[test]
fn loads_and_stores_are_those_of_the_closed_forms() {
    let machine = Machine::named("lecture").unwrap();
    for n in [0usize, 1, 2, 9, 20, 37] {
        let steps = ge::inner_steps(n) as u64;
        let (pivots, rows) = (n as u64, (n * n.saturating_sub(1) / 2) as u64);
        let in_registers =
            |trip: usize| (0..n).map(|l| l * (4 * (l / trip) + l % trip)).sum::<usize>() as u64;
        let expected = [
            ("ge1", 22 * steps + 6 * rows + 6 * pivots + 2, 2 * steps + 2 * rows + 2 * pivots + 1),
            ("ge2", 4 * steps + rows + pivots, steps),
            ("ge3", 2 * steps + 3 * rows + pivots, steps),
            ("ge4", 2 * steps + 3 * rows + pivots, steps),
            ("ge5", 2 * steps + 2 * rows, steps),
            ("ge6", 2 * in_registers(8) + 2 * rows, in_registers(8)),
            ("ge7", 2 * in_registers(16) + 2 * rows, in_registers(16)),
        ];
        for (name, loads, stores) in expected {
            let Some(variant) = available().find(|variant| variant.name == name) else { continue };
            let counts = modelled::count(variant, n, &machine).unwrap();
            assert_eq!((counts.loads, counts.stores), (loads, stores), "{name} {n}");
        }
    }
}
