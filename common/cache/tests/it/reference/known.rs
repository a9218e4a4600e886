//! Cases with known counts, each of a kind that a model once counted wrongly.

use std::cell::Cell;

use cache::{Counts, Modelled};
use machine::Machine;
use memory::{Arena, Memory};

use super::kernels::{Access, Kernel, Middle};
use super::{Case, Sizes};

/// What is counted, and the right count.
type Figure = (fn(&Counts) -> u64, u64);

const L1: fn(&Counts) -> u64 = |counts| counts.levels[0].misses.total();
const L2: fn(&Counts) -> u64 = |counts| counts.levels[1].misses.total();
const TLB: fn(&Counts) -> u64 = |counts| counts.tlbs[0].misses;

const TWO_LEVELS: &str = r#"
    [[cache]]
    level = 1
    size = "32K"
    line = 64
    ways = 8
    index = "physical"
    prefetch = "none"
    [[cache]]
    level = 2
    size = "256K"
    line = 64
    ways = 8
"#;

fn load(array: usize, by: [isize; 3]) -> Access {
    Access { array, start: 0, by, store: false, vector: false }
}

fn store(array: usize, by: [isize; 3]) -> Access {
    Access { store: true, ..load(array, by) }
}

fn nest(counts: [usize; 3], before: &[Access], body: &[Access], after: &[Access]) -> Kernel {
    let [before, body, after] = [before, body, after].map(<[Access]>::to_vec);
    Kernel::Nest { counts, middle: Middle::Plain, before, body, after }
}

/// Products of `n` by `n` matrices as in mm1, `mul2` by columns, and in mm2, where `tmp` is
/// array 3 and `mul2` idle.
fn mm1(n: usize) -> Kernel {
    let (all, row) = ([n; 3], n as isize);
    let sum = [row, 1, 0];
    nest(all, &[], &[load(0, [row, 0, 1]), load(1, [0, 1, row]), load(2, sum), store(2, sum)], &[])
}

fn mm2(n: usize) -> Kernel {
    let (all, row) = ([n; 3], n as isize);
    let sum = [row, 1, 0];
    nest(all, &[], &[load(0, [row, 0, 1]), load(3, [0, row, 1]), load(2, sum), store(2, sum)], &[])
}

/// A case on arrays of `bytes` bytes an element.
fn case(rules: &str, bytes: usize, lengths: &[usize], idle: Option<usize>, kernel: Kernel) -> Case {
    let description = format!("name = \"known\"\n{rules}");
    let sizes = |(at, &length)| Sizes { bytes, length, idle: idle == Some(at) };
    Case {
        number: 0,
        machine: Machine::from_toml(&description, "known").unwrap(),
        description,
        arrays: lengths.iter().enumerate().map(sizes).collect(),
        alone: true,
        kernels: vec![kernel],
    }
}

fn check(what: &str, case: &Case, (count, right): Figure) {
    let (counts, difference) = case.compare();
    assert_eq!(count(&counts), right, "{what}: the reference is wrong");
    assert!(difference.is_none(), "{what}: {}", case.report(&difference.unwrap_or_default()));
}

/// Misses belong to the array of the access, not to the one at its physical address.
#[test]
fn arrays_are_distinguished_on_random_pages() {
    let random = format!("[pages]\nmapping = \"random\"\n{TWO_LEVELS}");
    let ijk = nest(
        [100; 3],
        &[],
        &[load(0, [100, 0, 1]), load(1, [0, 1, 100])],
        &[load(2, [100, 1, 0]), store(2, [100, 1, 0])],
    );
    check("dgemm ijk", &case(&random, 8, &[10_000; 3], None, ijk), (L1, 127_550));
    let stride = random.replace("none", "stride");
    check("mm1", &case(&stride, 2, &[10_000; 3], None, mm1(100)), (L1, 272));
}

/// Prefetched lines after the last array stay in the cache.
#[test]
fn prefetched_lines_behind_the_arrays_stay() {
    let cm1 = |length: usize, stride: usize, repeats: usize| {
        let times = (repeats * stride + 1) as u64;
        Kernel::Sweep { times, count: length / stride, stride, store: true, array: 0 }
    };
    let small = r#"
        [[cache]]
        level = 1
        size = 2560
        line = 64
        ways = 20
        prefetch = "stride"
        [[cache]]
        level = 2
        size = 18432
        line = 128
        ways = 12
        [[cache]]
        level = 3
        size = 524288
        line = 128
        ways = 4
        inclusion = "exclusive"
        [[tlb]]
        level = 1
        entries = 16
        ways = 4
        [[tlb]]
        level = 2
        entries = 8
        ways = 4
    "#;
    check("388 bytes", &case(small, 1, &[388], None, cm1(388, 4, 3)), (L1, 3));
    let i5 = r#"
        [pages]
        size = "2M"
        [[cache]]
        level = 1
        prefetch = "stride"
        size = "32K"
        line = 64
        ways = 8
        [[cache]]
        level = 2
        size = "256K"
        line = 64
        ways = 4
        [[cache]]
        level = 3
        size = "6M"
        line = 64
        ways = 12
        inclusion = "inclusive"
    "#;
    check("64 KiB", &case(i5, 1, &[1 << 16], None, cm1(1 << 16, 256, 5)), (L2, 3));
}

/// Below a level whose sets are selected by physical addresses, all are.
#[test]
fn a_level_below_a_physical_one_is_physical() {
    let rules = r#"
        [pages]
        mapping = "random"
        [[cache]]
        level = 1
        size = "4K"
        line = 64
        ways = 4
        [[cache]]
        level = 2
        size = "16K"
        line = 64
        ways = 4
        [[cache]]
        level = 3
        size = "32K"
        line = 64
        ways = 4
        index = "virtual"
        inclusion = "inclusive"
    "#;
    check("mm1", &case(rules, 2, &[10_000; 3], None, mm1(100)), (L1, 1_016_983));
}

/// A line may begin in an array that no kernel accesses.
#[test]
fn a_line_is_served_wherever_it_begins() {
    let i5 = TWO_LEVELS.replace("physical", "virtual");
    check("i5-7500", &case(&i5, 2, &[131 * 131; 4], Some(1), mm2(131)), (L1, 40_801));
    let small = "[[cache]]\nlevel = 1\nsize = 4096\nline = 128\nways = 2\n";
    check("128-byte lines", &case(small, 2, &[2500; 4], Some(1), mm2(50)), (L1, 1_512));
}

/// Pages begin at the first array, however large they are.
#[test]
fn large_pages_begin_at_the_first_array() {
    let rules =
        format!("[pages]\nsize = \"2M\"\n{TWO_LEVELS}\n[[tlb]]\nlevel = 1\nentries = 64\nways = \"full\"\n");
    let jki = nest(
        [640, 5, 640],
        &[load(1, [1, 640, 0])],
        &[load(2, [1, 0, 640]), load(0, [0, 1, 5]), store(2, [1, 0, 640])],
        &[],
    );
    check("dgemm jki", &case(&rules, 8, &[3200, 3200, 409_600], None, jki), (TLB, 2));
}

/// Vectors of 4 bytes at 49, 53, 57, 61 ...: of 16, the fourth crosses the end of a line.
#[test]
fn vectors_cross_lines_in_some_turns_only() {
    let vector = Access { start: 49, vector: true, ..load(0, [4, 0, 0]) };
    let case = case(TWO_LEVELS, 1, &[116], None, nest([16, 1, 1], &[], &[vector], &[]));
    check("16 vectors", &case, (|counts| counts.levels[0].accesses.loads, 17));
}

/// A loop whose only access is in an inner loop.
#[test]
fn a_loop_of_one_access_is_repeated() {
    let sweep = Kernel::Sweep { times: 2, count: 3, stride: 65, store: false, array: 0 };
    check("a sweep", &case(TWO_LEVELS, 1, &[195], None, sweep), (|counts| counts.loads, 6));
    let rows = nest([2, 2, 5], &[], &[load(0, [100, 10, 1])], &[]);
    check("rows", &case(TWO_LEVELS, 1, &[120], None, rows), (|counts| counts.loads, 20));
}

/// Loops with a counter outside the arrays: for kernels that are said to access arrays
/// only, its loads and stores are counted as hits.
#[test]
fn variables_outside_the_arrays_ask_no_level() {
    let counted = Kernel::Counted { rows: 9, row: 8, count: 8, array: 0 };
    let case = case(TWO_LEVELS, 1, &[72], None, counted);
    check("9 rows", &case, (L1, 2));
}

/// The first variable outside the arrays is 64 KiB after a small array, in the same set as
/// its first line, wherever the variable is in this process.
#[test]
fn variables_outside_the_arrays_have_a_place_of_their_own() {
    let rules = "name = \"known\"\n[[cache]]\nlevel = 1\nsize = 4096\nline = 64\nways = 1\n";
    let machine = Machine::from_toml(rules, "known").unwrap();
    let variables = [const { Cell::new(0u64) }; 16];
    for variable in [&variables[0], &variables[8]] {
        let arena = Arena::with_capacity(64).unwrap();
        let a = arena.array::<u8>("a", 64).unwrap();
        let mut model = Modelled::new(&machine, &arena).unwrap();
        for _ in 0..10 {
            model.load(a.at(0));
            model.load(variable);
        }
        assert_eq!(L1(&model.counts()), 20);
    }
}
