//! Checks kernels that compute one matrix from another: the transposition and the stencil.

use cache::{Counts, Modelled};
use memory::{Arena, Matrix};

use super::{Checked, ROWS, Wrong, counted, misses, misses_of, small};

/// A kernel that writes its second matrix from its first.
pub type Kernel = fn(&mut Modelled, Matrix<f64>, Matrix<f64>);

/// The right value of an element of the result, from its position and the matrix.
type Element = fn(Matrix<f64>, usize, usize) -> f64;

/// A side that is not a multiple of any block.
const ODD: usize = 37;
/// The initial value of the result's elements.
const UNTOUCHED: f64 = -1.0;

const INSIDE: &str =
    "An index left the matrix. Which rows and columns does the last iteration of each loop reach?";

/// Checks a transposition by blocks: the right elements, each loaded and stored once, and
/// at most 1.4 times the unavoidable misses (each line of both matrices once).
///
/// # Errors
///
/// If it fails one of these.
pub fn transpose(kernel: Kernel) -> Checked {
    let right: Element = |from, i, j| from.at(j, i).get();
    run(ODD, kernel, right, EDGES)?;
    let counts = run(ROWS, kernel, right, EDGES)?;
    let elements = (ROWS * ROWS) as u64;
    if counts.loads != elements || counts.stores != elements {
        return Err(Wrong::new(
            format!("{} loads and {} stores for {elements} elements", counts.loads, counts.stores),
            "Load and store each element once: do two squares overlap?",
        ));
    }
    let (missed, most) = (misses(&counts), elements / 8 * 2 * 14 / 10);
    let of = |name| misses_of(&counts, name);
    let found = format!(
        "{missed} misses ({} of from, {} of to) in {} accesses of N = {ROWS}; each line once would be {}",
        of("from"),
        of("to"),
        2 * elements,
        elements / 4
    );
    if missed <= most {
        return Ok(vec![found]);
    }
    let hint = if of("to") > elements / 2 {
        "Nearly every store misses: a column of `to` has 200 lines and the cache 128. Go through squares small enough that their lines of `to` are still there for the next row."
    } else if of("from") > elements / 2 {
        "Now nearly every load misses: exchanging the loops moves the column from `to` to `from`. Only squares help both."
    } else {
        "The squares are too large, or too small: B rows of B elements are B times B / 8 lines of each matrix, and 128 lines fit. With B below 8, a line is fetched and only a part of it used."
    };
    Err(Wrong::new(format!("{found}; at most {most} are allowed"), hint))
}

const EDGES: &str = "37 is no multiple of your square: where does the last square of each row end?";

/// Checks the four-point stencil: the right means, one store and at most four loads per
/// element, and at most 1.4 times the unavoidable misses.
///
/// # Errors
///
/// If it fails one of these.
pub fn smooth(kernel: Kernel) -> Checked {
    let right: Element = |from, i, j| {
        let inner = 1..from.rows() - 1;
        if !(inner.contains(&i) && inner.contains(&j)) {
            return UNTOUCHED;
        }
        let at = |i, j| from.at(i, j).get();
        (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)) / 4.0
    };
    run(ODD, kernel, right, STENCIL_RULE)?;
    let counts = run(ROWS, kernel, right, STENCIL_RULE)?;
    let inner = ((ROWS - 2) * (ROWS - 2)) as u64;
    if counts.stores > inner || counts.loads > 4 * inner {
        return Err(Wrong::new(
            format!("{} loads and {} stores for {inner} inner elements", counts.loads, counts.stores),
            "Each element takes four loads and one store: the element in the middle is not part of its mean.",
        ));
    }
    let lines = (ROWS * ROWS / 4) as u64;
    let (missed, most) = (misses(&counts), lines * 14 / 10);
    let found = format!(
        "{missed} misses in {} accesses; each line once would be {lines}",
        counts.loads + counts.stores
    );
    if missed <= most {
        return Ok(vec![found]);
    }
    Err(Wrong::new(
        format!("{found}; at most {most} are allowed"),
        "Which loop is the inner one? Adjacent elements of a row share a line, those of a column do not.",
    ))
}

const STENCIL_RULE: &str = "Only `from` is read, only inner elements of `to` are written: rows and columns 1 to n - 2, each the mean of the four adjacent elements.";

/// Runs the kernel on matrices of `n` rows and compares every element with `right`.
fn run(n: usize, kernel: Kernel, right: Element, hint: &'static str) -> Result<Counts, Wrong> {
    let arena = Arena::with_capacity(2 * 8 * n * n).map_err(Wrong::unmade)?;
    let [from, to] = ["from", "to"].map(|name| arena.matrix::<f64>(name, n, n));
    let (from, to) = (from.map_err(Wrong::unmade)?, to.map_err(Wrong::unmade)?);
    // Whole numbers, so that sums of four are exact.
    let number = |i: usize, j: usize| ((i * n + j) * 7919 % 10007) as f64;
    from.fill(number);
    to.fill(|_, _| UNTOUCHED);
    let counts = counted(&small().map_err(Wrong::unmade)?, &arena, INSIDE, |mem| kernel(mem, from, to))?;
    let places = || (0..n * n).map(|at| (at / n, at % n));
    if let Some((i, j)) = places().find(|&(i, j)| from.at(i, j).get() != number(i, j)) {
        return Err(Wrong::new(format!("from[{i}][{j}] was changed"), "Results go into `to`."));
    }
    let wrong = |&(i, j): &(usize, usize)| to.at(i, j).get() != right(from, i, j);
    let Some((i, j)) = places().find(wrong) else { return Ok(counts) };
    let all = places().filter(|place| to.at(place.0, place.1).get() == UNTOUCHED && wrong(place)).count();
    if all == places().filter(wrong).count() && counts.stores == 0 {
        return Err(Wrong::new("nothing was stored", "Begin with the two loops over i and j."));
    }
    let (is, shall) = (to.at(i, j).get(), right(from, i, j));
    let is = if is == UNTOUCHED { "was never written".to_owned() } else { format!("is {is}") };
    let shall = if shall == UNTOUCHED { "must not change".to_owned() } else { format!("must be {shall}") };
    Err(Wrong::new(format!("N = {n}: to[{i}][{j}] {is}, and {shall}"), hint))
}
