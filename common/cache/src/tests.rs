//! What no random machine covers: a description that is wrong, and the two kinds of sets
//! compared with each other.

use figures::units::Bytes;
use machine::{Machine, Replacement};
use memory::{Arena, Memory, steps};
use proptest::prelude::*;

use crate::journal::Moves;
use crate::promoted::Promoted;
use crate::sets::{Layout, Sets};
use crate::tag::tag_of;
use crate::{Counts, Modelled};

/// Debug builds run some iterations that are described already, and detect one that differs
/// before any is skipped.
#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "iteration 3 of a loop in steps!"))]
fn an_iteration_that_differs_from_its_description_is_detected() {
    let machine = Machine::named("zen3").unwrap();
    let arena = Arena::with_capacity(1024).unwrap();
    let x = arena.array::<f64>("x", 64).unwrap();
    let mut model = Modelled::new(&machine, &arena).unwrap();
    let mem = &mut model;
    steps!(mem; for i in 0..8 {
        mem.load(x.at(if i == 3 { 60 } else { i }));
    });
}

/// A product on a machine whose last TLB is too small for a column.
fn product(budget: Option<u64>) -> Counts {
    let mut machine = Machine::named("i5-7500").unwrap();
    (machine.tlbs[1].entries, machine.page_size) = (96, Bytes(512));
    let (n, arena) = (120, Arena::with_capacity(1 << 20).unwrap());
    let [a, b, c] = ["a", "b", "c"].map(|name| arena.array::<f64>(name, n * n).unwrap());
    let mut model = Modelled::of_arrays_alone(&machine, &arena, &[]).unwrap().without_numbers();
    model.walker.budget = budget;
    let mem = &mut model;
    steps!(mem; for i in 0..n {
        steps!(mem; for j in 0..n {
            steps!(mem; for k in 0..n {
                mem.load(a.at(i * n + k));
                mem.load(b.at(k * n + j));
            });
            mem.store(c.at(i * n + j), 0.0);
        });
    });
    model.counts()
}

#[test]
fn samples_of_a_product_estimate_its_counts() {
    let (exact, estimated) = (product(None), product(Some(0)));
    assert!(exact.estimate.is_none() && exact.walks > 100_000, "{exact:?}");
    let estimate = estimated.estimate.as_ref().unwrap();
    assert_eq!((estimate.walked, estimate.iterations), (10, 120));
    assert_eq!((estimated.loads, estimated.stores), (exact.loads, exact.stores));
    for (level, most) in [(0, 0.01), (1, 0.05)] {
        let [is, was] = [&estimated, &exact].map(|counts| counts.levels[level].misses.total() as f64);
        assert!((is - was).abs() < most * was, "L{}: {is} instead of {was}", level + 1);
    }
    let misses = |counts: &Counts| counts.levels[0].misses.total();
    let (is, was) = (misses(&estimated) as f64, misses(&exact) as f64);
    assert!((is - was).abs() <= estimate.half_width(misses).max(0.001 * was), "{is} {was}");
}

proptest! {
    /// Touching the most recent line of a set again changes nothing, with any policy:
    /// every later access has the same result.
    #[test]
    fn touching_the_most_recent_line_changes_nothing(
        which in 0usize..5,
        uses in prop::collection::vec((0u64..24, 1usize..4), 0..300),
    ) {
        let (replacement, ways) = [
            (Replacement::Lru, 3),
            (Replacement::Lru, 60),
            (Replacement::Fifo, 3),
            (Replacement::Plru, 4),
            (Replacement::Random, 3),
        ][which];
        let layout = Layout { sets: 2, ways, shift: 6, resident: false };
        let [mut once, mut again] = [0, 1].map(|_| Sets::new(replacement, layout));
        for (line, times) in uses {
            let (set, key) = ((line % 2) as usize, tag_of(line));
            let touched = once.touch(set, key, 0);
            prop_assert_eq!(again.touch(set, key, 0), touched);
            for _ in 1..times {
                prop_assert!(again.touch(set, key, 0).is_none());
            }
            prop_assert!(once.content(set).eq(again.content(set)));
        }
    }

    /// Sets recur if and only if those that were accessed have their old content, also in
    /// nested windows.
    #[test]
    fn a_window_recurs_if_its_sets_are_as_they_were(uses in prop::collection::vec((0u8..8, 0u64..12), 0..120)) {
        let layout = Layout { sets: 3, ways: 2, shift: 6, resident: false };
        let mut sets = Sets::new(Replacement::Lru, layout);
        let all = |sets: &Sets| [0, 1, 2].map(|set| sets.content(set).collect::<Vec<_>>());
        let mut before = Vec::new();
        for (what, line) in uses {
            match what {
                0 => {
                    sets.open_window();
                    before.push(all(&sets));
                }
                1 if !before.is_empty() => {
                    prop_assert_eq!(sets.recurs(&Moves::NONE), before.pop() == Some(all(&sets)));
                    sets.close_window();
                }
                _ => {
                    sets.touch((line % 3) as usize, tag_of(line), 0);
                }
            }
        }
    }
}

/// A line that was dirty at the start of a window and is not at its end, or is another one, is no
/// state that recurs; one that came and went is.
#[test]
fn promoted_lines_recur_only_if_they_are_the_same() {
    let moves = Moves::new(vec![(0..1024, 64)]);
    let after_taking_one_and = |inserted: Option<u64>| {
        let mut lines = Promoted::default();
        lines.insert(2);
        lines.open_window();
        assert!(lines.take(2));
        inserted.into_iter().for_each(|line| lines.insert(line));
        (lines.recurs(&Moves::NONE, 6), lines.recurs(&moves, 6))
    };
    assert_eq!(after_taking_one_and(Some(2)), (true, false));
    assert_eq!(after_taking_one_and(Some(3)), (false, true));
    assert_eq!(after_taking_one_and(None), (false, false));
}
