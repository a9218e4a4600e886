//! Checks the row update of ge4, in blocks of eight with a tail.

use cache::Modelled;
use ge::problem::matrices::{Fill, check};
use memory::{Arena, Array, Matrix};

use super::{Checked, Wrong, counted, small};

/// A kernel that subtracts a multiple of the second row from the first one.
pub type Kernel = fn(&mut Modelled, Array<f64>, Array<f64>, f64, usize);

/// Rows of the homework's smallest matrix with a known Check; not a multiple of 8.
const ROWS: usize = 100;
/// The homework's Check for it, bit for bit.
const CHECK: f64 = 3_025_813_991_950.493;

/// Checks that each column is changed once, then a whole elimination by its Check.
///
/// # Errors
///
/// If a column is skipped or changed twice, or Check is different.
pub fn subtract(kernel: Kernel) -> Checked {
    for first in [20, 0, 3] {
        columns(kernel, first)?;
    }
    let found = eliminated(kernel)?;
    if found != CHECK {
        return Err(Wrong::new(
            format!("each column is changed once, but Check is {found:.6e} and the homework's {CHECK:.6e}"),
            "One multiplication, one subtraction: subtract source[j] times the multiplier from target[j].",
        ));
    }
    Ok(vec![
        "every column of the row is changed once".to_owned(),
        format!("N = {ROWS}: Check: {CHECK:.6e}, the homework's"),
    ])
}

/// For a row of 43 columns, updated from `first` on: how often each was changed.
fn columns(kernel: Kernel, first: usize) -> Result<(), Wrong> {
    const COLUMNS: usize = 43;
    let arena = Arena::with_capacity(2 * 8 * COLUMNS).map_err(Wrong::unmade)?;
    let [target, source] = ["target", "source"].map(|name| arena.array::<f64>(name, COLUMNS));
    let (target, source) = (target.map_err(Wrong::unmade)?, source.map_err(Wrong::unmade)?);
    target.fill(|j| 1000.0 + j as f64);
    source.fill(|_| 1.0);
    let hint = "A block of eight went past the last column. How many columns must be left for a whole block?";
    counted(&small().map_err(Wrong::unmade)?, &arena, hint, |mem| kernel(mem, target, source, 1.0, first))?;
    let times = |j: &usize| 1000.0 + *j as f64 - target.at(*j).get();
    let found =
        |j: usize, what: &str| format!("a row of {COLUMNS} columns, from column {first}: column {j} {what}");
    if let Some(j) = (0..first).find(|j| times(j) != 0.0) {
        return Err(Wrong::new(found(j, "was changed"), "The loop begins at `first`."));
    }
    let not_once = (first..COLUMNS).filter(|j| times(j) != 1.0).count();
    let Some(j) = (first..COLUMNS).find(|j| times(j) != 1.0) else { return Ok(()) };
    let what = match times(&j) {
        0.0 => "was never changed",
        2.0 => "was changed twice",
        _ => "was not changed by 1.0 times the source",
    };
    let hint = if (j..COLUMNS).all(|j| times(&j) == 0.0) {
        "The blocks end before the row does: the columns after the last whole block need their own loop."
    } else if times(&j) == 0.0 {
        "What is j after a block, and in the next iteration? It is increased twice."
    } else {
        "Does the tail begin where the last block ended?"
    };
    Err(Wrong::new(format!("{}; {not_once} of {} columns are wrong", found(j, what), COLUMNS - first), hint))
}

/// Check of the homework's matrix after elimination with the kernel.
fn eliminated(kernel: Kernel) -> Result<f64, Wrong> {
    let arena = Arena::with_capacity(8 * ROWS * ROWS).map_err(Wrong::unmade)?;
    let a: Matrix<f64> = arena.matrix("a", ROWS, ROWS).map_err(Wrong::unmade)?;
    Fill::Rand.write(a);
    let hint = "A block of eight went past the last column.";
    counted(&small().map_err(Wrong::unmade)?, &arena, hint, |mem| {
        for k in 0..ROWS {
            for i in k + 1..ROWS {
                kernel(mem, a.row(i), a.row(k), a.at(i, k).get() / a.at(k, k).get(), k + 1);
            }
        }
    })?;
    Ok(check(a))
}
