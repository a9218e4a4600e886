//! Columns of pages, against every access simulated.

use super::stride_runs::{Nest, Stream, both_ways};
use super::*;
use crate::tag::Tag;

const ROOM: usize = 1 << 19;

/// A few columns that advance alike, which a step comes to in any order, and again; seldom
/// with one that does not.
fn nest() -> impl Strategy<Value = Nest> {
    let near = prop::sample::select(vec![0isize, 512, 1024, 8192, 12288]);
    let columns = prop::collection::vec((0isize..3, near), 4);
    let within = prop::sample::select(vec![0isize, 0, 8, 504]);
    let order = prop::collection::vec((0usize..4, within, any::<bool>()), 1..6);
    let step = prop::sample::select(vec![512isize, 1024, 1536, 2048]);
    let other = prop::sample::select(vec![0isize, 0, 0, 0, 0, 0, 0, 8]);
    let run = prop::sample::select(vec![0isize, 0, 8, 512, 1024]);
    let lead_in = prop::collection::vec((0isize..3, 0isize..64), 0..2);
    (1usize..8, 60usize..200, columns, order, lead_in, (step, other, run)).prop_map(
        |(runs, steps, columns, order, lead_in, (step, other, run))| {
            let single = |(array, page): (isize, isize)| Stream {
                start: array * ROOM as isize + 1536 * page,
                step: 0,
                run,
                store: false,
                wide: false,
            };
            let stream = |(at, (column, within, store)): (isize, (usize, isize, bool))| {
                let (array, near) = columns[column];
                let start = array * ROOM as isize + near + within;
                Stream { start, step: step + at * other, run, store, wide: false }
            };
            let streams: Vec<Stream> = (0..).zip(order).map(stream).collect();
            Nest { runs, steps, lead_in: lead_in.into_iter().map(single).collect(), streams }
        },
    )
}

/// One level, two, or three, more than are told from.
pub(super) fn tlbs() -> impl Strategy<Value = Vec<Tlb>> {
    let pick = |from: &[usize]| prop::sample::select(from.to_vec());
    let first = (pick(&[1, 1, 2, 3, 8]), pick(&[1, 2, 3, 4, 8, 40]));
    let second = (pick(&[1, 4, 6, 8, 16]), pick(&[2, 4, 8, 16]));
    let third = (pick(&[2, 8]), pick(&[8, 16]));
    let levels = prop::sample::select(vec![1, 2, 2, 2, 3]);
    (first, second, third, levels).prop_map(|(first, second, third, levels)| {
        let tlb = |(level, (sets, ways))| Tlb { level, entries: sets * ways, ways, penalty: None };
        [(1, first), (2, second), (3, third)].map(tlb)[..levels].to_vec()
    })
}

/// What such TLBs, of pages of 512 bytes, count and hold: by the short cuts, and with every access
/// simulated.
pub(super) fn translated(tlbs: Vec<Tlb>, room: usize, nests: &[Nest]) -> [(Counts, Vec<Vec<Tag>>); 2] {
    let text = "name = \"test\"\n[[cache]]\nlevel = 1\nsize = 1024\nline = 64\nways = 4\n";
    let mut machine = Machine::from_toml(text, "test").unwrap();
    (machine.page_size, machine.tlbs) = (Bytes(512), tlbs);
    let held = |tlb: &tlb::Translations| tlb.pages.all().into_owned();
    both_ways(&machine, room, nests, |hierarchy| hierarchy.tlbs.levels.iter().map(held).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn pages_are_counted_as_if_looked_up(tlbs in tlbs(), nests in prop::collection::vec(nest(), 1..4)) {
        let [short, walked] = translated(tlbs, ROOM, &nests);
        prop_assert_eq!(short, walked);
    }
}
