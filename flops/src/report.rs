//! Prints estimates: each formula with its numbers.

use std::fmt::Write;

use common::units::Bytes;
use common::value::{Reading, Source};
use serde_json::{Map, Value as Json, json};

use crate::estimate::{Estimate, is_clock};

/// The lines of one kernel.
pub fn text(e: &Estimate) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "kernel={}\tn={}\tthreads={}\trepeats={}\tseconds={}",
        e.kernel.name, e.n, e.threads, e.repeats, e.seconds
    );
    let _ = writeln!(out, "known_mflops={:.3}", e.known());
    let _ = writeln!(
        out,
        "  MFLOPS = operations / 10^6 / elapsed = 2 x {}^3 x {} / 10^6 / {:.6} s",
        e.n,
        e.repeats,
        amount(&e.seconds)
    );
    let _ = writeln!(out, "busy_mflops={:.3}", e.known_busy());
    let _ = writeln!(out, "  the same over {:.6} s of processor time per thread", amount(&e.busy));
    let _ = writeln!(out, "predicted_mflops={:.3}", e.predicted());
    let _ = writeln!(
        out,
        "  MFLOPS = 2 x width / latency x threads = 2 x {} / {:.4} ns x {} x 10^3",
        e.kernel.width, e.latency_ns, e.threads
    );
    counted(&mut out, e);
    sampled(&mut out, e);
    out
}

fn counted(out: &mut String, e: &Estimate) {
    let _ = writeln!(out, "counted_mflops={:.3}", e.counted_rate());
    for (fp, reading) in &e.counted {
        let _ = writeln!(out, "  {} x {} = {reading:.0}", fp.operations, fp.name);
    }
    if let (Some(operations), Some(cycles), Some(elapsed)) =
        (e.counted_operations().amount(), e.cycles.amount(), e.seconds_by_cycles().amount())
    {
        let _ = writeln!(
            out,
            "  elapsed = cycles / frequency / cores = {cycles:.0} / {:.4} x 10^9 / {} = {elapsed:.3} s",
            e.frequency / 1e9,
            e.threads
        );
        let _ = writeln!(
            out,
            "  MFLOPS = operations / 10^6 / elapsed = {operations:.0} / 10^6 / {elapsed:.3} s = {:.3}",
            operations / 1e6 / elapsed
        );
    }
}

fn sampled(out: &mut String, e: &Estimate) {
    let _ = writeln!(out, "sampled_mflops={:.3}", e.sampled_rate());
    let Ok(s) = &e.sampled else { return };
    let unit = if is_clock(&e.event) { " ns" } else { "" };
    let _ = writeln!(
        out,
        "  {} of {}: {} samples x {}{unit} = {:.0}{unit}, +- {:.2} % (1 / sqrt(samples))",
        e.kernel.name,
        e.event,
        s.samples,
        e.period,
        s.estimate,
        100.0 * s.error()
    );
    let _ = writeln!(
        out,
        "  counted over the same time: {:.0}{unit}, the samples are {:+.2} % off",
        s.counted,
        100.0 * (s.estimate / s.counted - 1.0)
    );
    let _ = writeln!(out, "  {:.2} % of the samples lie in the product's code", 100.0 * s.inside);
    if s.lost > 0 {
        let _ = writeln!(
            out,
            "  {} samples found the kernel's buffer full: they are in the estimate, but their place in the code is unknown",
            s.lost
        );
    }
    if s.throttled > 0 {
        let _ = writeln!(
            out,
            "  the kernel paused the sampling {} times because it came too often: the estimate is too low; raise --period",
            s.throttled
        );
    }
    if let Some(width) = e.per_event {
        let _ = writeln!(
            out,
            "  MFLOPS = {width} x events / 10^6 / elapsed = {width} x {:.0} / 10^6 / {:.6} s",
            s.estimate,
            amount(&e.seconds)
        );
    }
}

fn amount(reading: &Reading) -> f64 {
    reading.amount().unwrap_or(f64::NAN)
}

/// Ratios of successive kernels over processor time, measured and predicted.
pub fn ratios(all: &[Estimate]) -> String {
    let mut out = String::new();
    for pair in all.windows(2) {
        let ratio = |f: fn(&Estimate) -> Reading| amount(&f(&pair[1])) / amount(&f(&pair[0]));
        let (measured, predicted) = (ratio(Estimate::known_busy), ratio(Estimate::predicted));
        let _ = writeln!(
            out,
            "{} / {}\tmeasured={measured:.3}\tpredicted={predicted:.3}\toff={:+.1} %",
            pair[1].kernel.name,
            pair[0].kernel.name,
            100.0 * (measured / predicted - 1.0)
        );
        if (measured / predicted - 1.0).abs() > 0.15 {
            let _ = writeln!(
                out,
                "  the prediction counts only the additions of the chain. In a wider unit a sum of {} takes fewer steps, \
                 so its start and end take a larger share of the time, and so do the loads of b ({}): try a smaller N. \
                 If N makes no difference, the clock changed between the two measurements: repeat",
                pair[1].n,
                Bytes(8 * pair[1].n as u64 * pair[1].n as u64)
            );
        }
    }
    out
}

/// All figures by name.
pub fn figures(e: &Estimate) -> Vec<(&'static str, Reading)> {
    let timing = |amount| Reading::new(amount, Source::Timing);
    let mut all = vec![
        ("seconds", e.seconds.clone()),
        ("known_mflops", e.known()),
        ("busy_mflops", e.known_busy()),
        ("predicted_mflops", e.predicted()),
        ("counted_mflops", e.counted_rate()),
        ("sampled_mflops", e.sampled_rate()),
        ("add_latency_ns", timing(e.latency_ns)),
        ("seconds_by_cycles", e.seconds_by_cycles()),
    ];
    let sampled = |f: fn(&crate::estimate::Sampled) -> f64| match &e.sampled {
        Ok(s) => Reading::new(f(s), Source::Hardware),
        Err(why) => Reading::missing(why.clone()),
    };
    all.push(("samples", sampled(|s| s.samples as f64)));
    all.push(("sampled_events", sampled(|s| s.estimate)));
    all.push(("counted_events", sampled(|s| s.counted)));
    all.push(("sampling_error", sampled(|s| s.error())));
    all.push(("share_in_product", sampled(|s| s.inside)));
    all.extend(e.counted.iter().map(|(fp, reading)| (fp.name, reading.clone())));
    all.push(("PAPI_TOT_CYC", e.cycles.clone()));
    all
}

/// A kernel in JSON: its figures by name.
pub fn details(e: &Estimate) -> Map<String, Json> {
    let figures = figures(e).into_iter().map(|(name, reading)| (name, json!(reading)));
    [
        ("kernel", e.kernel.name.into()),
        ("n", e.n.into()),
        ("threads", e.threads.into()),
        ("repeats", e.repeats.into()),
        ("event", e.event.name().into()),
        ("period", e.period.into()),
        ("operations", e.operations.into()),
        ("operations_per_event", e.per_event.into()),
        ("right", e.right.into()),
    ]
    .into_iter()
    .chain(figures)
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
