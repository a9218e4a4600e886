//! Misses of a whole program on a machine, per array and level.

use cache::{Counts, Modelled};
use ge::modelled;
use ge::problem::matrices::Fill;
use machine::Machine;
use serde_json::{Value, json};

use crate::kernels::Kernel;

/// The model's counts of `kernel` on `machine` with empty caches. Calls `progress` with the
/// finished thousandths.
pub(crate) fn count(
    machine: &Machine,
    kernel: &Kernel,
    progress: extern "C" fn(u32),
) -> Result<Value, String> {
    let arena = kernel.arena()?;
    let placed = kernel.place(&arena)?;
    let model = Modelled::new(machine, &arena).map_err(|error| error.to_string())?;
    let mut model = model.without_numbers().reporting(move |share| progress((1000.0 * share) as u32));
    placed.run(&mut model);
    Ok(shown(machine, &model.counts()))
}

/// The same for the elimination `rung` of an `n` by `n` matrix.
pub(crate) fn eliminate(machine: &Machine, rung: &str, n: usize) -> Result<Value, String> {
    if n == 0 || n > MOST_ROWS {
        return Err(format!("a matrix of {n} rows is not possible on this page: take 1 to {MOST_ROWS}"));
    }
    let variant =
        ge::find(rung).ok_or_else(|| format!("there is no rung '{rung}'; take ge5, or see `ge --list`"))?;
    Ok(shown(machine, &modelled::count(variant, n, Fill::Rand, machine, None)?))
}

/// Largest number of rows of an elimination: beyond, the model takes minutes in a tab.
const MOST_ROWS: usize = 1024;

fn shown(machine: &Machine, counts: &Counts) -> Value {
    json!({ "counts": counts, "machine": machine.summary() })
}
