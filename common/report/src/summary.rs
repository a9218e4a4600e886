//! The figures of the sheet for scripts, and for a terminal.

use serde_json::{Map, Value, json};

use figures::table::{columns as columns_of, four};
use figures::value::Reading;

use crate::contents::Report;
use crate::figure::source;
use crate::product::{Gain, Product};

/// All figures, in the guide's order. Students must compute rates and speed-ups themselves:
/// these are included only with the answers.
fn figures(contents: &Report<'_>) -> Vec<Value> {
    let [mm1, mm2, transposing, mm3] = &contents.products;
    let products = [("3.2.1", mm1), ("3.2.2 a", mm2), ("3.2.2 c", transposing), ("3.2.3", mm3)];
    let [over_mm1, transposing_over_mm1, blocked_over_mm1, blocked_over_mm2] = &contents.gains;
    let gains = [
        ("3.2.2 d", "mm2 over mm1", over_mm1),
        ("3.2.2 d", "mm2 with its transposition over mm1", transposing_over_mm1),
        ("3.2.3 d", "mm3 over mm1", blocked_over_mm1),
        ("3.2.3 e", "mm3 over mm2", blocked_over_mm2),
    ];
    let mut all = Vec::new();
    let mut add = |section: &str, of: &str, name: &str, unit: &str, reading: &Reading| {
        all.push(json!({
            "section": section, "figure": format!("{of}: {name}"), "unit": unit,
            "amount": reading.amount(), "source": source(reading), "reason": reading.reason(),
        }));
    };
    for (section, product) in products {
        add(section, product.name, "L1 data cache misses", "", &product.misses);
        add(section, product.name, "loads and stores", "", &product.accesses);
        add(section, product.name, "core cycles", "", &product.cycles);
        add(section, product.name, "time", "s", &product.seconds);
        add(section, product.name, "L2 data cache misses", "", &product.l2_misses);
        add(section, product.name, "L2 data cache accesses", "", &product.l2_accesses);
        if contents.answers {
            add(section, product.name, "L1 hit rate", "", &product.hit_rate);
            add(section, product.name, "L2 hit rate", "", &product.l2_hit_rate);
        }
    }
    for (section, which, Gain { hit_rate, clocks, time }) in gains.into_iter().filter(|_| contents.answers) {
        add(section, which, "difference of L1 hit rates", "", hit_rate);
        add(section, which, "speed-up in core cycles", "", clocks);
        add(section, which, "speed-up in time", "", time);
    }
    all
}

/// The measured figures of the sheet for people: a line for each product. With `answers`
/// also the hit rates, which the sheet asks for.
pub(crate) fn table(contents: &Report<'_>) -> String {
    type Column = (&'static str, &'static str, f64, fn(&Product) -> &Reading);
    let measured: [Column; 5] = [
        ("L1 misses", "(10^6)", 1e-6, |p| &p.misses),
        ("accesses", "(10^6)", 1e-6, |p| &p.accesses),
        ("cycles", "(10^6)", 1e-6, |p| &p.cycles),
        ("time", "(ms)", 1e3, |p| &p.seconds),
        ("wall", "(ms)", 1e3, |p| &p.wall),
    ];
    let computed: [Column; 1] = [("L1 hit rate", "(%)", 100.0, |p| &p.hit_rate)];
    let columns: Vec<Column> =
        measured.into_iter().chain(computed.into_iter().filter(|_| contents.answers)).collect();
    let line = |name: &str, cell: &dyn Fn(&Column) -> String| {
        let cells = columns.iter().map(cell);
        // The last column is empty, so that every figure is right-aligned.
        std::iter::once(name.to_owned()).chain(cells).chain([String::new()]).collect::<Vec<_>>()
    };
    let told =
        |figure: &Reading, factor: f64| figure.amount().map_or_else(|| "–".to_owned(), |a| four(a * factor));
    let mut rows = vec![line("", &|c| c.0.to_owned()), line("", &|c| c.1.to_owned())];
    rows.extend(
        contents
            .products
            .iter()
            .map(|product| line(product.name, &|(_, _, factor, pick)| told(pick(product), *factor))),
    );
    rows.push(line("source", &|(_, _, _, pick)| source(pick(&contents.products[0]))));
    columns_of(&rows)
}

/// Environment, figures, warnings and the kit's own reading of the curves.
pub(crate) fn json(contents: &Report<'_>) -> String {
    let found = contents.findings;
    let facts: Map<String, Value> =
        found.host.facts.iter().map(|(label, value)| ((*label).to_owned(), value.clone().into())).collect();
    let mut summary = json!({
        "workstation": found.host.name, "date": found.host.date, "environment": facts,
        "quick": found.quick, "matrix_size": found.size, "seconds": found.took,
        "warnings": contents.warnings, "figures": figures(contents),
    });
    if contents.answers {
        summary["answers"] = json!({ "l1": found.l1_answer.json(), "l2": found.l2_answer.json() });
    }
    // Maps with string keys can always be serialised.
    serde_json::to_string_pretty(&summary).unwrap_or_default() + "\n"
}
