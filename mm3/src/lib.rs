#![doc = include_str!("../README.md")]

use common::failure::Failure;
use common::measure::Session;
use common::memory::{Matrix, Memory, squares};
use common::product::{self, Options};
use common::record::Record;
use common::units::Bytes;
use common::{region, steps};

/// `res += mul1 * mul2`, in squares of `block` by `block` elements.
///
/// The three outer loops choose the squares, the three inner ones multiply
/// them, in the order i, k, j: a row of `block` elements is one cache line.
pub fn multiply<M: Memory>(
    mem: &mut M,
    mul1: Matrix<i16>,
    mul2: Matrix<i16>,
    res: Matrix<i16>,
    block: usize,
) {
    let (n, [mul1, mul2, res]) = squares([mul1, mul2, res]);
    let end = |start: usize| n.min(start + block);
    for i in (0..n).step_by(block) {
        for j in (0..n).step_by(block) {
            for k in (0..n).step_by(block) {
                for i2 in i..end(i) {
                    for k2 in k..end(k) {
                        let past = end(j);
                        steps!(mem; for j2 in j..past {
                            let product = mem.load(mul1.at(i2, k2)).wrapping_mul(mem.load(mul2.at(k2, j2)));
                            let sum = mem.load(res.at(i2, j2)).wrapping_add(product);
                            mem.store(res.at(i2, j2), sum);
                        });
                    }
                }
            }
        }
    }
}

/// How many elements of a matrix one cache line of `line` bytes holds.
///
/// # Errors
///
/// If it does not hold a whole number of them.
pub fn elements_per_line(line: Bytes) -> Result<usize, Failure> {
    let element = size_of::<i16>();
    if line.0 == 0 || !line.get().is_multiple_of(element) || line.get() > 1 << 20 {
        return Err(Failure::usage(format!(
            "--line-size {} holds no whole number of {element}-byte elements; a line is {element} bytes or a multiple, up to 1 MiB (64 on most machines)",
            line.0
        )));
    }
    Ok(line.get() / element)
}

/// Measures one product in blocks of `line` bytes a row.
///
/// # Errors
///
/// If the line is impossible, memory is short or a counter fails.
pub fn measure(session: &Session, options: &Options, line: Bytes) -> Result<Record, Failure> {
    let block = elements_per_line(line)?;
    let plan = options.plan(session)?;
    let arena = product::arena(options, 3)?;
    let [mul1, mul2, res] = product::operands(&arena, options)?;
    let clear = &mut || res.fill(|_, _| 0);
    let sample =
        session.measure(&arena, &plan, clear, region!(|mem| multiply(mem, mul1, mul2, res, block)))?;
    Ok(product::record("mm3", session, options, &plan, &sample, res).set("line_size", line.0))
}
