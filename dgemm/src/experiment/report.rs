//! Prints outcomes.

use std::fmt::Write;

use common::cache::Counts;
use common::events::Event;
use common::output::Reasons;
use common::record::Row;
use common::value::{Reading, Source};

use crate::counting::theory::Misses;
use crate::experiment::{EVENTS, Level, Outcome};
use crate::problem::Problem;
use crate::variants::VARIANTS;

/// Misses of the first level in an inner iteration, all arrays together.
pub const MISSES: &str = "misses_per_iteration";

/// `dgemm --list`.
pub fn list() -> String {
    VARIANTS.iter().map(|v| format!("{:<10} {}\n", v.name, v.idea)).collect()
}

/// One row of a record.
pub fn row(outcome: &Outcome, p: &Problem) -> Row {
    let [m, n, k] = p.sides();
    let mut row =
        Row::at([("variant", outcome.rung.name.into()), ("m", m.into()), ("n", n.into()), ("k", k.into())])
            .set("threads", outcome.threads)
            .result("check", outcome.check)
            .with("seconds", outcome.seconds.clone())
            .with("gflops", outcome.gflops(p));
    for event in &EVENTS {
        row = row.with(event.name(), outcome.count(event));
    }
    for (name, reading) in outcome.metrics(p) {
        row = row.with(name, reading);
    }
    // an estimate has both of its samples
    let none = || Reading::missing("nothing was modelled");
    let total = outcome.model.as_ref().map_or_else(|_| none(), |counts| counts.reading(&Event::L1_DCM));
    row = row.with(MISSES, total.scaled(1.0 / p.iterations()));
    let (model, form) = outcome.levels.first().map_or((None, None), |level| (level.model, level.form));
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
pub fn text(outcome: &Outcome, p: &Problem) -> String {
    let [m, n, k] = p.sides();
    let mut out = String::new();
    let name = outcome.rung.name;
    let _ = write!(out, "variant={name}\tm={m}\tn={n}\tk={k}\tthreads={}", outcome.threads);
    if name.starts_with("block") {
        let _ = write!(out, "\tblock_l1={}\tblock_l2={}", p.blocks.l1, p.blocks.l2);
    }
    out.push('\n');
    let _ = writeln!(out, "seconds={}", outcome.seconds);
    let _ = writeln!(out, "gflops={:.3}", outcome.gflops(p));
    if let Some(check) = outcome.check {
        let _ = writeln!(out, "check={check:.1e}");
    }
    if let Ok(model) = &outcome.model {
        let steps = (m * n * k) as f64;
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
    out.extend(outcome.levels.iter().map(|level| table(level, outcome)));
    let mut reasons = Reasons::default();
    for (name, reading) in outcome.metrics(p) {
        let _ = writeln!(out, "{name}={:.4}", reasons.once(&reading));
    }
    out
}

fn table(per: &Level, outcome: &Outcome) -> String {
    let name = per.described.as_ref().map_or("sealed".to_owned(), |(cache, _)| {
        format!("{}, {}-byte lines, {} ways", cache.size, cache.line.0, cache.ways)
    });
    let mut out = format!("misses per inner iteration, L{} ({name})\n", per.number);
    let heads = ["a", "b", "c", "copies", "walks", "total"].map(|head| format!("{head:>9}")).concat();
    let _ = writeln!(out, "{:<12}{heads}", "");
    let cells = |m: Misses| {
        [m.a, m.b, m.c, m.copies, m.walks, m.total()].map(|misses| format!("{misses:>9.4}")).concat()
    };
    let mut row = |what: &str, m: Misses, source: &str| {
        let _ = writeln!(out, "{what:<12}{}{source}", cells(m));
    };
    if let Some(form) = per.form {
        row("closed form", form, "\tsource=analytic");
    }
    match (per.model, &outcome.model) {
        (Some(m), _) => row("model", m, "\tsource=model"),
        (None, Err(why)) => {
            let _ = writeln!(out, "model       not counted ({why})");
        }
        (None, Ok(_)) => {}
    }
    if let Some(residual) = per.residual() {
        let _ = writeln!(out, "{:<12}{}", "residual", cells(residual));
    }
    let _ = writeln!(out, "{:<12}{:.4}", "hardware", per.hardware);
    if let Some((_, form)) = &per.described {
        let _ = writeln!(out, "the closed form of the whole product: {}", form.formula);
    }
    if per.model.is_some_and(|m| m.walks > 0.01) {
        let _ = writeln!(
            out,
            "the closed form assumes that the TLB holds the pages; here it does not: each walk reads an entry of the page table through this cache, and \"walks\" are the misses of these reads"
        );
    }
    for text in per.failing() {
        let _ = writeln!(out, "the closed form assumes that {text}");
    }
    out
}

/// One line per rung, for `dgemm all`.
pub fn line(outcome: &Outcome, p: &Problem) -> String {
    let mut line = format!("{:<15}{:>2}", outcome.rung.name, outcome.threads);
    match (outcome.seconds.amount(), outcome.gflops(p).amount()) {
        (Some(seconds), Some(gflops)) => {
            let _ = write!(line, "{seconds:>11.6}{gflops:>10.3}");
        }
        _ => {
            let _ = write!(line, "{:>11}{:>10}", "-", "-");
        }
    }
    let level = outcome.levels.first();
    let cell = |m: Option<f64>| m.map_or_else(|| format!("{:>9}", "-"), |m| format!("{m:>9.4}"));
    let model = level.and_then(|level| level.model);
    let parts: [fn(Misses) -> f64; 5] = [|m| m.a, |m| m.b, |m| m.c, |m| m.copies, Misses::total];
    line.extend(parts.map(|part| cell(model.map(part))));
    line += &cell(level.and_then(|level| level.form).map(Misses::total));
    line + "\n"
}

/// Below the lines: what the closed forms assume where they differ, once for all rungs that it is about.
pub fn assumed(outcomes: &[Outcome]) -> String {
    let mut about: Vec<(String, Vec<&str>)> = Vec::new();
    for outcome in outcomes {
        for text in outcome.levels.first().iter().flat_map(|level| level.failing()) {
            match about.iter_mut().find(|(other, _)| other == text) {
                Some((_, names)) => names.push(outcome.rung.name),
                None => about.push((text.to_owned(), vec![outcome.rung.name])),
            }
        }
    }
    let line = |(text, names): (String, Vec<&str>)| {
        format!("{}: the closed form assumes that {text}\n", names.join(", "))
    };
    about.into_iter().map(line).collect()
}

/// The heading above the lines.
pub fn head() -> String {
    format!(
        "{:<15}{:>2}{:>11}{:>10}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}\n",
        "variant", "on", "seconds", "GFLOP/s", "a", "b", "c", "copies", "model", "closed"
    )
}
