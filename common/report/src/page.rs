//! The data for the template.

use std::collections::{BTreeMap, BTreeSet};

use chart::Chart;
use events::Event;
use figures::quantity::Doubt;
use figures::units::Bytes;
use machine::CacheLevel;
use records::note::Note;
use records::saved::Saved;
use serde::Serialize;

use crate::assignment::{Assignment, Section, SheetPart};
use crate::causes;
use crate::checked::{self, OnPage};
use crate::contents::Contents;
use crate::fields::reader_data;
use crate::figure::Figure;
use crate::findings::{Findings, LineFrom, Sweep};
use crate::own_sections::Shown;
use crate::pictures::FIGURE_1;
use crate::product::{Gain, Product};
use crate::sweep::{SizeTable, Table, size_table, source, table, why};

/// All data.
#[derive(Serialize)]
pub(crate) struct Page<'r> {
    language: &'r str,
    title: &'r str,
    /// The fields for students' names.
    students: Vec<u8>,
    parts: Vec<PartOfPage<'r>>,
    answers: bool,
    /// Whether the machine was measured, not modelled.
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
    l1: Misses,
    l2: Misses,
    n: u32,
    runs: u32,
    matrix_bytes: Figure,
    line: String,
    line_from: &'static str,
    elements: Figure,
    /// Whether the cycles of all products are their times at one clock.
    one_clock: bool,
    products: &'r [Product],
    gains: &'r [Gain],
    causes: Causes,
    levels: Vec<Level>,
    assumed: &'r [String],
    /// The number of fields to fill in.
    fields: usize,
    /// The earlier answers, in the form for the page's script.
    answers_element: String,
    /// The page's texts in another language, in the form for its script.
    words: String,
    /// The data of the script that reads values.
    reader: String,
    /// The checks of the numbers that the student computes, by field.
    checks: String,
}

/// A part of the guide's sheet, or a section with its own programs.
#[derive(Serialize)]
struct PartOfPage<'r> {
    template: &'static str,
    /// The page's sections, for links.
    links: Vec<(&'r str, &'r str)>,
    section: Option<Shown<'r>>,
}

/// A sweep of cm1.
#[derive(Serialize)]
struct Misses {
    event: String,
    meaning: String,
    sizes: String,
    repeats: u64,
    source: String,
    picture: String,
    /// Why there are none.
    why: String,
    /// Notes that one must know to trust it.
    notes: Vec<String>,
    tables: [Table; 2],
    verdict: Verdict,
}

/// The section on what decides the time of a product.
#[derive(Serialize)]
struct Causes {
    picture: String,
    lines: Vec<causes::BarPair>,
    hints: Vec<String>,
    verdicts: Vec<String>,
}

/// A cache as the system reports it.
#[derive(Serialize)]
struct Level {
    name: String,
    size: String,
    line: String,
    ways: usize,
    sets: usize,
    /// Processors that share it.
    shared: usize,
    /// The kit's own reading of the curves, if it is shown.
    read: Option<Verdict>,
}

/// The kit's own answer in sentences, with its argument.
#[derive(Debug, Clone, Default, Serialize)]
struct Verdict {
    size: String,
    line: String,
    ways: String,
    penalty: String,
    /// Set if the curve is not conclusive.
    refusal: String,
    why: Vec<String>,
}

impl Verdict {
    fn of(answer: &infer::Answer) -> Verdict {
        let why = answer.why.clone();
        match &answer.verdict {
            Err(reason) => Verdict { refusal: reason.clone(), why, ..Verdict::default() },
            Ok(found) => Verdict {
                size: found.size_text(),
                line: found.line.to_string(),
                ways: found
                    .ways_text()
                    .map_or_else(|why| format!("not known: {why}"), |w| format!("{w} ways")),
                penalty: found
                    .times
                    .map(|t| format!("{:.1} ns above a hit of {:.1} ns", t.penalty_ns, t.hit_ns))
                    .unwrap_or_default(),
                refusal: String::new(),
                why,
            },
        }
    }
}

pub(crate) fn page<'r>(contents: &'r Contents<'_>) -> Page<'r> {
    let found = contents.findings;
    let pictures = &contents.pictures;
    let n = f64::from(found.size);
    let figure_1 = Saved::parse(FIGURE_1).map(|saved| infer::read(&saved));
    let assignment = &contents.assignment;
    let checks = checked::checks(contents);
    Page {
        language: &assignment.language,
        title: &assignment.title,
        students: (1..=assignment.students).collect(),
        parts: parts(contents),
        answers: contents.answers,
        here: found.here,
        quick: found.quick,
        workstation: &found.host.name,
        date: &found.host.date,
        facts: &found.host.facts,
        seconds: format!("{:.0}", found.took),
        warnings: &contents.warnings,
        notes: contents.notes(),
        spark_table: size_table(&found.spark.record),
        spark: pictures.spark.svg(),
        staircase: pictures.staircase.svg(),
        figure_1: pictures.figure_1.svg(),
        figure_1_verdict: figure_1.map(|answer| Verdict::of(&answer)).unwrap_or_default(),
        l1: misses(&found.l1, &pictures.l1, &found.l1_answer),
        l2: misses(&found.l2, &pictures.l2, &found.l2_answer),
        n: found.size,
        runs: found.runs,
        matrix_bytes: Figure::analytic(n * n * 2.0),
        line: found.line.to_string(),
        line_from: line_from(found),
        elements: match found.line_from {
            LineFrom::Sealed => Figure::missing("the line is for you to find"),
            _ => Figure::analytic(found.line.0 as f64 / 2.0),
        },
        one_clock: has_one_clock(&contents.products),
        products: &contents.products,
        gains: &contents.gains,
        causes: Causes {
            picture: pictures.causes.svg(),
            lines: causes::lines(&found.causes),
            hints: causes::hints(&found.causes),
            verdicts: causes::verdicts(&found.causes),
        },
        levels: levels(found, contents.answers),
        assumed: &found.machine.unknown,
        fields: assignment.fields().len(),
        answers_element: contents.typed.element(),
        words: words(assignment, checks.values()),
        reader: in_script(&reader_data()),
        checks: in_script(&serde_json::to_string(&checks).unwrap_or_default()),
    }
}

/// The script's texts in the assignment's language, as JSON that cannot close the element
/// early.
fn words<'c>(assignment: &Assignment, checks: impl Iterator<Item = &'c OnPage>) -> String {
    let script = include_str!("template/script.js");
    let sentences: BTreeSet<&str> =
        checks.flat_map(OnPage::texts).chain(Doubt::ALL.map(Doubt::sentence)).collect();
    let is_said = |english: &str| sentences.contains(english) || script.contains(&format!("\"{english}\""));
    let said: BTreeMap<_, _> = assignment.words().iter().filter(|(english, _)| is_said(english)).collect();
    in_script(&serde_json::to_string(&said).unwrap_or_default())
}

/// JSON that cannot close its element early.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The sections in the assignment's order.
fn parts<'r>(contents: &'r Contents<'_>) -> Vec<PartOfPage<'r>> {
    let part = |section: &'r Section| match section.part {
        Some(part) => {
            let (template, links) = of_guide(part);
            PartOfPage { template, links: links.to_vec(), section: None }
        }
        None => PartOfPage {
            template: "section.html",
            links: vec![(&section.id, &section.title)],
            section: Some(Shown::of(section, &contents.further, &contents.findings.machine.description)),
        },
    };
    contents.assignment.sections.iter().map(part).collect()
}

/// Its template, and its links.
fn of_guide(part: SheetPart) -> (&'static str, &'static [(&'static str, &'static str)]) {
    match part {
        SheetPart::Exercise => ("exercise.html", &[("s2", "2 Exercise")]),
        SheetPart::Caches => ("caches.html", &[("s311", "3.1.1 L1 cache"), ("s312", "3.1.2 L2 cache")]),
        SheetPart::Products => {
            ("products.html", &[("s321", "3.2.1 mm1"), ("s322", "3.2.2 mm2"), ("s323", "3.2.3 mm3")])
        }
        SheetPart::Causes => ("causes.html", &[("causes", "What decides the time?")]),
        SheetPart::Specification => ("specification.html", &[("spec", "Specification")]),
    }
}

/// Whether all products have the same cycles per second. Records of an interrupted run may have
/// another clock.
fn has_one_clock(products: &[Product]) -> bool {
    let clock = |product: &Product| Some(product.cycles.known()? / product.seconds.known()?);
    let clocks: Vec<f64> = products.iter().filter_map(clock).collect();
    clocks.len() == products.len() && clocks.iter().all(|clock| (clock / clocks[0] - 1.0).abs() < 1e-6)
}

fn line_from(found: &Findings) -> &'static str {
    match found.line_from {
        LineFrom::Sweep => "as read from the L1 sweep above",
        LineFrom::System => "as the system reports it, since the sweep above does not show it",
        LineFrom::Usual => "the usual one, since neither the sweep nor the system shows it",
        LineFrom::Sealed => "the usual one, since you have to find this machine's",
    }
}

fn misses(sweep: &Sweep, picture: &Chart, answer: &infer::Answer) -> Misses {
    let record = &sweep.record;
    let setting = |key: &str| record.settings.get(key);
    let event = setting("event").and_then(|event| event.as_str()).unwrap_or_default().to_owned();
    let meaning = Event::parse(&event).map(|event| event.description().to_owned()).unwrap_or_default();
    let sizes = || record.rows.iter().filter_map(|row| row.whole("size_bytes")).map(Bytes);
    let range = |end: Option<Bytes>| end.map(|b| b.to_string()).unwrap_or_default();
    Misses {
        event,
        meaning,
        sizes: format!("{} to {}", range(sizes().min()), range(sizes().max())),
        repeats: setting("repeats").and_then(|r| r.as_u64()).unwrap_or_default(),
        source: source(record, "avg_misses"),
        why: why(record, "avg_misses"),
        picture: picture.svg(),
        notes: record
            .notes
            .iter()
            .filter(|note| matches!(note, Note::StandIn { .. } | Note::Counts(_)))
            .map(Note::to_string)
            .collect(),
        tables: [
            table(record, "avg_misses", "Misses per access", 4, Some(1.0)),
            table(record, "avg_cycles", "Core cycles per access", 2, None),
        ],
        verdict: Verdict::of(answer),
    }
}

fn levels(found: &Findings, answers: bool) -> Vec<Level> {
    let read = |level: u8| match level {
        1 => Some(Verdict::of(&found.l1_answer)),
        2 => Some(Verdict::of(&found.l2_answer)),
        _ => None,
    };
    let level = |cache: &CacheLevel| Level {
        name: if cache.level == 1 { "L1 data".to_owned() } else { format!("L{}", cache.level) },
        size: cache.size.to_string(),
        line: cache.line.to_string(),
        ways: cache.ways,
        sets: cache.sets(),
        shared: cache.shared_by,
        read: read(cache.level).filter(|_| answers),
    };
    found.machine.levels.iter().map(level).collect()
}
