//! Columns beside streams that hardly leave their lines, against every access simulated.

use super::stride_runs::{Nest, Stream, both_ways};
use super::*;

const ROOM: usize = 1 << 20;

fn nest() -> impl Strategy<Value = Nest> {
    let near = prop::sample::select(vec![0isize, 8, 64, 512, 1024, 4096, 4160, 32768]);
    let run = prop::sample::select(vec![0isize, 0, 2, 8, 64, 1024]);
    let slow = prop::sample::select(vec![0isize, 0, 2, 8, 16]);
    let stream = |array: Vec<isize>, step: &BoxedStrategy<isize>, store: BoxedStrategy<bool>| {
        let array = prop::sample::select(array);
        (array, near.clone(), 0isize..3, step.clone(), run.clone(), store).prop_map(
            |(array, near, times, step, run, store)| {
                let start = array * ROOM as isize + near * times;
                Stream { start, step, run, store, wide: false }
            },
        )
    };
    let slow = slow.boxed();
    let column = prop::sample::select(vec![512isize, 1024, 2048, 4096, 4096, 8192, 1536]).boxed();
    let column = stream(vec![0], &column, Just(false).boxed());
    // Seldom of the column's array.
    let others = stream(vec![1, 1, 1, 2, 2, 2, 0], &slow, any::<bool>().boxed());
    let streams = (prop::collection::vec(others.clone(), 0..4), column, 0usize..4, any::<bool>()).prop_map(
        |(mut streams, column, place, updates)| {
            if let Some(first) = streams.first().copied().filter(|_| updates) {
                streams[0].store = false;
                streams.insert(1, Stream { store: true, ..first });
            }
            streams.insert(place.min(streams.len()), column);
            streams
        },
    );
    let lead_in = prop::collection::vec(others, 0..3);
    (1usize..24, 32usize..110, lead_in, streams).prop_map(|(runs, steps, lead_in, streams)| Nest {
        runs,
        steps,
        lead_in,
        streams,
    })
}

/// Sets that divide each other's, and lines that come to the same first sets again.
fn machine_of_columns() -> impl Strategy<Value = Machine> {
    let pick = |from: &[usize]| prop::sample::select(from.to_vec());
    let inclusion = || prop::sample::select(vec!["neither", "inclusive", "inclusive", "exclusive"]);
    let policy = prop::sample::select(vec!["lru", "lru", "fifo", "plru"]);
    let sets = (pick(&[8, 8, 16, 64]), pick(&[1, 2, 2, 8]), pick(&[1, 2, 4]));
    let ways = (pick(&[1, 2, 4, 8, 8]), pick(&[2, 4, 4, 8]), pick(&[4, 8, 12, 16]));
    (sets, ways, inclusion(), inclusion(), policy, any::<bool>()).prop_filter_map(
        "a tree needs 2, 4, 8 ... ways",
        |(sets, ways, second, third, policy, three)| {
            let last_ways = if three { ways.2 } else { ways.1 };
            if policy == "plru" && !last_ways.is_power_of_two() {
                return None;
            }
            let level = |level: u8, sets: usize, ways: usize, inclusion: &str, policy: &str| {
                let size = 64 * sets * ways;
                format!(
                    "[[cache]]\nlevel = {level}\nsize = {size}\nline = 64\nways = {ways}\n\
                     inclusion = \"{inclusion}\"\nreplacement = \"{policy}\"\n"
                )
            };
            let [two, all] = [sets.0 * sets.1, sets.0 * sets.1 * sets.2];
            let mut text = format!("name = \"test\"\n{}", level(1, sets.0, ways.0, "neither", "lru"));
            text += &level(2, two, ways.1, second, if three { "lru" } else { policy });
            if three {
                text += &level(3, all, ways.2, third, policy);
            }
            Machine::from_toml(&text, "test").ok()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn columns_are_counted_as_if_walked(
        machine in machine_of_columns(),
        nests in prop::collection::vec(nest(), 1..4),
    ) {
        let held = |level: &level::Level| level.lines.all().into_owned();
        let [short, walked] = both_ways(&machine, ROOM, &nests, |hierarchy| {
            hierarchy.levels.iter().map(held).collect::<Vec<_>>()
        });
        prop_assert_eq!(short, walked);
    }
}

/// A column that an exclusive last level hardly has room for, gone down again and again as by a
/// product, and that machine.
fn column_of_victims() -> impl Strategy<Value = (Machine, Vec<Nest>)> {
    let pick = |from: &[usize]| prop::sample::select(from.to_vec());
    let sets = (pick(&[8, 16]), pick(&[1, 2, 8]), pick(&[4, 8, 16]));
    let ways = (pick(&[2, 4, 8]), pick(&[2, 4, 8]), pick(&[8, 12, 16, 16]));
    let second = prop::sample::select(vec!["neither", "inclusive"]);
    let column = (pick(&[1024, 1536, 2048, 4096]), 0usize..3, 0usize..16, pick(&[0, 0, 64, 128]));
    let others = (pick(&[0, 2, 8]), pick(&[0, 2, 8, 64]), pick(&[0, 64, 512, 4096]), any::<[bool; 4]>());
    let all = (sets, ways, second, column, others, 6usize..40);
    all.prop_filter_map("a level includes no larger one", |(sets, ways, second, column, others, runs)| {
        let [two, all] = [sets.0 * sets.1, sets.0 * sets.1 * sets.2];
        let level = |level: u8, sets: usize, ways: usize, inclusion: &str| {
            let size = 64 * sets * ways;
            format!(
                "[[cache]]\nlevel = {level}\nsize = {size}\nline = 64\nways = {ways}\n\
                 inclusion = \"{inclusion}\"\n"
            )
        };
        let first = level(1, sets.0, ways.0, "neither");
        let levels = [first, level(2, two, ways.1, second), level(3, all, ways.2, "exclusive")];
        let machine = Machine::from_toml(&format!("name = \"test\"\n{}", levels.concat()), "test").ok()?;
        let (stride, fewer, more, from) = column;
        let lines = stride / 64;
        let period = (1..=all).find(|times| (times * lines).is_multiple_of(all)).unwrap_or(all);
        let steps = (period * (ways.2 - fewer) + more).clamp(32, ROOM / stride - 2);
        let (a, c, near, [is_row, is_sum, moves, is_stored]) = others;
        let stream = |array: usize, near: usize, step: usize, run: usize, store| Stream {
            start: (array * ROOM + near) as isize,
            step: step as isize,
            run: run as isize,
            store,
            wide: false,
        };
        let row = stream(1, near, a, 0, false);
        let sum = |store| stream(2, near + from, 0, c, store);
        let streams = [
            is_row.then_some(row),
            Some(stream(0, from, stride, if moves { 8 } else { 0 }, false)),
            is_sum.then_some(sum(false)),
            is_sum.then_some(sum(true)),
        ];
        let streams = streams.into_iter().flatten().collect();
        let lead_in = if is_sum { Vec::new() } else { vec![sum(true)] };
        let stores = Nest {
            runs: usize::from(is_stored),
            steps: steps.min(more + 1),
            lead_in: Vec::new(),
            streams: vec![stream(0, from, stride, 0, true)],
        };
        Some((machine, vec![stores, Nest { runs, steps, lead_in, streams }]))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn columns_of_victims_are_counted_as_if_walked((machine, nests) in column_of_victims()) {
        let held = |level: &level::Level| level.lines.all().into_owned();
        let [short, walked] = both_ways(&machine, ROOM, &nests, |hierarchy| {
            hierarchy.levels.iter().map(held).collect::<Vec<_>>()
        });
        prop_assert_eq!(short, walked);
    }
}

/// A product's inner loop: a row, a column, and one element.
#[test]
fn most_steps_down_a_column_are_not_walked() {
    let first = "name = \"test\"\n[[cache]]\nlevel = 1\nsize = 32768\nline = 64\nways = 8\n";
    let second = "[[cache]]\nlevel = 2\nsize = 131072\nline = 64\nways = 8\ninclusion = \"inclusive\"\n";
    let third = "[[cache]]\nlevel = 3\nsize = \"1M\"\nline = 64\nways = 16\n";
    for inclusion in ["neither", "inclusive", "exclusive"] {
        let text = format!("{first}{second}{third}inclusion = \"{inclusion}\"\n");
        let machine = Machine::from_toml(&text, "test").unwrap();
        let arena = Arena::with_capacity(3 * ROOM).unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| arena.array::<u8>(name, ROOM).unwrap());
        let mut model = Modelled::new(&machine, &arena).unwrap();
        model.runs.columns.in_vain = 1;
        let mem = &mut model;
        for j in 0..3 {
            let n = 256;
            steps!(mem; for k in 0..n {
                mem.load(a.at(8 * k));
                mem.load(b.at(4096 * k + 64 * j));
                mem.store(c.at(0), 1);
            });
        }
        assert_eq!(model.runs.columns.in_vain, 0, "{inclusion}");
    }
}
