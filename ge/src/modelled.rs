//! The cache model's counts of a run.

use cache::{Counts, Modelled};
use machine::Machine;
use memory::Arena;

use crate::Variant;
use crate::problem::system::System;

/// Counts of `variant` on `machine`, eliminating an `n` by `n` matrix.
///
/// Fails with a sentence: the rung cannot be modelled, there is not enough memory, or the machine's
/// description is incomplete.
pub fn count(variant: &Variant, n: usize, machine: &Machine) -> Result<Counts, String> {
    let arena = Arena::with_capacity(System::bytes(n)).map_err(|error| error.to_string())?;
    let system = System::new(&arena, n).map_err(|error| error.to_string())?;
    // No access depends on a number, so none is computed or written.
    let mut model = Modelled::new(machine, &arena).map_err(|error| error.to_string())?.without_numbers();
    variant.model(&mut model, system).map_err(|error| format!("{}: {error}", variant.name))?;
    Ok(model.counts())
}
