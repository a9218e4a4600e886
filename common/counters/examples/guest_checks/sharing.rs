//! More events than counters.

use counters::papi::EventSet;
use counters::{Code, Platform};
use events::Event;

use super::{OVERHEAD, Outcome, amounts, event, near, turn};

/// Ten events in the notations of this machine that differ, none of them
/// cycles, which have a counter of their own. How the cores' PMU is called depends
/// on who describes the machine: `armv8_pmuv3_0` from ACPI, `armv8_cortex_a72`
/// from a device tree.
fn ten() -> Result<Vec<Event>, String> {
    let pmu = &Platform::host().core_pmus().next().ok_or("no PMU of the cores")?.name;
    let kinds = [("instructions", "08"), ("stalled-cycles-frontend", "23"), ("stalled-cycles-backend", "24")];
    let spelt = kinds
        .iter()
        .flat_map(|(name, code)| [(*name).to_owned(), format!("r{code}"), format!("{pmu}/event=0x{code}/")]);
    spelt.chain(["r00".to_owned()]).map(|name| event(&name)).collect()
}

pub(super) fn multiplexed() -> Outcome {
    let mut set = EventSet::create();
    set.multiplex().map_err(|e| e.to_string())?;
    set.add_all(&ten()?).map_err(|e| e.to_string())?;
    set.start().map_err(|e| e.to_string())?;
    turn(400_000_000);
    let readings = set.stop().map_err(|e| e.to_string())?;
    let value = &readings[0];
    let amount = value.result()?;
    let Some(shared) = value.multiplexed() else { return Err(format!("not labelled an estimate: {value}")) };
    near("running share", shared.share(), 0.55, 0.65)?;
    near("estimated instructions", amount, 8e8 * 0.99, 8e8 * 1.01)?;
    Ok(format!("{value:.0} (share {:.3})", shared.share()))
}

pub(super) fn too_large() -> Outcome {
    let mut set = EventSet::create();
    for (added, event) in ten()?.iter().enumerate() {
        match set.add(event) {
            Ok(()) => {}
            Err(e) if e.code == Code::Ecnflct && added == 6 => return Ok(e.to_string()),
            Err(e) => return Err(format!("after {added} events: {e}")),
        }
    }
    Err("ten events fitted on six counters".into())
}

pub(super) fn pinned() -> Outcome {
    let ten = ten()?;
    let (mut first, mut second) = (EventSet::create(), EventSet::create());
    first.add_all(&ten[..6]).map_err(|e| e.to_string())?;
    first.pin().map_err(|e| e.to_string())?;
    second.add_all(&ten[6..]).map_err(|e| e.to_string())?;
    second.pin().map_err(|e| e.to_string())?;
    first.start().map_err(|e| e.to_string())?;
    second.start().map_err(|e| e.to_string())?;
    turn(1000);
    let found = second.stop();
    first.stop().map_err(|e| e.to_string())?;
    match found {
        Err(e) if e.code == Code::Ecnflct => Ok(e.to_string()),
        other => Err(format!("{other:?}")),
    }
}

pub(super) fn planned() -> Outcome {
    let events = ten()?;
    let mut runs = 0;
    let readings = counters::count(&events, &mut || runs += 1, &mut || turn(1_000_000));
    let readings = readings.map_err(|e| e.to_string())?;
    for reading in &readings {
        if reading.amount().is_none() || reading.multiplexed().is_some() {
            return Err(reading.to_string());
        }
    }
    let found = amounts(readings)?;
    for same in &found[..3] {
        near("instructions", *same, 2e6, 2e6 + OVERHEAD)?;
    }
    near("runs", f64::from(runs), 2.0, 2.0)?;
    Ok(format!("{runs} runs, {:?}", &found[..3]))
}
