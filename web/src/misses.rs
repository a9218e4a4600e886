//! Misses of a whole program on a machine, per array and level.

use cache::Modelled;
use machine::Machine;
use serde_json::{Value, json};

use crate::kernels::Kernel;

/// What the model counts when `kernel` runs on `machine`, cold.
pub(crate) fn count(machine: &Machine, kernel: &Kernel) -> Result<Value, String> {
    let arena = kernel.arena()?;
    let placed = kernel.place(&arena)?;
    let mut model = Modelled::new(machine, &arena).map_err(|error| error.to_string())?;
    placed.run(&mut model);
    let counts = model.counts();
    let time = counts.time(machine).ok();
    Ok(json!({
        "counts": counts,
        "machine": machine.summary(),
        "seconds": time.map(|time| time.overlapped),
    }))
}
