//! Columns told part by part, by class of lines and by set of pages, against every access
//! simulated.

use super::pages::{tlbs, translated};
use super::stride_runs::{Nest, Stream, both_ways};
use super::*;

const ROOM: usize = 1 << 18;
/// From there on, a column goes on in the next array.
const CROSSES: isize = ROOM as isize * 3 / 4;

/// Some columns that seldom come to other lines, which strides do not divide, and what comes
/// before each of them.
fn nest(strides: &'static [isize]) -> impl Strategy<Value = Nest> {
    let pick = |from: &'static [isize]| prop::sample::select(from.to_vec());
    let stride = pick(strides);
    let column =
        (0isize..3, pick(&[0, 8, 64, 512, 4096, CROSSES]), pick(&[0, 0, 0, 8, 8, 24, 64]), any::<bool>());
    let columns = prop::collection::vec((column, pick(strides), prop::bool::weighted(0.1)), 1..4);
    let lead_in =
        prop::collection::vec((0isize..3, 0isize..128, pick(&[0, 8, 64, 192]), any::<bool>()), 0..3);
    let row = (pick(&[0, 2, 8, 24]), prop::option::weighted(0.3, 0usize..3));
    (1usize..30, 30usize..200, lead_in, columns, stride, row).prop_map(
        |(runs, steps, lead_in, columns, stride, (along, row))| {
            let wide = false;
            let single = |(array, at, run, store)| Stream {
                start: array * ROOM as isize + 320 * at,
                step: 0,
                run,
                store,
                wide,
            };
            let stream = |((array, near, run, store), other, differs)| Stream {
                start: array * ROOM as isize + if array == 2 { near % CROSSES } else { near },
                step: if differs { other } else { stride },
                run,
                store,
                wide,
            };
            let mut streams: Vec<Stream> = columns.into_iter().map(stream).collect();
            // A load and a store of the same element, as of a sum.
            if let Some(first) = streams.first().copied().filter(|first| first.store) {
                streams[0].store = false;
                streams.push(first);
            }
            if let Some(place) = row {
                streams.insert(
                    place.min(streams.len()),
                    Stream { start: 2 * ROOM as isize + 56, step: along, ..Stream::default() },
                );
            }
            let longest = streams.iter().map(|stream| stream.step).max().unwrap_or(1);
            let steps = steps.min((ROOM - 8192) / longest as usize);
            Nest { runs, steps, lead_in: lead_in.into_iter().map(single).collect(), streams }
        },
    )
}

/// Levels whose sets fall into classes, of any policy that decides by what a set holds.
fn machine() -> impl Strategy<Value = Machine> {
    let pick = |from: &[usize]| prop::sample::select(from.to_vec());
    let inclusion = || prop::sample::select(vec!["neither", "inclusive", "exclusive"]);
    let policy = || prop::sample::select(vec!["lru", "lru", "fifo", "plru"]);
    let rules = prop::sample::select(vec!["", "", "", "write = \"through\"\n", "allocate = false\n"]);
    let sets = (pick(&[8, 8, 16]), pick(&[1, 2, 3, 8]), pick(&[1, 2, 64]));
    let ways = (pick(&[1, 2, 4, 8]), pick(&[1, 2, 4, 8]), pick(&[2, 4, 8]));
    let policies = (policy(), policy(), rules);
    (sets, ways, (inclusion(), inclusion()), policies, 1u8..4, any::<bool>()).prop_filter_map(
        "a level includes no larger one",
        |(sets, ways, inclusion, (first, last, rules), levels, scattered)| {
            let level = |number: u8, sets: usize, ways: usize, inclusion: &str, policy: &str, rules: &str| {
                let size = 64 * sets * ways;
                format!(
                    "[[cache]]\nlevel = {number}\nsize = {size}\nline = 64\nways = {ways}\n\
                     inclusion = \"{inclusion}\"\nreplacement = \"{policy}\"\n{rules}"
                )
            };
            let [two, three] = [sets.0 * sets.1, sets.0 * sets.1 * sets.2];
            let all = [
                level(1, sets.0, ways.0, "neither", first, rules),
                level(2, two, ways.1, inclusion.0, last, ""),
                level(3, three, ways.2, inclusion.1, last, ""),
            ];
            let text = format!("name = \"test\"\n{}", all[..usize::from(levels)].concat());
            let mut machine = Machine::from_toml(&text, "test").ok()?;
            machine.page_size = Bytes(512);
            if scattered {
                machine.mapping = Mapping::Random { seed: 5 };
            }
            Some(machine)
        },
    )
}

/// Nests one behind the other, and all again, or all but a few steps, with a few single accesses
/// between.
fn nests(strides: &'static [isize]) -> impl Strategy<Value = Vec<Nest>> {
    let nests = prop::collection::vec(nest(strides), 1..3);
    let again = prop::sample::select(vec![None, Some(0), Some(0), Some(9)]);
    (nests, 0usize..3, nest(&[64, 512]), again).prop_map(|(nests, steps, singles, again)| {
        let shorter = |nest: &Nest, by: usize| Nest { steps: nest.steps.saturating_sub(by), ..nest.clone() };
        let again: Vec<Nest> =
            again.iter().flat_map(|by| nests.iter().map(|nest| shorter(nest, *by))).collect();
        nests.into_iter().chain([Nest { steps, ..singles }]).chain(again).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn classes_are_counted_as_if_walked(
        machine in machine(),
        nests in nests(&[64, 96, 192, 320, 448, 704, 720, 1088]),
    ) {
        let held = |level: &level::Level| (level.lines.all().into_owned(), level.other_state());
        let [short, walked] = both_ways(&machine, ROOM, &nests, |hierarchy| {
            hierarchy.levels.iter().map(held).collect::<Vec<_>>()
        });
        prop_assert_eq!(short, walked);
    }

    #[test]
    fn sets_of_pages_are_counted_as_if_looked_up(
        tlbs in tlbs(),
        nests in nests(&[280, 488, 512, 520, 632, 1000, 1032, 1448]),
    ) {
        let [short, walked] = translated(tlbs, ROOM, &nests);
        prop_assert_eq!(short, walked);
    }
}
