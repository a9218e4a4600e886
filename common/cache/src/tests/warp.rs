//! Turns that are counted, against every turn walked.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use super::stride_runs::any_machine;
use super::*;
use crate::level::Level;
use crate::tag::Tag;
use memory::turns;

/// An access of a nest of three loops, in one of three arrays.
#[derive(Debug, Clone, Copy)]
struct Stream {
    array: usize,
    start: usize,
    run: usize,
    step: usize,
    store: bool,
}

#[derive(Debug, Clone)]
struct Nest {
    turns: usize,
    runs: usize,
    steps: usize,
    /// Bytes by which each array's accesses advance from turn to turn.
    advances: [usize; 3],
    /// Made once a run, before the steps.
    lead_in: Vec<Stream>,
    streams: Vec<Stream>,
}

const ROOM: usize = 1 << 17;

/// Nests of so many turns, runs and steps, with fewer streams than `most` before and in the
/// steps; of a stream its array, start, advances by run and by step, and whether it stores.
fn nests(
    [turns, runs, steps]: [Range<usize>; 3],
    advance: Vec<usize>,
    stream: impl Strategy<Value = (usize, usize, usize, usize, bool)> + Clone,
    most: [usize; 2],
) -> impl Strategy<Value = Nest> {
    let stream =
        stream.prop_map(|(array, start, run, step, store)| Stream { array, start, run, step, store });
    let lead_in = prop::collection::vec(stream.clone(), 0..most[0]);
    let streams = prop::collection::vec(stream, 1..most[1]);
    let advances = prop::array::uniform3(prop::sample::select(advance));
    (turns, runs, steps, advances, lead_in, streams).prop_map(
        |(turns, runs, steps, advances, lead_in, streams)| Nest {
            turns,
            runs,
            steps,
            advances,
            lead_in,
            streams,
        },
    )
}

fn nest() -> impl Strategy<Value = Nest> {
    let start = prop::sample::select(vec![0usize, 0, 1, 8, 24, 64, 100, 512, 4096]);
    let run = prop::sample::select(vec![0usize, 0, 1, 8, 64, 72, 128, 1024]);
    let step = prop::sample::select(vec![0usize, 1, 8, 24, 64, 256, 512]);
    let advance = vec![0usize, 0, 0, 1, 2, 8, 8, 64, 64, 128, 256, 512, 1024];
    nests([1..70, 1..12, 0..40], advance, (0usize..3, start, run, step, any::<bool>()), [3, 5])
}

fn access(mem: &mut impl Memory, arrays: [Array<u8>; 3], nest: &Nest, s: Stream, at: [usize; 3]) {
    let [turn, run, step] = at;
    let cell = arrays[s.array].at(s.start + nest.advances[s.array] * turn + s.run * run + s.step * step);
    if s.store {
        mem.store(cell, (turn + run) as u8);
    } else {
        mem.load(cell);
    }
}

fn walk_nest(mem: &mut impl Memory, arrays: [Array<u8>; 3], nest: &Nest) {
    let (turns, n) = (nest.turns, nest.steps);
    turns!(mem; for turn in 0..turns {
        for run in 0..nest.runs {
            for stream in &nest.lead_in {
                access(mem, arrays, nest, *stream, [turn, run, 0]);
            }
            steps!(mem; for step in 0..n {
                for stream in &nest.streams {
                    access(mem, arrays, nest, *stream, [turn, run, step]);
                }
            });
        }
    });
}

/// Arrays that may or may not begin on a line.
fn arrays(arena: &Arena, gap: usize) -> [Array<'_, u8>; 3] {
    let [x, y, z] = [("x", ROOM - gap), ("y", ROOM + gap), ("z", ROOM)];
    [x, y, z].map(|(name, len)| arena.array(name, len).unwrap())
}

/// Counts of nests that are warped or walked, and of what then follows; the numbers in
/// memory; and what levels that evict held before that.
fn outcome(
    machine: &Machine,
    gap: usize,
    nests: &[Nest],
    after: &[(usize, bool)],
    exhaustive: bool,
) -> (Counts, Vec<u8>, Vec<Option<Vec<Tag>>>) {
    let arena = Arena::with_capacity(3 * ROOM).unwrap();
    let arrays = arrays(&arena, gap);
    // The accesses stay in the arrays: short cuts may rest on that or not.
    let alone = !exhaustive && after.len().is_multiple_of(2);
    let of = |nest: &Nest| nest.streams.iter().chain(&nest.lead_in).any(|stream| stream.array == 2);
    let used = &arrays[..if nests.iter().any(of) { 3 } else { 2 }];
    let mut model = if alone {
        Modelled::of_arrays_alone(machine, &arena, &["z"][used.len() - 2..]).unwrap()
    } else {
        Modelled::new(machine, &arena).unwrap()
    };
    model.runs.exhaustive = exhaustive;
    nests.iter().for_each(|nest| walk_nest(&mut model, arrays, nest));
    model.flush();
    let held = |level: &Level| level.lines.evicts.then(|| level.lines.all().into_owned());
    let held = model.filter.hierarchy.levels.iter().map(held).collect();
    used.iter().for_each(|array| walk(&mut model, *array, after));
    (model.counts(), arrays.iter().flat_map(|array| array.to_vec()).collect(), held)
}

fn case() -> impl Strategy<Value = (Machine, usize, Vec<Nest>, Vec<(usize, bool)>)> {
    let machine = prop_oneof![any_machine(), hierarchy()];
    let gap = prop::sample::select(vec![0usize, 0, 0, 24, 512]);
    (machine, gap, prop::collection::vec(nest(), 1..3), accesses())
}

/// Turns that come to all of one array, and to a row, each to the next one, of another.
fn sweep() -> impl Strategy<Value = Nest> {
    let lines = prop::sample::select(vec![16usize, 64, 64, 128]);
    let row =
        (0usize..100, prop::sample::select(vec![0usize, 0, 8]), prop::sample::select(vec![0usize, 1, 8]));
    let advance = prop::sample::select(vec![8usize, 64, 192, 320, 448]);
    let shape = (80usize..160, 4usize..24, 20usize..60);
    (shape, lines, row, advance, any::<[bool; 3]>()).prop_map(
        |((turns, runs, steps), lines, (start, run, step), advance, [is_stored, is_loaded, stores])| {
            let all = Stream { array: 0, start: 0, run: lines * steps, step: lines, store: is_stored };
            let row = Stream { array: 1, start, run, step, store: stores };
            let mut streams = vec![row, all];
            if is_loaded {
                streams.insert(0, Stream { store: false, ..row });
            }
            Nest {
                turns,
                runs: runs.min((ROOM - 1024) / (lines * steps)),
                steps,
                advances: [0, advance, 0],
                lead_in: Vec::new(),
                streams,
            }
        },
    )
}

/// A small product whose rows lie across the sets of the last level, each next row in
/// others; the first levels are soon as they were.
fn drifting_case() -> impl Strategy<Value = (Machine, usize, Vec<Nest>, Vec<(usize, bool)>)> {
    let first = prop::sample::select(vec![(1u64, 2u64), (1, 4), (1, 12), (2, 2), (2, 4), (4, 1)]);
    let sets = prop::sample::select(vec![4u32, 5, 6, 6, 7]);
    let last = (sets, prop::sample::select(vec![1u64, 2, 3, 4, 8]));
    let machine =
        (first, last, any::<bool>(), any::<bool>()).prop_map(|(first, (sets, ways), three, victims)| {
            let second = (first.0, 2 * first.1);
            let levels = [first, second, (1 << sets, ways)];
            let three = three && second.0 * second.1 <= (1 << sets) * ways;
            let mut machine = if three { machine(&levels, "") } else { machine(&[first, levels[2]], "") };
            let (last, above) = machine.levels.split_last_mut().unwrap();
            if victims {
                last.inclusion = Inclusion::Exclusive;
                above.last_mut().unwrap().inclusion =
                    if three { Inclusion::Inclusive } else { Inclusion::Neither };
            }
            machine
        });
    let run = prop::sample::select(vec![0usize, 8, 64, 192, 320]);
    let step = prop::sample::select(vec![0usize, 8, 64, 192, 320, 448]);
    let stream = (0usize..3, 0usize..100, run, step, prop::bool::weighted(0.3));
    let advance = vec![0usize, 0, 8, 16, 32, 64, 128, 192, 320, 448];
    let nest = nests([80..160, 2..24, 20..90], advance, stream, [2, 4]);
    let nest = prop_oneof![nest, sweep()];
    (machine, prop::sample::select(vec![0usize, 512]), prop::collection::vec(nest, 1..3), accesses())
}

/// A product, its loops in any order, of matrices whose rows are so many lines and elements
/// long; sums are stored at each step or once a run.
fn product_nest() -> impl Strategy<Value = Nest> {
    let shape = (130usize..180, 8usize..50, 20usize..60, prop::sample::select(vec![0usize, 0, 0, 8, 16]));
    let row = prop::sample::select(vec![3usize, 5, 7, 9, 9]);
    let order = Just([0, 1, 2]).prop_shuffle();
    (shape, row, order, any::<bool>(), 0usize..64).prop_map(
        |((turns, runs, steps, more), lines, order, at_each_step, start)| {
            let row = 64 * lines + more;
            // Bytes from one to the next i, j and k: of the elements of a row, few are used.
            let strides = [[row, 0, 8], [0, 8, row], [row, 8, 0]];
            let of = |array: usize, at: usize| strides[array][order[at]];
            let stream =
                |array: usize, store| Stream { array, start, run: of(array, 1), step: of(array, 2), store };
            let [sum, stored] = [false, true].map(|store| stream(2, store));
            let mut nest = Nest {
                turns,
                runs,
                steps,
                advances: [0, 1, 2].map(|array| of(array, 0)),
                lead_in: Vec::new(),
                streams: vec![stream(0, false), stream(1, false)],
            };
            if at_each_step || sum.step > 0 {
                nest.streams.extend([sum, stored]);
            } else {
                nest.lead_in.extend([sum, stored]);
            }
            nest
        },
    )
}

/// Products on plain levels, in the last of which the arrays may all have room.
fn all_drifting_case() -> impl Strategy<Value = (Machine, usize, Vec<Nest>, Vec<(usize, bool)>)> {
    let level = |sets: Vec<u64>, ways: Vec<u64>| (prop::sample::select(sets), prop::sample::select(ways));
    let first = level(vec![1, 1, 2, 4, 8], vec![2, 4, 8]);
    let second = level(vec![1, 2, 4, 8, 8, 16, 32, 64], vec![2, 4, 8]);
    let third = prop_oneof![Just(None), level(vec![16, 64, 512], vec![4, 12, 16]).prop_map(Some)];
    let machine = (first, second, third).prop_filter_map("no such machine", |(first, second, third)| {
        let levels: Vec<(u64, u64)> = [first, second].into_iter().chain(third).collect();
        let grow = levels.windows(2).all(|pair| pair[0].0 * pair[0].1 <= pair[1].0 * pair[1].1);
        grow.then(|| machine(&levels, ""))
    });
    let nest = prop_oneof![4 => product_nest(), 1 => sweep()];
    (machine, prop::sample::select(vec![0usize, 512]), prop::collection::vec(nest, 1..3), accesses())
}

fn turns_are_counted_as_if_walked<C>(case: C, cases: u32)
where
    C: Strategy<Value = (Machine, usize, Vec<Nest>, Vec<(usize, bool)>)>,
{
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(cases));
    let same = |(machine, gap, nests, after): (Machine, usize, Vec<Nest>, Vec<(usize, bool)>)| {
        let (counts, numbers, held) = outcome(&machine, gap, &nests, &after, false);
        let (walked, walked_numbers, walked_held) = outcome(&machine, gap, &nests, &after, true);
        prop_assert_eq!(counts, walked);
        // Of arrays alone, fewer lines may come to a level.
        let mut held = held.iter().zip(&walked_held).filter(|(held, _)| held.is_some());
        prop_assert!(held.all(|(held, walked)| held == walked), "the levels differ");
        prop_assert!(numbers == walked_numbers, "the numbers differ");
        Ok(())
    };
    runner.run(&case, same).unwrap();
}

#[test]
fn some_turns_are_counted_as_if_walked() {
    turns_are_counted_as_if_walked(case(), 400);
    turns_are_counted_as_if_walked(drifting_case(), 100);
    turns_are_counted_as_if_walked(all_drifting_case(), 100);
}

#[test]
#[ignore = "takes minutes"]
fn many_turns_are_counted_as_if_walked() {
    turns_are_counted_as_if_walked(case(), 10_000);
    turns_are_counted_as_if_walked(drifting_case(), 10_000);
    turns_are_counted_as_if_walked(all_drifting_case(), 10_000);
}

/// Counts of a product of `n` by `n` doubles whose arrays lie one behind the other and may
/// share a line, and how many outer turns were run; `order` says which of i, j and k is the
/// outer, the middle and the inner loop.
fn product(machine: &Machine, n: usize, order: [usize; 3], exhaustive: bool) -> (Counts, usize) {
    let arena = Arena::with_capacity(3 * n * n * 8).unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| arena.array::<f64>(name, n * n).unwrap());
    let mut model = Modelled::of_arrays_alone(machine, &arena, &[]).unwrap().without_numbers();
    model.runs.exhaustive = exhaustive;
    let (mem, mut at, mut run) = (&mut model, [0; 3], 0);
    turns!(mem; for outer in 0..n {
        run += 1;
        at[order[0]] = outer;
        for middle in 0..n {
            at[order[1]] = middle;
            steps!(mem; for inner in 0..n {
                at[order[2]] = inner;
                let [i, j, k] = at;
                let product = mem.load(a.at(i * n + k)) * mem.load(b.at(k * n + j));
                let sum = mem.load(c.at(i * n + j)) + product;
                mem.store(c.at(i * n + j), sum);
            });
        }
    });
    (model.counts(), run)
}

fn products_are_counted_as_if_walked(cases: u32) {
    let first = prop::sample::select(vec![(1u64, 4u64), (1, 12), (1, 40), (2, 2), (2, 4), (4, 2)]);
    let last = (4u32..7, prop::sample::select(vec![3u64, 4, 8]));
    let two = (first, last).prop_map(|(first, (sets, ways))| machine(&[first, (1 << sets, ways)], ""));
    let order = Just([0, 1, 2]).prop_shuffle();
    let case = (prop_oneof![two, hierarchy()], 9usize..130, order);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(cases));
    let same = |(machine, n, order): (Machine, usize, [usize; 3])| {
        let [counted, walked] = [false, true].map(|exhaustive| product(&machine, n, order, exhaustive).0);
        prop_assert_eq!(counted, walked);
        Ok(())
    };
    runner.run(&case, same).unwrap();
}

#[test]
fn some_products_are_counted_as_if_walked() {
    products_are_counted_as_if_walked(60);
}

#[test]
#[ignore = "takes minutes"]
fn many_products_are_counted_as_if_walked() {
    products_are_counted_as_if_walked(4_000);
}

/// How many turns of `x[turn][..] += y[..]` are run at all.
fn run_turns(machine: &Machine, turns: usize, row: usize) -> usize {
    let arena = Arena::with_capacity(turns * row + (1 << 14)).unwrap();
    let y = arena.array::<u8>("y", 1 << 14).unwrap();
    let x = arena.array::<u8>("x", turns * row).unwrap();
    let mut model = Modelled::new(machine, &arena).unwrap().without_numbers();
    let (mem, run) = (&mut model, Cell::new(0));
    turns!(mem; for turn in 0..turns {
        run.set(run.get() + 1);
        for at in (0..1 << 14).step_by(8) {
            mem.load(y.at(at));
            mem.store(x.at(turn * row + at % row), 1);
        }
    });
    run.get()
}

#[test]
fn a_loop_tells_how_far_it_is() {
    for machine in [machine(&[(16, 4)], ""), Machine::named("zen3").unwrap()] {
        let arena = Arena::with_capacity(1 << 14).unwrap();
        let x = arena.array::<u8>("x", 1 << 14).unwrap();
        let told = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&told);
        let model = Modelled::new(&machine, &arena).unwrap();
        let mut model = model.watched(move |share| seen.borrow_mut().push(share));
        let mem = &mut model;
        turns!(mem; for turn in 0..100 {
            mem.load(x.at(64 * turn));
        });
        let told = told.borrow();
        assert!(
            told.len() > 2 && told.is_sorted() && told[0] < 0.05 && told[told.len() - 1] > 0.9,
            "{told:?}"
        );
    }
}

#[test]
fn turns_are_not_walked_once_a_state_recurs() {
    let sets_of_two = machine(&[(16, 4), (64, 8)], "");
    // 1024 bytes a turn: in the same sets of both levels every 4 turns, once the
    // 16 rows that fit beside y are there
    assert!(run_turns(&sets_of_two, 400, 1024) < 40);
    // 8 bytes a turn: the same lines for 8 turns, of which two are walked
    assert!(run_turns(&sets_of_two, 400, 8) < 160);
    // 17 lines a turn: in the same sets of the second level after 64 turns only
    let drifting = machine(&[(1, 4), (64, 2)], "");
    assert!(run_turns(&drifting, 400, 17 * 64) < 20);
    // and of the first one after 32
    let all_drift = machine(&[(32, 2), (64, 2)], "");
    assert!(run_turns(&all_drift, 400, 17 * 64) < 12);
    // Rows of 12 and 5/8 lines, and b shares a line with c
    let lines_of_one_set = machine(&[(1, 40), (64, 8)], "");
    assert!(product(&lines_of_one_set, 101, [0, 1, 2], false).1 < 60);
    // The same where none of b is there when its turn comes
    let mut victims = lines_of_one_set;
    victims.levels[1].inclusion = Inclusion::Exclusive;
    assert!(product(&victims, 101, [0, 2, 1], false).1 < 60);
    let mut random = sets_of_two;
    random.levels[0].replacement = Replacement::Random { seed: 1 };
    assert_eq!(run_turns(&random, 400, 1024), 400);
}

/// An element of `x`, then of `y`, which is on the same page, each before as many pages
/// of `z` as no TLB holds.
#[test]
fn arrays_that_share_a_page_keep_their_misses() {
    let machine = with_tlbs(machine(&[(16, 4)], ""));
    let page = machine.page_size.get();
    let counts = |exhaustive| {
        let arena = Arena::with_capacity(200 * page).unwrap();
        let [x, y] = ["x", "y"].map(|name| arena.array::<u8>(name, page / 2).unwrap());
        let z = arena.array::<u8>("z", 100 * page).unwrap();
        let mut model = Modelled::new(&machine, &arena).unwrap();
        model.runs.exhaustive = exhaustive;
        let mem = &mut model;
        turns!(mem; for turn in 0..40 {
            for one in [x, x, x, y, y, y] {
                mem.load(one.at(turn));
                steps!(mem; for step in 0..100 {
                    mem.load(z.at(page * step));
                });
            }
        });
        model.counts()
    };
    let counted = counts(false);
    assert_eq!(counted, counts(true));
    let of = |at: usize| counted.tlbs[0].arrays[at];
    assert_eq!([of(0), of(1)], [("x", 120), ("y", 120)]);
}
