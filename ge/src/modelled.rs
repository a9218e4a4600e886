//! What the cache model counts in a run.

use cache::{Counts, Modelled};
use machine::Machine;
use memory::Arena;

use crate::problem::matrices::{self, Fill};
use crate::problem::system::System;
use crate::{Variant, inner_steps};

/// Counts of `variant` on `machine`, eliminating an `n` by `n` matrix.
///
/// # Errors
///
/// A sentence: the rung cannot be modelled, the memory is short, the machine is not
/// described well enough, or the matrix cannot be eliminated this way: as where it runs.
pub fn count(variant: &Variant, n: usize, fill: Fill, machine: &Machine) -> Result<Counts, String> {
    count_watched(variant, n, fill, machine, None)
}

/// The same; `watch` is given the share (0 to 1) of it that is done.
///
/// # Errors
///
/// As [`count`].
pub fn count_watched(
    variant: &Variant,
    n: usize,
    fill: Fill,
    machine: &Machine,
    watch: Option<Box<dyn FnMut(f64)>>,
) -> Result<Counts, String> {
    let bytes = System::bytes(n, 1).ok_or_else(|| format!("no memory holds a {n} by {n} matrix"))?;
    let arena = Arena::with_capacity(bytes).map_err(|error| error.to_string())?;
    let system = System::new(&arena, n, &[]).map_err(|error| error.to_string())?;
    let mut model = Modelled::new(machine, &arena).map_err(|error| error.to_string())?;
    if let Some(watch) = watch {
        model = model.reporting_along(8.0 * inner_steps(n) / variant.pivots_per_pass as f64, watch);
    }
    // Where rows stay, no access depends on a number: none is computed, nor ever written.
    if variant.exchanges {
        fill.write(system.matrix);
        matrices::eliminable(system.matrix).map_err(|broken| broken.to_string())?;
    } else {
        fill.eliminable_in_place(n).map_err(|broken| broken.to_string())?;
        model = model.without_numbers();
    }
    variant.model(&mut model, system).map_err(|error| format!("{}: {error}", variant.name))?;
    if variant.exchanges {
        matrices::eliminated(system.matrix, true).map_err(|broken| broken.to_string())?;
    }
    Ok(model.counts())
}
