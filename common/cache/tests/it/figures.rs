//! The model compared with the recorded curves of real machines.

use cache::{Counts, Modelled};
use figures::stats;
use machine::Machine;
use memory::{Arena, Array, Memory, steps};

/// The lab's sweep with elements of four bytes: `passes` passes over `array` that access
/// every `stride`-th byte.
fn sweep<M: Memory>(mem: &mut M, array: Array<u32>, stride: usize, passes: u64) {
    mem.repeat(passes, |mem| {
        steps!(mem; for at in 0..array.len().div_ceil(stride / 4) {
            let cell = array.at(at * (stride / 4));
            let element = mem.load(cell);
            mem.store(cell, element.wrapping_add(1));
        });
    });
}

/// One cell of the sweep, warmed up by one pass.
fn cell(machine: &Machine, size: usize, stride: usize, passes: u64) -> Counts {
    let arena = Arena::with_capacity(size).unwrap();
    let array = arena.array::<u32>("x", size / 4).unwrap();
    let mut model = Modelled::new(machine, &arena).unwrap();
    sweep(&mut model, array, stride, 1);
    model.reset_counts();
    sweep(&mut model, array, stride, passes);
    model.counts()
}

/// Column headers such as `4k` and `1M` in bytes.
fn bytes(head: &str) -> usize {
    let (number, shift) = match head.strip_suffix('M') {
        Some(number) => (number, 20),
        None => (head.strip_suffix('k').unwrap(), 10),
    };
    number.parse::<usize>().unwrap() << shift
}

#[test]
fn the_guides_figure_is_drawn_within_five_percent() {
    let machine = Machine::named("sparcstation-1+").unwrap();
    let table = include_str!("../../../tests/data/sparcstation_fig1.csv");
    let mut rows = table.lines();
    let sizes: Vec<usize> = rows.next().unwrap().split(',').skip(1).map(bytes).collect();
    let mut errors = Vec::new();
    for row in rows {
        let mut fields = row.split(',');
        let stride: usize = fields.next().unwrap().parse().unwrap();
        for (&size, field) in sizes.iter().zip(fields) {
            let Ok(recorded) = field.parse::<f64>() else { continue };
            let counts = cell(&machine, size, stride, 200);
            let modelled = counts.time(&machine).unwrap().dependent.nanos() / counts.stores as f64;
            errors.push((modelled - recorded).abs() / recorded);
        }
    }
    let median = stats::median(&errors).unwrap();
    assert!(errors.len() > 150 && median <= 0.05, "{} cells, median error {median}", errors.len());
}

/// Misses per access at level 2, of an array of `size` KiB accessed line by line.
fn half_misses(machine: &Machine, size: usize) -> f64 {
    let counts = cell(machine, size << 10, 64, 20);
    counts.levels[1].misses.loads as f64 / counts.loads as f64
}

/// 256 KiB in 4 ways with randomly mapped 4 KiB pages: even arrays of half that size miss,
/// as recorded. A single mapping scatters; the mean over many does not.
#[test]
fn random_pages_make_a_second_level_miss_early() {
    let mut machine = Machine::named("i5-7500").unwrap();
    machine.levels.truncate(2);
    machine.tlbs.clear();
    for (size, recorded) in [(128, 0.13), (256, 0.56), (512, 0.96)] {
        let shares: Vec<f64> = (0..60)
            .map(|seed| {
                machine.mapping = machine::Mapping::Random { seed };
                half_misses(&machine, size)
            })
            .collect();
        let mean = shares.iter().sum::<f64>() / 60.0;
        assert!((mean - recorded).abs() < 0.05, "{size} KiB: {mean} instead of {recorded}");
    }
}
