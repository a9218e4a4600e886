#![doc = include_str!("../README.md")]

use common::failure::Failure;
use common::measure::Session;
use common::memory::{Matrix, Memory, squares};
use common::product::{self, Options};
use common::record::Record;
use common::{region, steps};

/// `res += mul1 * mul2`, in the textbook's order.
///
/// Inner loop: `mul1` advances by one element, `mul2` by a whole row, `res`
/// stays. Three loads and one store each time. Which of them miss? (`steps!` is
/// that plain loop; it tells the cache model that every step is like the last.)
pub fn multiply<M: Memory>(mem: &mut M, mul1: Matrix<i16>, mul2: Matrix<i16>, res: Matrix<i16>) {
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

/// Measures one product.
///
/// # Errors
///
/// If memory is short or a counter fails.
pub fn measure(session: &Session, options: &Options) -> Result<Record, Failure> {
    let plan = options.plan(session)?;
    let arena = product::arena(options, 3)?;
    let [mul1, mul2, res] = product::operands(&arena, options)?;
    let clear = &mut || res.fill(|_, _| 0);
    let sample = session.measure(&arena, &plan, clear, region!(|mem| multiply(mem, mul1, mul2, res)))?;
    Ok(product::record("mm1", session, options, &plan, &sample, res))
}
