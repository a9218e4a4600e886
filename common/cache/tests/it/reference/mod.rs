//! Compares the model with a reference that was written independently: a naive simulator,
//! in `hierarchy.rs`, that makes every access one after the other. Both run the same
//! kernels on the same random machines; every count and every array must be equal.

mod addresses;
mod hierarchy;
mod kernels;
mod lines;
pub(super) mod machines;

use cache::{Counts, Modelled};
use figures::random::Random;
use hierarchy::Reference;
use kernels::{Elements, Kernel};
use machine::Machine;
use memory::Arena;

/// One comparison; its number determines everything in it.
struct Case {
    number: usize,
    description: String,
    machine: Machine,
    arrays: Vec<Sizes>,
    /// Whether the model may assume that kernels access only these arrays.
    alone: bool,
    kernels: Vec<Kernel>,
}

/// The properties of an array.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// Bytes of an element: 1, 2 or 8.
    bytes: usize,
    length: usize,
    /// Whether no kernel accesses it.
    idle: bool,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

impl Case {
    fn new(number: usize) -> Case {
        let random = &mut Random::new(number as u64);
        let (machine, description) = machines::random_machine(random);
        let mut arrays: Vec<Sizes> = (0..1 + random.below(4))
            .map(|at| Sizes {
                bytes: pick(random, &[1, 2, 8, 8]),
                length: 1 + random.below(150),
                idle: at > 0 && random.below(5) == 0,
            })
            .collect();
        let used: Vec<usize> = (0..arrays.len()).filter(|&at| !arrays[at].idle).collect();
        // Rows about as long as one way of a cache, or of any length.
        let way = &machine.levels[random.below(machine.levels.len())];
        let way = way.size.get() / way.ways / arrays[0].bytes;
        let near = (way + 3).saturating_sub(random.below(7)).max(1);
        let rows = [way.max(1), near, 1 + random.below(120), 1 + random.below(2000)];
        let most = pick(random, &[2_000, 20_000, 100_000]);
        let kernels: Vec<Kernel> =
            (0..1 + random.below(3)).map(|_| Kernel::random(random, &used, &rows, most)).collect();
        for (array, needed) in kernels.iter().flat_map(Kernel::lengths) {
            arrays[array].length = arrays[array].length.max(needed + needed % 3);
        }
        Case { number, description, machine, arrays, alone: random.below(2) == 0, kernels }
    }

    fn arena(&self) -> Arena {
        Arena::with_capacity(self.arrays.iter().map(|array| array.bytes * array.length + 8).sum()).unwrap()
    }

    fn data<'a>(&self, arena: &'a Arena) -> Vec<Elements<'a>> {
        let array = |(&Sizes { bytes, length, .. }, name)| match bytes {
            1 => Elements::Bytes(arena.array(name, length).unwrap()),
            2 => Elements::Shorts(arena.array(name, length).unwrap()),
            _ => Elements::Doubles(arena.array(name, length).unwrap()),
        };
        let data: Vec<Elements> = self.arrays.iter().zip(NAMES).map(array).collect();
        data.iter().for_each(|array| array.fill());
        data
    }

    /// Runs both; returns the reference's counts, and the first difference.
    fn compare(&self) -> (Counts, Option<String>) {
        let arenas = [self.arena(), self.arena()];
        let [data, expected_data] = [self.data(&arenas[0]), self.data(&arenas[1])];
        let idle: Vec<&str> = NAMES
            .into_iter()
            .zip(&self.arrays)
            .filter(|(_, array)| array.idle)
            .map(|(name, _)| name)
            .collect();
        let mut model = if self.alone {
            Modelled::of_arrays_alone(&self.machine, &arenas[0], &idle).unwrap()
        } else {
            Modelled::new(&self.machine, &arenas[0]).unwrap()
        };
        // Each shortcut alone, both, and none.
        let off = ["", "same-lines", "translated", "same-lines,translated"][self.number % 4];
        model = model.without_shortcuts(off);
        let mut reference = Reference::new(&self.machine, &arenas[1], self.alone);
        for (at, kernel) in self.kernels.iter().enumerate() {
            kernel.run(&mut model, &data);
            kernel.run(&mut reference, &expected_data);
            let (counted, expected) = (model.counts(), reference.counts());
            let mut found = (counted != expected)
                .then(|| format!("the model counts {counted:#?}, the reference {expected:#?}"));
            // The model makes only as many passes of a repetition as it needs.
            if found.is_none() && expected.passes == 0 {
                let mut arrays = NAMES.iter().zip(data.iter().zip(&expected_data));
                let differing = arrays.find(|(_, (array, expected))| array.to_vec() != expected.to_vec());
                found = differing.map(|(name, _)| format!("the numbers in {name} differ"));
            }
            if let Some(difference) = found {
                return (expected, Some(format!("after kernel {}, {difference}", at + 1)));
            }
        }
        (reference.counts(), None)
    }

    /// A description with which the comparison can be repeated.
    fn report(&self, difference: &str) -> String {
        let new = if self.alone { "of_arrays_alone" } else { "new" };
        let mut text = format!("case {}: {difference}\n{}", self.number, self.description);
        for (name, sizes) in NAMES.iter().zip(&self.arrays) {
            text += &format!("array {name}: {sizes:?}\n");
        }
        text += &format!("Modelled::{new}, shortcuts by the number of the case\n");
        self.kernels.iter().for_each(|kernel| text += &format!("{kernel:?}\n"));
        text
    }
}

fn pick<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len())]
}

/// Compares this many cases; shows the differing one with the fewest accesses.
fn compare_cases(cases: std::ops::Range<usize>) {
    let mut differing = Vec::new();
    for case in cases.clone().map(Case::new) {
        if let (counts, Some(difference)) = case.compare() {
            differing.push((counts.loads + counts.stores, case.report(&difference)));
        }
    }
    differing.sort();
    if let Some((_, report)) = differing.first() {
        panic!("{} of {} cases differ. {report}", differing.len(), cases.len());
    }
}

#[test]
fn some_cases_equal_the_reference() {
    compare_cases(0..700);
}

/// As many as `CACHE_REFERENCE_CASES` says, starting with number `CACHE_REFERENCE_FIRST`.
#[test]
#[ignore = "takes minutes"]
fn many_cases_equal_the_reference() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |value| value.parse().unwrap());
    let first = number("CACHE_REFERENCE_FIRST", 0);
    compare_cases(first..first + number("CACHE_REFERENCE_CASES", 20_000));
}
