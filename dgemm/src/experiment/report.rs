//! Prints outcomes.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use common::cache::Counts;
use common::output::Reasons;
use common::record::Row;

use crate::counting::theory::Misses;
use crate::experiment::{EVENTS, Outcome, PerIteration};
use crate::problem::Problem;
use crate::variants::{Kernel, VARIANTS};

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
            .with("seconds", outcome.seconds.clone())
            .with("gflops", outcome.gflops(p));
    for event in &EVENTS {
        row = row.with(event.name(), outcome.count(event));
    }
    for (name, reading) in outcome.metrics(p) {
        row = row.with(name, reading);
    }
    Row { details: details(outcome, p), ..row }
}

/// What a record has of a rung in addition to its figures: the check of its product, and its
/// misses by array, from each source.
fn details(outcome: &Outcome, p: &Problem) -> Map<String, Json> {
    let levels = outcome.levels(p);
    let details = [
        ("yardstick", (outcome.rung.kernel == Kernel::Library).into()),
        ("gflops", outcome.gflops(p).amount().into()),
        ("check", outcome.check.into()),
        ("misses_per_iteration", levels.first().map(model_or_form).unwrap_or_default()),
        ("levels", levels.iter().map(level).collect()),
        (
            "estimate",
            outcome
                .model
                .as_ref()
                .ok()
                .and_then(|model| model.estimate.as_ref())
                .map_or(Json::Null, |of| json!({"walked": of.walked, "iterations": of.iterations})),
        ),
    ];
    details.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn misses(m: Misses) -> Json {
    json!({"a": m.a, "b": m.b, "c": m.c, "copies": m.copies, "page_table": m.walks, "total": m.total()})
}

fn model_or_form(per: &PerIteration) -> Json {
    let form = || Some((per.form?, "analytic"));
    let Some((m, source)) = per.model.map(|m| (m, "model")).or_else(form) else { return Json::Null };
    let mut object = misses(m);
    object["source"] = source.into();
    object
}

fn level(per: &PerIteration) -> Json {
    json!({
        "level": per.level,
        "size": per.described.map(|(cache, _)| cache.size.0),
        "line": per.described.map(|(cache, _)| cache.line.0),
        "model": per.model.map(misses),
        "closed_form": per.form.map(misses),
        "residual": per.residual().map(misses),
        "hardware": per.hardware,
        "assumptions": per.assumptions(),
    })
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
    out.extend(outcome.levels(p).iter().map(|per| table(per, outcome)));
    let mut reasons = Reasons::default();
    for (name, reading) in outcome.metrics(p) {
        let _ = writeln!(out, "{name}={:.4}", reasons.once(&reading));
    }
    out
}

fn table(per: &PerIteration, outcome: &Outcome) -> String {
    let name = per.described.map_or("sealed".to_owned(), |(cache, _)| {
        format!("{}, {}-byte lines, {} ways", cache.size, cache.line.0, cache.ways)
    });
    let mut out = format!("misses per inner iteration, L{} ({name})\n", per.level);
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
    if let Some((_, form)) = per.described {
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
    let per = outcome.per_iteration(p, 1);
    let cell = |m: Option<f64>| m.map_or_else(|| format!("{:>9}", "-"), |m| format!("{m:>9.4}"));
    let model = per.as_ref().and_then(|per| per.model);
    let parts: [fn(Misses) -> f64; 5] = [|m| m.a, |m| m.b, |m| m.c, |m| m.copies, Misses::total];
    line.extend(parts.map(|part| cell(model.map(part))));
    line += &cell(per.as_ref().and_then(|per| per.form).map(Misses::total));
    line + "\n"
}

/// Below the lines: what the closed forms assume where they differ, once for all rungs that it is about.
pub fn assumed(outcomes: &[Outcome], p: &Problem) -> String {
    let mut about: Vec<(String, Vec<&str>)> = Vec::new();
    for outcome in outcomes {
        for text in outcome.per_iteration(p, 1).iter().flat_map(PerIteration::failing) {
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
