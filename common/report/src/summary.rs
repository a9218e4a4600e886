//! The figures of the sheet, one per line, for scripts and graders.

use std::fmt::Write;

use serde_json::json;

use figures::table::{columns as columns_of, four};

use crate::contents::Contents;
use crate::figure::Figure;
use crate::product::{Gain, Product};

/// One figure with its section of the guide.
struct Entry {
    section: &'static str,
    name: String,
    unit: &'static str,
    /// Whether it is computed from the others.
    computed: bool,
    figure: Figure,
}

/// All figures, in the guide's order. Students must compute rates and speed-ups themselves:
/// these are included only with the answers.
fn entries(contents: &Contents<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let [mm1, mm2, transposing, mm3] = &contents.products;
    product("3.2.1", mm1, &mut entries);
    product("3.2.2 a", mm2, &mut entries);
    product("3.2.2 c", transposing, &mut entries);
    product("3.2.3", mm3, &mut entries);
    let [over_mm1, transposing_over_mm1, blocked_over_mm1, blocked_over_mm2] = &contents.gains;
    gain("3.2.2 d", "mm2 over mm1", over_mm1, &mut entries);
    gain("3.2.2 d", "mm2 with its transposition over mm1", transposing_over_mm1, &mut entries);
    gain("3.2.3 d", "mm3 over mm1", blocked_over_mm1, &mut entries);
    gain("3.2.3 e", "mm3 over mm2", blocked_over_mm2, &mut entries);
    entries.retain(|entry| contents.answers || !entry.computed);
    entries
}

fn product(section: &'static str, product: &Product, entries: &mut Vec<Entry>) {
    let figures = [
        ("L1 data cache misses", "", &product.misses),
        ("loads and stores", "", &product.accesses),
        ("core cycles", "", &product.cycles),
        ("time", "s", &product.seconds),
        ("L1 hit rate", "", &product.hit_rate),
        ("L2 data cache misses", "", &product.l2_misses),
        ("L2 data cache accesses", "", &product.l2_accesses),
        ("L2 hit rate", "", &product.l2_hit_rate),
    ];
    for (name, unit, figure) in figures {
        let computed = name.contains("hit rate");
        let name = format!("{}: {name}", product.name);
        entries.push(Entry { section, name, unit, computed, figure: figure.clone() });
    }
}

fn gain(section: &'static str, what: &str, gain: &Gain, entries: &mut Vec<Entry>) {
    let figures = [
        ("difference of L1 hit rates", &gain.hit_rate),
        ("speed-up in core cycles", &gain.clocks),
        ("speed-up in time", &gain.time),
    ];
    for (name, figure) in figures {
        let name = format!("{what}: {name}");
        entries.push(Entry { section, name, unit: "", computed: true, figure: figure.clone() });
    }
}

/// The measured figures of the sheet for people: a line for each product. With `answers`
/// also the hit rates, which the sheet asks for.
pub(crate) fn table(contents: &Contents<'_>) -> String {
    type Column = (&'static str, &'static str, f64, fn(&Product) -> &Figure);
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
        |figure: &Figure, factor: f64| figure.known().map_or_else(|| "–".to_owned(), |a| four(a * factor));
    let mut rows = vec![line("", &|c| c.0.to_owned()), line("", &|c| c.1.to_owned())];
    rows.extend(
        contents
            .products
            .iter()
            .map(|product| line(product.name, &|(_, _, factor, pick)| told(pick(product), *factor))),
    );
    rows.push(line("source", &|(_, _, _, pick)| pick(&contents.products[0]).source()));
    columns_of(&rows)
}

/// A header and a line for each.
pub(crate) fn lines(contents: &Contents<'_>) -> String {
    let mut text = String::from("section\tfigure\tamount\tunit\tsource\n");
    for Entry { section, name, unit, figure, .. } in &entries(contents) {
        // Writing into a string cannot fail.
        let _ = match &figure.amount {
            Ok(amount) => writeln!(text, "{section}\t{name}\t{amount}\t{unit}\t{}", figure.source()),
            Err(reason) => writeln!(text, "{section}\t{name}\tnot counted ({reason})\t{unit}\t"),
        };
    }
    text
}

/// Environment, figures, warnings and the kit's own reading of the curves.
pub(crate) fn json(contents: &Contents<'_>) -> String {
    let figures: Vec<_> = entries(contents)
        .into_iter()
        .map(|e| {
            json!({
                "section": e.section, "figure": e.name, "unit": e.unit, "amount": e.figure.known(),
                "source": e.figure.source(), "reason": e.figure.amount.err(),
            })
        })
        .collect();
    let found = contents.findings;
    let facts: serde_json::Map<String, serde_json::Value> =
        found.host.facts.iter().map(|(label, value)| ((*label).to_owned(), value.clone().into())).collect();
    let mut summary = json!({
        "workstation": found.host.name, "date": found.host.date, "environment": facts,
        "quick": found.quick, "matrix_size": found.size, "seconds": found.took,
        "warnings": contents.warnings, "figures": figures,
    });
    if contents.answers {
        summary["answers"] = json!({ "l1": found.l1_answer.json(), "l2": found.l2_answer.json() });
    }
    // Maps with string keys can always be serialised.
    serde_json::to_string_pretty(&summary).unwrap_or_default() + "\n"
}
