#![doc = include_str!("../README.md")]

use common::failure::Failure;
use common::measure::Session;
use common::memory::{Matrix, Memory, squares};
use common::product::{self, Options};
use common::record::Record;
use common::{region, steps};

/// `tmp = mul2` with rows and columns exchanged.
pub fn transpose<M: Memory>(mem: &mut M, mul2: Matrix<i16>, tmp: Matrix<i16>) {
    let (n, [mul2, tmp]) = squares([mul2, tmp]);
    for i in 0..n {
        for j in 0..n {
            let element = mem.load(mul2.at(j, i));
            mem.store(tmp.at(i, j), element);
        }
    }
}

/// `res += mul1 * mul2`, where `tmp` is `mul2` transposed.
///
/// Inner loop: `mul1` and `tmp` both advance by one element. Same loads, same
/// stores as mm1. What has become of the misses?
pub fn multiply<M: Memory>(mem: &mut M, mul1: Matrix<i16>, tmp: Matrix<i16>, res: Matrix<i16>) {
    let (n, [mul1, tmp, res]) = squares([mul1, tmp, res]);
    for i in 0..n {
        for j in 0..n {
            steps!(mem; for k in 0..n {
                let product = mem.load(mul1.at(i, k)).wrapping_mul(mem.load(tmp.at(j, k)));
                let sum = mem.load(res.at(i, j)).wrapping_add(product);
                mem.store(res.at(i, j), sum);
            });
        }
    }
}

/// Measures one product, with the transposition inside the measured region if
/// `time_transpose` says so, before it otherwise.
///
/// # Errors
///
/// If memory is short or a counter fails.
pub fn measure(session: &Session, options: &Options, time_transpose: bool) -> Result<Record, Failure> {
    let plan = options.plan(session)?;
    let arena = product::arena(options, 4)?;
    let [mul1, mul2, res] = product::operands(&arena, options)?;
    let tmp = arena.matrix("tmp", options.size(), options.size()).map_err(Failure::could_not)?;
    let prepare = &mut || {
        res.fill(|_, _| 0);
        // The course's mul2 repeats every 8 rows: read from the first 8, this
        // adds next to nothing to what cachegrind sees of the whole program.
        tmp.fill(|i, j| mul2.at(j % 8, i).get());
    };
    let region = region!(|mem| {
        if time_transpose {
            transpose(mem, mul2, tmp);
        }
        multiply(mem, mul1, tmp, res);
    });
    let sample = session.measure(&arena, &plan, prepare, region)?;
    Ok(product::record("mm2", session, options, &plan, &sample, res).set("time_transpose", time_transpose))
}
