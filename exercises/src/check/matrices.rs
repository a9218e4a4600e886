//! Checks of functions on matrices: the sum, the transposition and the stencil.

use machine::Machine;

use super::{Checked, ODD, Passed, ROWS, Wrong, at_least, at_most, cache_of, counted, small};
use crate::program::{Counts, Data, Program};

/// The right value of an element of the result, from its position and the matrix.
type Element = fn(&Data, usize, usize) -> f64;

/// The initial value of the result's elements.
const UNTOUCHED: f64 = -1.0;

const INSIDE: &str =
    "An index left the matrix. Which rows and columns does the last iteration of each loop reach?";

/// Checks a sum: each element loaded once, each line fetched once.
pub(crate) fn rows(program: &mut Program) -> Checked {
    let (value, mut last) = (program.values(), Counts::default());
    for (rows, cols) in [(ODD, 11), (ROWS, ROWS)] {
        let mut arrays = [Data::new("x", rows, cols, |i, j| value(i * cols + j))];
        let right: f64 = (0..rows * cols).map(|at| arrays[0].at(at / cols, at % cols)).sum();
        let (sum, counts) = counted(program, &small()?, &mut arrays, &[], rows * cols)
            .map_err(|wrong| wrong.or_hint(INSIDE))?;
        let sum = f64::from_bits(sum);
        if sum != right {
            return Err(Wrong::new(
                format!("a matrix of {rows} rows and {cols} columns: the sum is {sum}, and must be {right}"),
                "All elements of all rows: i counts rows(), j counts cols().",
            ));
        }
        at_least(&counts, rows * cols, 0)?;
        at_most(&counts, rows * cols, 0, "Load each element once, and hold the sum in a variable.")?;
        last = counts;
    }
    let (missed, lines) = (last.misses, ROWS * ROWS / 8);
    let found = format!("{missed} misses in {} loads; each line once would be {lines}", last.loads);
    if missed > lines as u64 {
        return Err(Wrong::new(
            found,
            "Which loop is the inner one? Adjacent elements of a row share a line, those of a column do not.",
        ));
    }
    Ok(Passed { facts: vec![found], misses: missed, accesses: last.loads })
}

/// Checks a transposition by blocks: the right elements, each loaded and stored once, and
/// at most 1.4 times the unavoidable misses (each line of both matrices once), on two machines.
pub(crate) fn transpose(program: &mut Program) -> Checked {
    let right: Element = |from, i, j| from.at(j, i);
    let elements = ROWS * ROWS;
    run(program, &small()?, ODD, 2 * ODD * ODD, right, EDGES)?;
    let (mut facts, mut misses, mut accesses) = (Vec::new(), 0, 0);
    for (size, line) in [(8 << 10, 64), (16 << 10, 128)] {
        let machine = cache_of(size, line, 4).map_err(Wrong::unmade)?;
        let counts = run(program, &machine, ROWS, 2 * elements, right, EDGES)?;
        at_least(&counts, elements, elements)?;
        at_most(&counts, elements, elements, "Load and store each element once: do two squares overlap?")?;
        if counts.held > HELD {
            return Err(Wrong::new(
                format!(
                    "{} elements were loaded before they were stored; at most {HELD} may be",
                    counts.held
                ),
                "A copy in an array of your own costs misses too, which are not counted here. Go through squares, and store each element soon after its load.",
            ));
        }
        let lines = elements * 8 / line;
        let (missed, most) = (counts.misses, lines as u64 * 2 * 14 / 10);
        let [from, to] = [0, 1].map(|array| counts.by_array.get(array).copied().unwrap_or_default() as usize);
        let found = format!(
            "lines of {line} bytes: {missed} misses ({from} of from, {to} of to) in {} accesses of N = {ROWS}; each line once would be {}",
            2 * elements,
            2 * lines
        );
        if missed > most {
            let hint = if to > elements / 2 {
                "Nearly every store misses: a column of `to` has 208 lines and the cache 128. Go through squares small enough that their lines of `to` are still there for the next row."
            } else if from > elements / 2 {
                "Now nearly every load misses: exchanging the loops moves the column from `to` to `from`. Only squares help both."
            } else if line == 128 && !facts.is_empty() {
                "Good on the first machine. On this one a line holds 16 elements: a square with rows of 8 uses half of each line that it fetches."
            } else {
                "The squares are too large, or too small: B rows of B elements are B times B / 8 lines of each matrix, and 128 lines fit. With B below 8, a line is fetched and only a part of it used."
            };
            return Err(Wrong::new(format!("{found}; at most {most} are allowed"), hint));
        }
        facts.push(found);
        (misses, accesses) = (misses + missed, accesses + counts.loads + counts.stores);
    }
    Ok(Passed { facts, misses, accesses })
}

/// Elements that a transposition may hold outside of both matrices: the larger cache's square of
/// 16 by 16, twice.
const HELD: u64 = 512;

const EDGES: &str = "37 is no multiple of your square: where does the last square of each row end?";

/// Checks the four-point stencil: the right means, one store and at most four loads per
/// element, and at most 1.4 times the unavoidable misses.
pub(crate) fn stencil(program: &mut Program) -> Checked {
    let right: Element = |from, i, j| {
        let inner = 1..from.rows - 1;
        if !(inner.contains(&i) && inner.contains(&j)) {
            return UNTOUCHED;
        }
        (from.at(i - 1, j) + from.at(i + 1, j) + from.at(i, j - 1) + from.at(i, j + 1)) / 4.0
    };
    run(program, &small()?, ODD, 5 * ODD * ODD, right, STENCIL_RULE)?;
    let counts = run(program, &small()?, ROWS, 5 * ROWS * ROWS, right, STENCIL_RULE)?;
    let inner = (ROWS - 2) * (ROWS - 2);
    // Each element of `from` but the corners is needed.
    at_least(&counts, ROWS * ROWS - 4, inner)?;
    let hint =
        "Each element takes four loads and one store: the element in the middle is not part of its mean.";
    at_most(&counts, 4 * inner, inner, hint)?;
    let lines = (ROWS * ROWS / 4) as u64;
    let (missed, most) = (counts.misses, lines * 14 / 10);
    let accesses = counts.loads + counts.stores;
    let found = format!("{missed} misses in {accesses} accesses; each line once would be {lines}");
    if missed <= most {
        return Ok(Passed { facts: vec![found], misses: missed, accesses });
    }
    Err(Wrong::new(
        format!("{found}; at most {most} are allowed"),
        "Which loop is the inner one? Adjacent elements of a row share a line, those of a column do not.",
    ))
}

const STENCIL_RULE: &str = "Only `from` is read, only inner elements of `to` are written: rows and columns 1 to n - 2, each the mean of the four adjacent elements.";

/// Runs the function on matrices of `n` rows and compares every element with `right`.
fn run(
    program: &mut Program,
    machine: &Machine,
    n: usize,
    solution: usize,
    right: Element,
    hint: &'static str,
) -> Result<Counts, Wrong> {
    let value = program.values();
    let from = Data::new("from", n, n, |i, j| value(i * n + j));
    let mut arrays = [from, Data::new("to", n, n, |_, _| UNTOUCHED)];
    let (_, counts) =
        counted(program, machine, &mut arrays, &[], solution).map_err(|wrong| wrong.or_hint(INSIDE))?;
    let [from, to] = &arrays;
    let places = || (0..n * n).map(|at| (at / n, at % n));
    if let Some((i, j)) = places().find(|&(i, j)| from.at(i, j) != value(i * n + j)) {
        return Err(Wrong::new(format!("from[{i}][{j}] was changed"), "Results go into `to`."));
    }
    let wrong = |&(i, j): &(usize, usize)| to.at(i, j) != right(from, i, j);
    let Some((i, j)) = places().find(wrong) else { return Ok(counts) };
    if counts.stores == 0 {
        return Err(Wrong::new("nothing was stored", "Begin with the two loops over i and j."));
    }
    let (is, must) = (to.at(i, j), right(from, i, j));
    let is = if is == UNTOUCHED { "was never written".to_owned() } else { format!("is {is}") };
    let must = if must == UNTOUCHED { "must not change".to_owned() } else { format!("must be {must}") };
    Err(Wrong::new(format!("N = {n}: to[{i}][{j}] {is}, and {must}"), hint))
}
