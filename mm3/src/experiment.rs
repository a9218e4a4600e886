//! What mm3 measures.

use common::failure::Failure;
use common::measure::Session;
use common::product::{self, Options};
use common::record::Record;
use common::region;
use common::units::Bytes;

use crate::{multiply, native};

/// How many elements of a matrix one cache line of `line` bytes holds.
/// Fails if it does not hold a whole number of them.
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
/// Fails if the line is impossible, memory is short or a counter fails.
pub fn measure(session: &Session, options: &Options, line: Bytes) -> Result<Record, Failure> {
    let block = elements_per_line(line)?;
    let plan = options.plan(session)?;
    let arena = product::arena(options, 3)?;
    let [mul1, mul2, res] = product::operands(session, &arena, options)?;
    let clear = &mut || res.fill(|_, _| 0);
    let region =
        region!(native::multiply(mul1, mul2, res, block); |mem| multiply(mem, mul1, mul2, res, block));
    let sample = session.measure(&arena, &plan, clear, region.without_numbers())?;
    Ok(product::record("mm3", session, options, &plan, &sample, res).set("line_size", line.0))
}
