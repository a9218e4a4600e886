//! Prints outcomes.

use std::fmt::Write;

use common::cache::Counts;
use common::events::Event;
use common::machine::CacheLevel;
use common::output::Reasons;
use common::record::Row;
use common::value::{Reading, Source};

use crate::counting::theory::Misses;
use crate::experiment::measure::{EVENTS, Outcome};
use crate::variants::VARIANTS;

/// Misses of the first level in an inner iteration, all arrays together.
pub(super) const MISSES: &str = "misses_per_iteration";

/// `dgemm --list`.
pub(super) fn list() -> String {
    VARIANTS.iter().map(|v| format!("{:<10} {}\n", v.name, v.idea)).collect()
}

/// One row of a record.
pub(super) fn row(outcome: &Outcome) -> Row {
    let [m, n, k] = outcome.p.sides();
    let mut row =
        Row::at([("variant", outcome.rung.name.into()), ("m", m.into()), ("n", n.into()), ("k", k.into())])
            .set("threads", outcome.threads())
            .result("check", outcome.check)
            .with("seconds", outcome.seconds.clone())
            .with("gflops", outcome.gflops());
    for event in &EVENTS {
        row = row.with(event.name(), outcome.count(event));
    }
    for (name, reading) in outcome.metrics() {
        row = row.with(name, reading);
    }
    // an estimate has both of its samples
    let none = || Reading::missing("nothing was modelled");
    let total = outcome.model.as_ref().map_or_else(|_| none(), |counts| counts.reading(&Event::L1_DCM));
    row = row.with(MISSES, total.scaled(1.0 / outcome.p.iterations()));
    let (model, form) = outcome.first();
    for (at, name) in ["a", "b", "c", "walks"].into_iter().enumerate() {
        let misses = model.map_or_else(none, |m| Reading::new([m.a, m.b, m.c, m.walks][at], Source::Model));
        row = row.with(format!("{MISSES}_{name}"), misses);
    }
    let none = || Reading::missing("the closed form needs a cache that is described and not secret");
    let closed = form.map_or_else(none, |form| Reading::new(form.total(), Source::Analytic));
    row = row.with(format!("{MISSES}_closed"), closed);
    if let Some(estimate) = outcome.model.as_ref().ok().and_then(|model| model.estimate.as_ref()) {
        row = row.set("iterations", estimate.iterations).set("iterations_walked", estimate.walked);
    }
    let by_array = outcome.model.iter().flat_map(Counts::by_array);
    by_array.fold(row, |row, (name, misses)| row.with(name, misses))
}

/// The lines of one rung.
pub(super) fn text(outcome: &Outcome) -> String {
    let [m, n, k] = outcome.p.sides();
    let mut out = String::new();
    let name = outcome.rung.name;
    let _ = write!(out, "variant={name}\tm={m}\tn={n}\tk={k}\tthreads={}", outcome.threads());
    if name.starts_with("block") {
        let _ = write!(out, "\tblock_l1={}\tblock_l2={}", outcome.p.blocks.l1, outcome.p.blocks.l2);
    }
    let _ = writeln!(out, "\nseconds={}\ngflops={:.3}", outcome.seconds, outcome.gflops());
    if let Some(check) = outcome.check {
        let _ = writeln!(out, "check={check:.1e}");
    }
    if let Ok(model) = &outcome.model {
        let steps = outcome.p.iterations();
        let [loads, stores] = [model.loads, model.stores].map(|accesses| accesses as f64 / steps);
        let _ = writeln!(out, "per inner iteration: {loads:.4} loads, {stores:.4} stores\tsource=model");
    }
    if let Some(estimate) = outcome.model.as_ref().ok().and_then(|model| model.estimate.as_ref()) {
        let _ = writeln!(
            out,
            "estimate: the model walked {} of {} outer iterations; its misses are estimates, the rest is exact",
            estimate.walked, estimate.iterations
        );
        let model = outcome.model.iter().flat_map(|model| &model.levels);
        for level in model {
            let misses = |counts: &Counts| counts.level(level.level).map_or(0, |level| level.misses.total());
            let [count, half] = [level.misses.total() as f64, estimate.half_width(misses)].map(|x| x * 1e-6);
            let _ = writeln!(
                out,
                "L{} misses [x10^6]: {count:.3}, 90 % interval {:.3} to {:.3}\tsource=model",
                level.level,
                count - half,
                count + half
            );
        }
    }
    if let Some(places) = &outcome.placements {
        let places = places.scaled(1e-6);
        let _ = writeln!(out, "L1 misses [x10^6], arrays at 5 places, as from run to run: {places:.1}");
    }
    out.extend(outcome.levels().map(|level| table(level, outcome)));
    let mut reasons = Reasons::default();
    for (name, reading) in outcome.metrics() {
        let _ = writeln!(out, "{name}={:.4}", reasons.once(&reading));
    }
    out
}

fn table(cache: &CacheLevel, outcome: &Outcome) -> String {
    let (form, model) = (outcome.form(cache), outcome.modelled(cache));
    let name = form.as_ref().map_or("sealed".to_owned(), |_| {
        format!("{}, {}-byte lines, {} ways", cache.size, cache.line.0, cache.ways)
    });
    let mut out = format!("misses per inner iteration, L{} ({name})\n", cache.level);
    let heads = ["a", "b", "c", "copies", "walks", "total"].map(|head| format!("{head:>9}")).concat();
    let _ = writeln!(out, "{:<12}{heads}", "");
    let mut row = |what: &str, m: Misses, source: &str| {
        let cells =
            [m.a, m.b, m.c, m.copies, m.walks, m.total()].map(|misses| format!("{misses:>9.4}")).concat();
        let _ = writeln!(out, "{what:<12}{cells}{source}");
    };
    if let Some(form) = &form {
        row("closed form", form.misses, "\tsource=analytic");
    }
    if let Some(model) = model {
        row("model", model, "\tsource=model");
    }
    if let (Some(model), Some(form)) = (model, &form) {
        row("residual", model.with(form.misses, |model, form| model - form), "");
    }
    if let Err(why) = &outcome.model {
        let _ = writeln!(out, "model       not counted ({why})");
    }
    let _ = writeln!(out, "{:<12}{:.4}", "hardware", outcome.counted(cache));
    if let Some(form) = &form {
        let _ = writeln!(out, "the closed form of the whole product: {}", form.formula);
    }
    if model.is_some_and(|m| m.walks > 0.01) {
        let _ = writeln!(
            out,
            "the closed form assumes that the TLB holds the pages; here it does not: each walk reads an entry of the page table through this cache, and \"walks\" are the misses of these reads"
        );
    }
    for text in outcome.failing(cache) {
        let _ = writeln!(out, "the closed form assumes that {text}");
    }
    out
}

/// One line per rung, for `dgemm all`, and below what the closed forms assume where they differ, once for all rungs
/// that it is about.
pub(super) fn lines(outcomes: &[Outcome]) -> String {
    let heads = ["a", "b", "c", "copies", "model", "closed"].map(|head| format!("{head:>9}")).concat();
    let mut out = format!("{:<15}on{:>11}{:>10}{heads}\n", "variant", "seconds", "GFLOP/s");
    let mut about: Vec<(String, Vec<&str>)> = Vec::new();
    for outcome in outcomes {
        let cell = |amount: Option<f64>, width: usize, digits: usize| {
            amount.map_or_else(|| format!("{:>width$}", "-"), |amount| format!("{amount:>width$.digits$}"))
        };
        let times = cell(outcome.seconds.amount(), 11, 6) + &cell(outcome.gflops().amount(), 10, 3);
        let (model, form) = outcome.first();
        let parts: [fn(Misses) -> f64; 5] = [|m| m.a, |m| m.b, |m| m.c, |m| m.copies, Misses::total];
        let misses =
            parts.map(|part| cell(model.map(part), 9, 4)).concat() + &cell(form.map(Misses::total), 9, 4);
        let _ = writeln!(out, "{:<15}{:>2}{times}{misses}", outcome.rung.name, outcome.threads());
        for text in outcome.levels().take(1).flat_map(|level| outcome.failing(level)) {
            match about.iter_mut().find(|(other, _)| *other == text) {
                Some((_, names)) => names.push(outcome.rung.name),
                None => about.push((text, vec![outcome.rung.name])),
            }
        }
    }
    for (text, names) in about {
        let _ = writeln!(out, "{}: the closed form assumes that {text}", names.join(", "));
    }
    out
}
