use proptest::prelude::*;

use super::*;
use events::Event;
use figures::units::Bytes;
use machine::{Inclusion, Mapping, Prefetch, Replacement, Tlb};
use memory::steps;
use memory::{Array, Matrix, squares};

mod classes;
mod column;
mod naive;
mod pages;
mod parts;
mod stride_runs;
mod warp;

/// A machine with caches of (sets, ways) and lines of 64 bytes.
fn machine(levels: &[(u64, u64)], rules: &str) -> Machine {
    let mut text = "name = \"test\"\n".to_string();
    for (i, (sets, ways)) in levels.iter().enumerate() {
        let size = sets * ways * 64;
        text += &format!("[[cache]]\nlevel = {}\nsize = {size}\nline = 64\nways = {ways}\n{rules}\n", i + 1);
    }
    Machine::from_toml(&text, "test").unwrap()
}

/// Loads and stores at byte offsets into one array.
fn walk(mem: &mut Modelled, x: Array<u8>, accesses: &[(usize, bool)]) {
    for &(at, store) in accesses {
        if store {
            mem.store(x.at(at), 1);
        } else {
            mem.load(x.at(at));
        }
    }
}

/// What the naive model must agree on: per level accesses and misses, by loads
/// and stores, and write-backs; then reads from and writes to memory.
fn figures(counts: &Counts) -> Vec<u64> {
    let level = |l: &LevelCounts| {
        [l.accesses.loads, l.accesses.stores, l.misses.loads, l.misses.stores, l.write_backs]
    };
    let mut figures: Vec<u64> = counts.levels.iter().flat_map(level).collect();
    figures.extend([counts.memory_reads, counts.memory_writes]);
    figures.extend(counts.tlbs.iter().map(|tlb| tlb.misses));
    figures
}

/// Small pages, and two TLBs that do not hold many of them.
fn with_tlbs(mut machine: Machine) -> Machine {
    let tlb = |level, entries, ways| Tlb { level, entries, ways, penalty: None };
    machine.page_size = Bytes(512);
    machine.tlbs = vec![tlb(1, 6, 2), tlb(2, 16, 4)];
    machine
}

const BYTES: usize = 1 << 15;

/// A mixture of what kernels do: runs along lines, repeats, jumps.
fn accesses() -> impl Strategy<Value = Vec<(usize, bool)>> {
    let run = (0..BYTES, 0usize..4, 1usize..40, any::<bool>());
    prop::collection::vec(run, 1..40).prop_map(|runs| {
        let step = |kind| [1, 64, 512, 4096][kind];
        let one = |(start, kind, count, store): (usize, usize, usize, bool)| {
            (0..count).map(move |i| ((start + i * step(kind)) % BYTES, store && i % 2 == 0))
        };
        runs.into_iter().flat_map(one).collect()
    })
}

fn geometry() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let first = (0u32..4, prop::sample::select(vec![1u64, 2, 3, 4, 8, 64]));
    let second = (4u32..7, prop::sample::select(vec![4u64, 5, 8, 16]));
    (first, second, any::<bool>()).prop_map(|((a, v), (b, w), two)| {
        let first = if v == 64 { (1, v) } else { (1 << a, v) };
        let levels = [first, (1 << b, w)];
        levels[..if two { 2 } else { 1 }].to_vec()
    })
}

/// One to three levels, each with rules of its own; lines may grow downwards.
fn hierarchy() -> impl Strategy<Value = Machine> {
    let level = (
        (0u32..3, prop::sample::select(vec![1u64, 2, 4, 5, 8, 40])),
        prop::sample::select(vec![1u64, 1, 1, 2, 4]),
        prop::sample::select(vec!["lru", "lru", "fifo", "plru", "random"]),
        prop::sample::select(vec!["back", "back", "through"]),
        prop::bool::weighted(0.7),
        prop::sample::select(vec!["neither", "inclusive", "exclusive"]),
    );
    prop::collection::vec(level, 1..4).prop_filter_map("no such machine", |levels| {
        let mut text = "name = \"test\"\n".to_string();
        let (mut line, mut sets) = (64, 1);
        for (i, ((more_sets, ways), longer, policy, write, allocate, inclusion)) in levels.iter().enumerate()
        {
            (line, sets) = (line * longer, sets << more_sets);
            let (level, size) = (i + 1, sets * ways * line);
            text += &format!(
                "[[cache]]\nlevel = {level}\nsize = {size}\nline = {line}\nways = {ways}\n\
                 replacement = \"{policy}\"\nwrite = \"{write}\"\nallocate = {allocate}\n"
            );
            if i > 0 {
                text += &format!("inclusion = \"{inclusion}\"\n");
            }
        }
        Machine::from_toml(&text, "test").ok()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_policy_equals_the_naive_model(
        levels in geometry(),
        policy in prop::sample::select(vec!["lru", "fifo", "random", "plru"]),
        rules in prop::sample::select(vec!["", "write = \"through\"", "allocate = false",
            "write = \"through\"\nallocate = false"]),
        accesses in accesses(),
        tlbs in any::<bool>(),
    ) {
        prop_assume!(policy != "plru" || levels.iter().all(|(_, ways)| ways.is_power_of_two()));
        let machine = machine(&levels, &format!("replacement = \"{policy}\"\n{rules}"));
        let machine = if tlbs { with_tlbs(machine) } else { machine };
        let arena = Arena::with_capacity(BYTES).unwrap();
        let x = arena.array("x", BYTES).unwrap();
        let mut model = Modelled::new(&machine, &arena).unwrap();
        walk(&mut model, x, &accesses);
        let mut naive = naive::Naive::new(&machine);
        accesses.iter().for_each(|&(at, store)| naive.access(at as u64, store));
        prop_assert_eq!(figures(&model.counts()), naive.figures());
    }

    #[test]
    fn any_hierarchy_equals_the_naive_model(machine in hierarchy(), accesses in accesses()) {
        let arena = Arena::with_capacity(BYTES).unwrap();
        let x = arena.array("x", BYTES).unwrap();
        let mut model = Modelled::new(&machine, &arena).unwrap();
        walk(&mut model, x, &accesses);
        let mut naive = naive::Naive::new(&machine);
        accesses.iter().for_each(|&(at, store)| naive.access(at as u64, store));
        prop_assert_eq!(figures(&model.counts()), naive.figures());
    }

    #[test]
    fn a_victim_cache_that_has_room_for_all_equals_the_naive_model(
        inclusion in prop::sample::select(vec![Inclusion::Neither, Inclusion::Inclusive, Inclusion::Exclusive]),
        rules in prop::sample::select(vec!["", "", "write = \"through\"", "allocate = false"]),
        accesses in accesses(),
    ) {
        let mut machine = machine(&[(4, 2), (8, 4), (64, 32)], rules);
        machine.levels[1].inclusion = inclusion;
        machine.levels[2].inclusion = Inclusion::Exclusive;
        let arena = Arena::with_capacity(BYTES).unwrap();
        let x = arena.array("x", BYTES).unwrap();
        let mut model = Modelled::of_arrays_alone(&machine, &arena, &[]).unwrap();
        walk(&mut model, x, &accesses);
        let mut naive = naive::Naive::new(&machine);
        accesses.iter().for_each(|&(at, store)| naive.access(at as u64, store));
        prop_assert_eq!(figures(&model.counts()), naive.figures());
    }

    #[test]
    fn a_cut_off_repetition_counts_like_the_whole_walk(
        levels in geometry(),
        policy in prop::sample::select(vec!["lru", "fifo", "random", "plru"]),
        times in 0u64..40,
        accesses in accesses(),
        prefetch in prop::sample::select(vec!["none", "next-line", "stride", "stream"]),
    ) {
        prop_assume!(policy != "plru" || levels.iter().all(|(_, ways)| ways.is_power_of_two()));
        let rules = format!("replacement = \"{policy}\"\nprefetch = \"{prefetch}\"");
        let machine = machine(&levels, &rules);
        let arena = Arena::with_capacity(BYTES).unwrap();
        let x = arena.array("x", BYTES).unwrap();
        let mut short = Modelled::new(&machine, &arena).unwrap();
        short.repeat(times, |mem| walk(mem, x, &accesses));
        let mut long = Modelled::new(&machine, &arena).unwrap();
        (0..times).for_each(|_| walk(&mut long, x, &accesses));
        let mut long = long.counts();
        long.passes = times;
        prop_assert_eq!(short.counts(), long);
    }

    #[test]
    fn more_ways_never_miss_more_under_lru(
        sets in 0u32..4, ways in 1u64..12, accesses in accesses(),
    ) {
        let misses = |ways| {
            let machine = machine(&[(1 << sets, ways)], "");
            let arena = Arena::with_capacity(BYTES).unwrap();
            let x = arena.array("x", BYTES).unwrap();
            let mut model = Modelled::new(&machine, &arena).unwrap();
            walk(&mut model, x, &accesses);
            model.counts().levels[0].misses.total()
        };
        prop_assert!(misses(ways + 1) <= misses(ways));
    }
}

fn multiply<M: Memory>(mem: &mut M, mul1: Matrix<i16>, mul2: Matrix<i16>, res: Matrix<i16>) {
    let (n, [mul1, mul2, res]) = squares([mul1, mul2, res]);
    for i in 0..n {
        for j in 0..n {
            steps!(mem; for k in 0..n {
                let product = mem.load(mul1.at(i, k)).wrapping_mul(mem.load(mul2.at(k, j)));
                let sum = mem.load(res.at(i, j)).wrapping_add(product);
                mem.store(res.at(i, j), sum);
            });
        }
    }
}

/// The contract's table is for N = 512; the same product at a quarter of the
/// size on a cache of an eighth has the same pattern.
#[test]
fn a_column_walk_misses_every_time() {
    let machine = machine(&[(8, 8), (1024, 8)], "");
    let n = 128;
    let arena = Arena::with_capacity(3 * n * n * 2).unwrap();
    let [a, b, c] = ["mul1", "mul2", "res"].map(|name| arena.matrix::<i16>(name, n, n).unwrap());
    let mut model = Modelled::new(&machine, &arena).unwrap();
    multiply(&mut model, a, b, c);
    let counts = model.counts();
    let cubed = 128 * 128 * 128;
    let reading = |name: &str| counts.reading(&Event::parse(name).unwrap()).amount();
    assert_eq!(reading("PAPI_LD_INS"), Some(3.0 * f64::from(cubed)));
    assert_eq!(reading("PAPI_SR_INS"), Some(f64::from(cubed)));
    assert_eq!(reading("PAPI_L1_ICM"), None);
    assert_eq!(reading("PAPI_L3_DCM"), None);
    assert_eq!(reading("PAPI_TLB_DM"), None);
    let first = counts.level(1).unwrap();
    assert_eq!(first.arrays[1].name, "mul2");
    assert_eq!(first.arrays[1].misses.loads, cubed as u64);
    let second = counts.level(2).unwrap();
    assert_eq!(second.accesses, first.misses);
    assert_eq!(second.misses.total(), 3 * 128 * 128 * 2 / 64);
    assert_eq!(counts.memory_reads, second.misses.total());
}

#[test]
fn vectors_that_reach_over_a_line_touch_both_lines() {
    let machine = machine(&[(4, 2)], "");
    let arena = Arena::with_capacity(4096).unwrap();
    let x = arena.array::<f64>("x", 64).unwrap();
    let mut model = Modelled::new(&machine, &arena).unwrap();
    let _: [f64; 2] = model.load_vector(x.lanes(7));
    model.store_vector(x.lanes(8), [0.0; 2]);
    let counts = model.counts();
    assert_eq!((counts.loads, counts.stores), (1, 1));
    assert_eq!(counts.levels[0].accesses, LoadsStores { loads: 2, stores: 1 });
    assert_eq!(counts.levels[0].misses, LoadsStores { loads: 2, stores: 0 });
}

#[test]
fn variables_outside_the_arrays_are_counted_by_themselves() {
    let machine = machine(&[(4, 2)], "");
    let arena = Arena::with_capacity(4096).unwrap();
    let x = arena.array::<u64>("x", 8).unwrap();
    let mut model = Modelled::new(&machine, &arena).unwrap();
    let i = Cell::new(0u64);
    for _ in 0..8 {
        let at = model.load(&i);
        model.store(&i, at + 1);
        model.load(x.at(at as usize));
    }
    let arrays = &model.counts().levels[0].arrays;
    let misses: Vec<_> = arrays.iter().map(|array| (array.name, array.misses.total())).collect();
    assert_eq!(misses, [("x", 1), ("(outside)", 1)]);
}

#[test]
fn a_prefetched_line_is_no_miss() {
    let mut machine = machine(&[(64, 8)], "");
    machine.levels[0].prefetch = Prefetch::NextLine;
    let arena = Arena::with_capacity(8192).unwrap();
    let x = arena.array::<u8>("x", 8192).unwrap();
    let mut model = Modelled::new(&machine, &arena).unwrap();
    x.cells().iter().for_each(|cell| _ = model.load(cell));
    let counts = model.counts();
    // one miss per page, from which the prefetcher may not step over
    assert_eq!(counts.levels[0].misses.loads, 2);
    assert_eq!((counts.levels[0].prefetches, counts.levels[0].useful_prefetches), (126, 126));
    assert_eq!(counts.memory_reads, 128);
}

#[test]
fn pages_are_translated_once_while_the_tlb_holds_them() {
    let machine = Machine::named("i5-7500").unwrap();
    let arena = Arena::with_capacity(128 * 4096).unwrap();
    let x = arena.array::<u8>("x", 128 * 4096).unwrap();
    let mut model = Modelled::new(&machine, &arena).unwrap();
    for pages in [64, 64, 128, 128] {
        (0..pages).for_each(|page| _ = model.load(x.at(4096 * page)));
    }
    let counts = model.counts();
    // 64 pages fit; 128 in order through 16 sets of 4 ways miss every time
    assert_eq!(counts.tlbs.iter().map(|tlb| tlb.misses).collect::<Vec<_>>(), [64 + 64 + 128, 128]);
    assert_eq!(counts.reading(&Event::parse("PAPI_TLB_DM").unwrap()).amount(), Some(128.0));
}

#[test]
fn pages_of_64_kib_anywhere_can_be_modelled() {
    let mut machine = machine(&[(4, 2)], "index = \"physical\"");
    machine.mapping = Mapping::Random { seed: 1 };
    machine.page_size = Bytes::kib(64);
    let arena = Arena::with_capacity(1 << 20).unwrap();
    let x = arena.array::<u8>("x", 1 << 20).unwrap();
    let mut model = Modelled::new(&machine, &arena).unwrap();
    x.cells().iter().step_by(64).for_each(|cell| _ = model.load(cell));
    assert_eq!(model.counts().memory_reads, 1 << 14);
}

#[test]
fn more_memory_than_line_numbers_is_refused() {
    let mut machine = machine(&[(4, 2)], "");
    machine.mapping = Mapping::Random { seed: 1 };
    machine.page_size = Bytes::mib(1 << 17);
    let arena = Arena::with_capacity(64).unwrap();
    let refusal = Modelled::new(&machine, &arena).unwrap_err().to_string();
    assert!(refusal.contains("choose a smaller size"), "{refusal}");
}

#[test]
fn a_machine_of_unknown_caches_is_refused() {
    let why = machine::MachineError::HostUnknown { reason: "no sysfs".into() };
    let arena = Arena::with_capacity(64).unwrap();
    let refusal = Modelled::new(&Machine::undescribed(None, Bytes(4096), vec![why.to_string()]), &arena)
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("no sysfs") && refusal.contains("--machine"), "{refusal}");
}

#[test]
fn a_random_policy_draws_the_same_in_every_run() {
    let mut machine = machine(&[(4, 4)], "");
    machine.levels[0].replacement = Replacement::Random { seed: 5 };
    let arena = Arena::with_capacity(BYTES).unwrap();
    let x = arena.array::<u8>("x", BYTES).unwrap();
    let run = |machine: &Machine| {
        let mut model = Modelled::new(machine, &arena).unwrap();
        for line in (0..9).flat_map(|_| 0..40) {
            model.load(x.at(64 * line));
        }
        model.counts().levels[0].misses.total()
    };
    let misses = run(&machine);
    assert_eq!(misses, run(&machine));
    assert!((40..360).contains(&misses), "{misses}");
}
