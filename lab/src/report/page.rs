//! The page, from the template.

use common::events::Event;
use common::failure::Failure;
use common::infer;
use common::saved::Saved;
use common::units::Bytes;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

use super::figure::{Cell, Figure};
use super::pictures::FIGURE_1;
use super::sweep::{SizeTable, Table, size_table, table};
use super::verdict::Verdict;
use super::{Gain, Product, Report};
use crate::run::{Findings, LineFrom};

const TEMPLATE: &str = include_str!("report.html");

/// What the template sees.
#[derive(Serialize)]
struct Page<'r> {
    answers: bool,
    /// Whether the machine is the one that was measured.
    here: bool,
    quick: bool,
    workstation: &'r str,
    date: &'r str,
    facts: &'r [(&'static str, String)],
    seconds: String,
    warnings: &'r [String],
    notes: Vec<String>,
    spark_table: SizeTable,
    spark: String,
    staircase: String,
    figure_1: String,
    figure_1_verdict: Verdict,
    l1: Sweep,
    l2: Sweep,
    n: u32,
    runs: u32,
    matrix: String,
    matrix_bytes: Cell,
    line: String,
    line_from: &'static str,
    elements: Cell,
    products: Vec<ProductPart>,
    gains: Vec<GainPart>,
    levels: Vec<Level>,
    assumed: &'r [String],
}

/// A sweep of cm1.
#[derive(Serialize)]
struct Sweep {
    event: String,
    meaning: String,
    sizes: String,
    repeats: u64,
    source: String,
    picture: String,
    /// What must be known to believe it.
    notes: Vec<String>,
    tables: [Table; 2],
    verdict: Verdict,
}

#[derive(Serialize)]
struct ProductPart {
    name: &'static str,
    misses: Cell,
    loads: Cell,
    stores: Cell,
    accesses: Cell,
    cycles: Cell,
    seconds: Cell,
    hit_rate: Cell,
    l2_misses: Cell,
    l2_accesses: Cell,
    l2_hit_rate: Cell,
    checksum: String,
}

#[derive(Serialize)]
struct GainPart {
    hit_rate: Cell,
    l2_hit_rate: Cell,
    clocks: Cell,
    time: Cell,
}

/// A cache as the system reports it.
#[derive(Serialize)]
struct Level {
    name: String,
    size: String,
    line: String,
    ways: usize,
    sets: usize,
    shared: String,
    /// What the kit reads from the curves, if it is told.
    read: Option<Verdict>,
}

impl Report<'_> {
    /// The page as HTML.
    pub(super) fn page(&self) -> Result<String, Failure> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let told = |error: minijinja::Error| {
            Failure::could_not(format!("the report's template does not fit: {error:#}"))
        };
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(told)?;
        environment.set_syntax(syntax);
        environment.add_template("report.html", TEMPLATE).map_err(told)?;
        environment.get_template("report.html").and_then(|t| t.render(Serde(self.context()))).map_err(told)
    }

    fn context(&self) -> Page<'_> {
        let found = self.findings;
        let n = f64::from(found.settings.size);
        Page {
            answers: self.answers,
            here: found.here,
            quick: found.settings.quick,
            workstation: &found.host.name,
            date: &found.host.date,
            facts: &found.host.facts,
            seconds: format!("{:.0}", found.took),
            warnings: &self.warnings,
            notes: self.notes(),
            spark_table: size_table(&found.spark, found.line),
            spark: self.pictures.spark.svg(),
            staircase: self.pictures.staircase.svg(),
            figure_1: self.pictures.figure_1.svg(),
            figure_1_verdict: Saved::parse(FIGURE_1)
                .map(|saved| Verdict::of(&infer::read(&saved)))
                .unwrap_or_default(),
            l1: sweep(&found.l1, &self.pictures.l1, &found.l1_answer),
            l2: sweep(&found.l2, &self.pictures.l2, &found.l2_answer),
            n: found.settings.size,
            runs: found.settings.runs,
            matrix: Bytes((n * n * 2.0) as u64).to_string(),
            matrix_bytes: Figure::analytic(n * n * 2.0).cell(1.0, 0),
            line: found.line.to_string(),
            line_from: line_from(found),
            elements: Figure::analytic(found.line.0 as f64 / 2.0).cell(1.0, 0),
            products: self.products.iter().map(product).collect(),
            gains: self.gains.iter().map(gain).collect(),
            levels: levels(found, self.answers),
            assumed: &found.machine.unknown,
        }
    }

    /// The notes of all records, each once.
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for (name, record) in self.records() {
            for note in &record.notes {
                if !notes.iter().any(|known| known.ends_with(note)) {
                    notes.push(format!("{name}: {note}"));
                }
            }
        }
        notes
    }
}

fn line_from(found: &Findings) -> &'static str {
    match found.line_from {
        LineFrom::Sweep => "as read from the L1 sweep above",
        LineFrom::System => "as the system reports it, since the sweep above could not tell",
        LineFrom::Usual => "the usual one, since neither the sweep nor the system could tell",
    }
}

fn sweep(record: &common::record::Record, chart: &common::chart::Chart, answer: &infer::Answer) -> Sweep {
    let setting = |key: &str| record.settings.get(key);
    let event = setting("event").and_then(|event| event.as_str()).unwrap_or_default().to_owned();
    let meaning = Event::parse(&event).map(|event| event.description().to_owned()).unwrap_or_default();
    let sizes = || record.rows.iter().filter_map(|row| row.whole("size_bytes")).map(Bytes);
    let range = |end: Option<Bytes>| end.map(|b| b.to_string()).unwrap_or_default();
    let source = record.rows.iter().find_map(|row| row.reading("avg_misses")?.value());
    Sweep {
        event,
        meaning,
        sizes: format!("{} to {}", range(sizes().min()), range(sizes().max())),
        repeats: setting("repeats").and_then(|r| r.as_u64()).unwrap_or_default(),
        source: source.map_or("none".to_owned(), |value| value.source.to_string()),
        picture: chart.svg(),
        notes: record
            .notes
            .iter()
            .filter(|note| note.contains("misses") || note.contains("model"))
            .cloned()
            .collect(),
        tables: [
            table(record, "avg_misses", "Misses per access", 4, Some(1.0)),
            table(record, "avg_cycles", "Clock ticks per access (fixed-rate counter)", 2, None),
        ],
        verdict: Verdict::of(answer),
    }
}

fn product(product: &Product) -> ProductPart {
    ProductPart {
        name: product.name,
        misses: product.misses.cell(1e-6, 3),
        loads: product.loads.cell(1e-6, 3),
        stores: product.stores.cell(1e-6, 3),
        accesses: product.accesses.cell(1e-6, 3),
        cycles: product.cycles.cell(1e-6, 3),
        seconds: product.seconds.cell(1.0, 4),
        hit_rate: product.hit_rate.cell(100.0, 3),
        l2_misses: product.l2_misses.cell(1e-6, 3),
        l2_accesses: product.l2_accesses.cell(1e-6, 3),
        l2_hit_rate: product.l2_hit_rate.cell(100.0, 3),
        checksum: product.checksum.map_or("none".to_owned(), |sum| sum.to_string()),
    }
}

fn gain(gain: &Gain) -> GainPart {
    GainPart {
        hit_rate: gain.hit_rate.cell(100.0, 3),
        l2_hit_rate: gain.l2_hit_rate.cell(100.0, 3),
        clocks: gain.clocks.cell(1.0, 3),
        time: gain.time.cell(1.0, 3),
    }
}

fn levels(found: &Findings, answers: bool) -> Vec<Level> {
    let read = |level: u8| match level {
        1 => Some(Verdict::of(&found.l1_answer)),
        2 => Some(Verdict::of(&found.l2_answer)),
        _ => None,
    };
    let level = |cache: &common::machine::CacheLevel| Level {
        name: if cache.level == 1 { "L1 data".to_owned() } else { format!("L{}", cache.level) },
        size: cache.size.to_string(),
        line: cache.line.to_string(),
        ways: cache.ways,
        sets: cache.sets(),
        shared: match cache.shared_by {
            0 | 1 => "one processor".to_owned(),
            many => format!("{many} processors"),
        },
        read: read(cache.level).filter(|_| answers),
    };
    found.machine.levels.iter().map(level).collect()
}
