//! What the cache model counts in a run.

use cache::{Counts, Modelled};
use machine::Machine;
use memory::Arena;

use crate::Variant;
use crate::problem::matrices::Fill;
use crate::problem::system::System;

/// Counts of `variant` on `machine`, eliminating an `n` by `n` matrix.
///
/// # Errors
///
/// A sentence: the rung cannot be modelled, the memory is short, or the machine
/// is not described well enough.
pub fn count(variant: &Variant, n: usize, fill: Fill, machine: &Machine) -> Result<Counts, String> {
    let bytes = System::bytes(n, 1).ok_or_else(|| format!("no memory holds a {n} by {n} matrix"))?;
    let arena = Arena::with_capacity(bytes).map_err(|error| error.to_string())?;
    let system = System::new(&arena, n, &[]).map_err(|error| error.to_string())?;
    fill.write(system.matrix);
    let mut model = Modelled::new(machine, &arena).map_err(|error| error.to_string())?;
    variant.model(&mut model, system).map_err(|error| format!("{}: {error}", variant.name))?;
    Ok(model.counts())
}
