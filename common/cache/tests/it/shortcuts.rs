//! Shortcuts do not change a count: random kernels on random machines, with each shortcut alone and
//! with both, compared with the same without any.

use cache::{Counts, Modelled};
use figures::random::Random;
use memory::Arena;

use crate::kernels::{Elements, Kernel};
use crate::machines::random_machine;
use crate::pick;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// The counts of the kernels of a case without the shortcuts that `off` names, after each kernel.
fn counts(case: u64, off: &str) -> (Vec<Counts>, String) {
    let random = &mut Random::new(case);
    let (machine, mut text) = random_machine(random);
    let arrays: Vec<usize> = (0..1 + random.below(4)).collect();
    let used: Vec<usize> = arrays.iter().copied().filter(|at| *at == 0 || random.below(5) > 0).collect();
    // Rows about as long as one way of a cache, or of any length.
    let way = &machine.levels[random.below(machine.levels.len())];
    let way = way.size.get() / way.ways / 8;
    let near = (way + 3).saturating_sub(random.below(7)).max(1);
    let rows = [way.max(1), near, 1 + random.below(120), 1 + random.below(2000)];
    let most = pick(random, &[2_000, 20_000, 60_000]);
    let kernels: Vec<Kernel> =
        (0..1 + random.below(3)).map(|_| Kernel::random(random, &used, &rows, most)).collect();
    let mut lengths = [1; 4].map(|least| least + random.below(150));
    for (array, needed) in kernels.iter().flat_map(Kernel::lengths) {
        lengths[array] = lengths[array].max(needed + needed % 3);
    }
    let arena = Arena::with_capacity(lengths.iter().map(|length| 8 * length + 64).sum()).unwrap();
    let data: Vec<Elements> = arrays
        .iter()
        .map(|at| match random.below(4) {
            0 => Elements::Bytes(arena.array(NAMES[*at], lengths[*at]).unwrap()),
            _ => Elements::Doubles(arena.array(NAMES[*at], lengths[*at]).unwrap()),
        })
        .collect();
    let idle: Vec<&str> = arrays.iter().filter(|at| !used.contains(at)).map(|at| NAMES[*at]).collect();
    let model = match random.below(2) {
        0 => Modelled::of_arrays_alone(&machine, &arena, &idle).unwrap(),
        _ => Modelled::new(&machine, &arena).unwrap(),
    };
    let mut model = model.without_shortcuts(off);
    text += &format!("{kernels:?}, arrays of {lengths:?}");
    let counted = |kernel: &Kernel| {
        kernel.run(&mut model, &data);
        // Passes of a repetition are counted as far as they are needed.
        Counts { passes: 0, ..model.counts() }
    };
    (kernels.iter().map(counted).collect(), text)
}

#[test]
fn shortcuts_change_no_count() {
    for case in 0..400 {
        let off = ["", "same-lines", "translated"][case as usize % 3];
        let (with, text) = counts(case, off);
        let (without, _) = counts(case, "same-lines,translated");
        assert_eq!(with, without, "case {case}, without {off}: {text}");
    }
}
