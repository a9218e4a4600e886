//! Misses of a whole program on a machine, per array and level.

use cache::{Counts, Modelled};
use dgemm::Blocks;
use dgemm::counting::theory::closed_form;
use dgemm::rungs::widest::tile;
use ge::modelled;
use ge::problem::matrices::Fill;
use isa::Widest;
use machine::Machine;
use serde_json::{Value, json};

use crate::kernels::{Kernel, Order};

/// The model's counts of `kernel` on `machine` with empty caches; for the lecture's product
/// also its closed form. Calls `progress` with the finished thousandths.
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
    let mut shown = shown(machine, &model.counts());
    if let Kernel::Dgemm { order, n } = *kernel {
        shown["lecture"] = lecture(machine, order, n);
    }
    Ok(shown)
}

/// The same for the elimination `rung` of an `n` by `n` matrix.
pub(crate) fn eliminate(machine: &Machine, rung: &str, n: usize) -> Result<Value, String> {
    if n == 0 || n > MOST_ROWS {
        return Err(format!("a matrix of {n} rows is not possible on this page: take 1 to {MOST_ROWS}"));
    }
    let variant =
        ge::find(rung).ok_or_else(|| format!("there is no rung '{rung}'; take ge5, or see `ge --list`"))?;
    Ok(shown(machine, &modelled::count(variant, n, Fill::Rand, machine)?))
}

/// Largest number of rows of an elimination: beyond, the model takes minutes in a tab.
const MOST_ROWS: usize = 1024;

fn shown(machine: &Machine, counts: &Counts) -> Value {
    json!({ "counts": counts, "machine": machine.summary() })
}

/// The closed form for the first level.
fn lecture(machine: &Machine, order: Order, n: usize) -> Value {
    let Some(first) = machine.levels.first() else { return Value::Null };
    let second = machine.levels.get(1).map_or(0, |cache| cache.size.0);
    let blocks = Blocks::for_caches(first.size.0, second, 1);
    let form = closed_form(order.rung(), [n; 3], blocks, tile(Widest::detect()), first);
    json!({ "misses": form.misses, "total": form.misses.total(), "assumptions": form.assumptions })
}
