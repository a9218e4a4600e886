//! Checks of functions on arrays: the tail of ge4, two loops in one, the ways of a cache.

use super::{Checked, Passed, Wrong, at_least, at_most, cache_of, counted, small};
use crate::program::{Call, Data, Program};

/// Columns of the row whose changes are counted.
const COLUMNS: usize = 43;
/// Rows of the eliminated matrix; not a multiple of 8.
const MATRIX: usize = 28;

/// Checks that each column is changed once, then a whole elimination, bit for bit.
pub(crate) fn tail(program: &mut Program) -> Checked {
    let (mut misses, mut accesses) = (0, 0);
    for first in [20, 0, 3] {
        let counts = columns(program, first)?;
        (misses, accesses) = (misses + counts.misses, accesses + counts.loads + counts.stores);
    }
    eliminated(program)?;
    let facts = vec![
        "every column of the row is changed once".to_owned(),
        format!("an elimination of {MATRIX} rows has the right result, bit for bit"),
    ];
    Ok(Passed { facts, misses, accesses })
}

const PAST: &str =
    "A block of eight went past the last column. How many columns must be left for a whole block?";

/// For a row of 43 columns, updated from `first` on: how often each was changed.
fn columns(program: &mut Program, first: usize) -> Result<crate::program::Counts, Wrong> {
    let start = |j: usize| 1000.0 + j as f64;
    let mut rows =
        [Data::new("target", 1, COLUMNS, |_, j| start(j)), Data::new("source", 1, COLUMNS, |_, _| 1.0)];
    let left = COLUMNS - first;
    let integers = [1.0_f64.to_bits(), first as u64];
    let (_, counts) =
        counted(program, &small()?, &mut rows, &integers, 3 * left).map_err(|wrong| wrong.or_hint(PAST))?;
    let times = |j: &usize| start(*j) - rows[0].at(0, *j);
    let found =
        |j: usize, what: &str| format!("a row of {COLUMNS} columns, from column {first}: column {j} {what}");
    if let Some(j) = (0..first).find(|j| times(j) != 0.0) {
        return Err(Wrong::new(found(j, "was changed"), "The loop begins at `first`."));
    }
    let not_once = (first..COLUMNS).filter(|j| times(j) != 1.0).count();
    let Some(j) = (first..COLUMNS).find(|j| times(j) != 1.0) else {
        at_least(&counts, 2 * left, left)?;
        let hint = "Each column takes two loads and one store.";
        return at_most(&counts, 2 * left, left, hint).map(|()| counts);
    };
    let what = match times(&j) {
        0.0 => "was never changed",
        2.0 => "was changed twice",
        _ => "was not changed by 1.0 times the source",
    };
    let hint = if (j..COLUMNS).all(|j| times(&j) == 0.0) {
        "The blocks end before the row does: the columns after the last whole block need their own loop."
    } else if not_once == left {
        "Each column is wrong, so the step is: the new target is the old one minus source times the multiplier."
    } else if times(&j) == 0.0 {
        "What is j after a block, and in the next iteration? It is increased twice."
    } else {
        "Does the tail begin where the last block ended?"
    };
    Err(Wrong::new(format!("{}; {not_once} of {left} columns are wrong", found(j, what)), hint))
}

/// Compares an elimination by the function with one by a plain loop.
fn eliminated(program: &mut Program) -> Result<(), Wrong> {
    let value = program.values();
    let mut a: Vec<Data> =
        (0..MATRIX).map(|i| Data::new("row", 1, MATRIX, |_, j| 1.0 + value(i * MATRIX + j))).collect();
    for k in 0..MATRIX {
        for i in k + 1..MATRIX {
            let m = a[i].at(0, k) / a[k].at(0, k);
            let mut rows = [a[i].clone(), a[k].clone()];
            let integers = [m.to_bits(), k as u64 + 1];
            let solution = 3 * (MATRIX - k) as u64;
            program
                .call(Call { machine: None, arrays: &mut rows, integers: &integers, solution })
                .map_err(|wrong| wrong.or_hint(PAST))?;
            for j in 0..MATRIX {
                let old = a[i].at(0, j);
                let right = if j > k { old - a[k].at(0, j) * m } else { old };
                if rows[0].at(0, j).to_bits() != right.to_bits() {
                    return Err(Wrong::new(
                        format!(
                            "each column is changed once, but an elimination has {:.6e} in row {i}, column {j} after step {k}, and {right:.6e} is right",
                            rows[0].at(0, j)
                        ),
                        "One multiplication, one subtraction: subtract source[j] times the multiplier from target[j].",
                    ));
                }
            }
            let [row, _] = rows;
            a[i] = row;
        }
    }
    Ok(())
}

/// Elements of each array: four times the cache.
const LONG: usize = 4000;

/// Checks a fused loop: the right elements, one load and two stores for each, each line once.
pub(crate) fn fuse(program: &mut Program) -> Checked {
    let value = program.values();
    let array = |name| Data::new(name, 1, LONG, move |_, j| if name == "a" { value(j) } else { -1.0 });
    let mut arrays = ["a", "b", "c"].map(array);
    let (_, counts) = counted(program, &small()?, &mut arrays, &[], 3 * LONG)
        .map_err(|wrong| wrong.or_hint("Which elements does the last iteration use?"))?;
    for (array, name, factor) in [(0, 'a', 1.0), (1, 'b', 2.0), (2, 'c', 3.0)] {
        if let Some(j) = (0..LONG).find(|j| arrays[array].at(0, *j) != factor * value(*j)) {
            return Err(Wrong::new(
                format!("{name}[{j}] is {}, and must be {}", arrays[array].at(0, j), factor * value(j)),
                "b[i] is twice a[i], c[i] the sum of both; a does not change.",
            ));
        }
    }
    at_least(&counts, LONG, 2 * LONG)?;
    at_most(
        &counts,
        LONG,
        2 * LONG,
        "Hold a[i] and b[i] in variables, and do both in one loop. In C, a[i] is loaded again after a store to b[i], as both might be one place.",
    )?;
    let (lines, misses) = (3 * LONG / 8, counts.misses);
    let found = format!("{misses} misses in {} accesses; each line once would be {lines}", 3 * LONG);
    if misses > lines as u64 * 105 / 100 {
        return Err(Wrong::new(found, "Each line is fetched more than once: do both in one loop, in order."));
    }
    Ok(Passed { facts: vec![found], misses, accesses: counts.loads + counts.stores })
}

/// Ways of the caches; the first one is the first checked.
const CACHES: [usize; 8] = [4, 8, 3, 12, 2, 16, 6, 10];

/// Checks that the function finds the ways of [`CACHES`], in an order of this check.
pub(crate) fn ways(program: &mut Program) -> Checked {
    let (mut misses, mut accesses) = (0, 0);
    let others = program.shuffled(CACHES[1..].to_vec());
    for ways in CACHES[..1].iter().copied().chain(others) {
        let machine = cache_of(ways << 12, 64, ways).map_err(Wrong::unmade)?;
        let mut arrays = [Data::new("x", 1, 32 * 512, |_, _| 0.0)];
        let (found, counts) = counted(program, &machine, &mut arrays, &[], 2000)
            .map_err(|wrong| wrong.or_hint("The array has 32 x 512 elements: which one was the last?"))?;
        if found != ways as u64 {
            let text = format!(
                "{found} for a cache of {ways} ways, after {} loads and {} misses",
                counts.loads, counts.misses
            );
            return Err(Wrong::new(
                text,
                if counts.loads < 2 * ways as u64 || counts.misses < ways as u64 {
                    "A set must be filled with as many lines as there are ways, and one more. Load k elements, 512 apart, in two rounds, for k = 1, 2, 3 ..."
                } else if found == ways as u64 + 1 {
                    "k elements miss in the second round: so k are one too many."
                } else if found < ways as u64 {
                    "Try each k, 1, 2, 3 ...: the ways need not be a power of two. Count the misses of the second round alone."
                } else {
                    "Count the misses of the second round alone: call misses() before and after it. The first round misses in any case."
                },
            ));
        }
        if counts.misses < ways as u64 {
            return Err(Wrong::new(
                format!("{found} ways, from {} misses", counts.misses),
                "Find the ways by loads: it takes at least as many misses as ways.",
            ));
        }
        (misses, accesses) = (misses + counts.misses, accesses + counts.loads + counts.stores);
    }
    Ok(Passed {
        facts: vec![format!("{} caches have the right ways, by {accesses} loads", CACHES.len())],
        misses,
        accesses,
    })
}
