//! What mm1 measures.

use common::failure::Failure;
use common::measure::Session;
use common::product::{self, Options};
use common::record::Record;
use common::region;

use crate::{multiply, native};

/// Measures one product.
/// Fails if memory is short or a counter fails.
pub fn measure(session: &Session, options: &Options) -> Result<Record, Failure> {
    let plan = options.plan(session)?;
    let arena = product::arena(options, 3)?;
    let [mul1, mul2, res] = product::operands(session, &arena, options)?;
    let clear = &mut || res.fill(|_, _| 0);
    let region = region!(native::multiply(mul1, mul2, res); |mem| multiply(mem, mul1, mul2, res));
    let sample = session.measure(&arena, &plan, clear, region.without_numbers())?;
    Ok(product::record("mm1", session, options, &plan, &sample, res))
}
