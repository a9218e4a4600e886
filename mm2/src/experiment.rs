//! What mm2 measures.

use common::failure::Failure;
use common::measure::Session;
use common::product::{self, Options};
use common::record::Record;
use common::region;

use crate::{multiply, native, transpose};

/// Measures one product, with the transposition inside the measured region if
/// `time_transpose` says so, before it otherwise.
/// Fails if memory is short or a counter fails.
pub fn measure(session: &Session, options: &Options, time_transpose: bool) -> Result<Record, Failure> {
    let plan = options.plan(session)?;
    let arena = product::arena(options, 4)?;
    let [mul1, mul2, res] = product::operands(session, &arena, options)?;
    let tmp = arena.matrix("tmp", options.size(), options.size()).map_err(Failure::could_not)?;
    let prepare = &mut || {
        res.fill(|_, _| 0);
        // The course's mul2 repeats every 8 rows: transposing from the first 8 adds almost
        // nothing to cachegrind's counts of the whole program.
        tmp.fill(|i, j| mul2.at(j % 8, i).get());
    };
    let region = region!({
        if time_transpose {
            native::transpose(mul2, tmp);
        }
        native::multiply(mul1, tmp, res);
    }; |mem| {
        if time_transpose {
            transpose(mem, mul2, tmp);
        }
        multiply(mem, mul1, tmp, res);
    });
    let idle: &[&str] = if time_transpose { &[] } else { &["mul2"] };
    let region = region.without_numbers().without_arrays(idle);
    let sample = session.measure(&arena, &plan, prepare, region)?;
    Ok(product::record("mm2", session, options, &plan, &sample, res).set("time_transpose", time_transpose))
}
