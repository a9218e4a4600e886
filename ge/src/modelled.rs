//! The cache model's counts of a run.

use cache::{Counts, Modelled};
use machine::Machine;
use memory::Arena;

use crate::problem::system::System;
use crate::{Variant, inner_steps};

/// Counts of `variant` on `machine`, eliminating an `n` by `n` matrix. Reports the share (0 to
/// 1) that is done to `watch`.
///
/// Fails with a sentence: the rung cannot be modelled, there is not enough memory, or the machine's
/// description is incomplete.
pub fn count(
    variant: &Variant,
    n: usize,
    machine: &Machine,
    watch: Option<Box<dyn FnMut(f64)>>,
) -> Result<Counts, String> {
    let arena = Arena::with_capacity(System::bytes(n)).map_err(|error| error.to_string())?;
    let system = System::new(&arena, n).map_err(|error| error.to_string())?;
    let mut model = Modelled::new(machine, &arena).map_err(|error| error.to_string())?;
    if let Some(watch) = watch {
        model = model.reporting_along(8.0 * inner_steps(n) / variant.pivots_per_pass as f64, watch);
    }
    // No access depends on a number, so none is computed or written.
    let mut model = model.without_numbers();
    variant.model(&mut model, system).map_err(|error| format!("{}: {error}", variant.name))?;
    Ok(model.counts())
}
