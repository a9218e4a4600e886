//! Samples, overflows and profiles.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use counters::{Histogram, Sampler};
use events::Event;

use super::{OVERHEAD, Outcome, counted, near, set_of, turn};

/// Where the loop of [`turn`] is.
fn loop_addresses() -> std::ops::Range<u64> {
    let start = turn as fn(u64) as usize as u64;
    start..start + 64
}

pub(super) fn samples() -> Outcome {
    let mut sampler = Sampler::new(&Event::TOT_CYC, 1_000_000).map_err(|e| e.to_string())?;
    sampler.resume().map_err(|e| e.to_string())?;
    turn(50_000_000);
    sampler.pause().map_err(|e| e.to_string())?;
    turn(5_000_000);
    let samples = sampler.finish().map_err(|e| e.to_string())?;
    let (all, inside) = (samples.addresses.len(), samples.within(loop_addresses()));
    near("samples in 100 million cycles", all as f64, 99.0, 100.0)?;
    near("of them in the loop", inside as f64, all as f64, all as f64)?;
    Ok(format!(
        "{all} samples in {} cycles, {inside} in the loop, {} lost",
        samples.count.value, samples.lost
    ))
}

pub(super) fn overflows() -> Outcome {
    let (calls, outside) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut set = set_of(&["PAPI_TOT_CYC", "PAPI_TOT_INS"])?;
    let (count, strays) = (Arc::clone(&calls), Arc::clone(&outside));
    set.overflow(&Event::TOT_CYC, 1_000_000, move |overflow| {
        count.store(overflow.number, Ordering::Relaxed);
        strays.fetch_add(u64::from(!loop_addresses().contains(&overflow.address)), Ordering::Relaxed);
    })
    .map_err(|e| e.to_string())?;
    let found = counted(&mut set, || turn(50_000_000))?;
    let calls = calls.load(Ordering::Relaxed) as f64;
    near("calls of the handler", calls, (found[0] / 1e6).floor(), (found[0] / 1e6).floor())?;
    near("calls outside of the loop", outside.load(Ordering::Relaxed) as f64, 0.0, 0.0)?;
    near("instructions of the counted thread alone", found[1], 1e8, 1e8 + OVERHEAD)?;
    Ok(format!("{calls} calls in {} cycles", found[0]))
}

pub(super) fn too_fast() -> Outcome {
    let mut set = set_of(&["PAPI_TOT_CYC"])?;
    set.overflow(&Event::TOT_CYC, 500, |_| ()).map_err(|e| e.to_string())?;
    match counted(&mut set, || turn(50_000_000)) {
        Err(why) if why.contains("PAPI_ECLOST") => Ok(why),
        other => Err(format!("{other:?}")),
    }
}

pub(super) fn profile() -> Outcome {
    let histogram = Arc::new(Histogram::new(loop_addresses(), 4));
    let mut set = set_of(&["PAPI_TOT_CYC"])?;
    set.profil(&Event::TOT_CYC, 100_000, Arc::clone(&histogram)).map_err(|e| e.to_string())?;
    counted(&mut set, || turn(5_000_000))?;
    let inside: u64 = histogram.buckets().map(|(_, samples)| samples).sum();
    near("samples in the loop", inside as f64, 99.0, 100.0)?;
    near("samples elsewhere", histogram.outside() as f64, 0.0, 0.0)?;
    Ok(format!("{inside} in the loop, {} elsewhere", histogram.outside()))
}

/// As many as were due are there or reported as lost, but for one at each end.
pub(super) fn full() -> Outcome {
    let mut sampler = Sampler::new(&Event::TOT_CYC, 20_000).map_err(|e| e.to_string())?;
    sampler.resume().map_err(|e| e.to_string())?;
    turn(400_000_000);
    let samples = sampler.finish().map_err(|e| e.to_string())?;
    let (all, due) = (samples.addresses.len() as f64, (samples.count.value / samples.period) as f64);
    near("samples lost", samples.lost as f64, 1.0, due)?;
    near("samples, and those lost", all + samples.lost as f64, due - 1.0, due + 1.0)?;
    Ok(format!("{due} due, {all} read, {} reported as lost, {} pauses", samples.lost, samples.throttled))
}
