//! The data for the template.

use figures::units::Bytes;
use figures::value::Reading;
use machine::CacheLevel;
use records::note::Note;
use records::record::Record;
use serde_json::{Value, json};

use crate::answers::{ASKED, Asked, AskedField, RUN, element, is_signature, reader_data};
use crate::assignment::{Question, Section, SheetPart};
use crate::causes;
use crate::cell::Cell;
use crate::checks;
use crate::contents::Report;
use crate::expected::checks;
use crate::findings::{Findings, LineFrom};
use crate::own_sections::SectionView;
use crate::pictures::views;
use crate::product::{BY_SIZE, Gain, Product};
use crate::sweep::{size_table, source, table, why};

/// All that the templates use.
pub(crate) fn page(contents: &Report<'_>) -> Value {
    let found = contents.findings;
    let svg = |wanted: &str| {
        let drawn = contents.pictures.iter().find(|(name, _)| name == wanted);
        drawn.map(|(_, chart)| views(chart.clone())).unwrap_or_default()
    };
    let n = f64::from(found.size);
    let assignment = &contents.assignment;
    let elements = match found.line_from {
        LineFrom::Sealed => Cell::of(&Reading::missing("the line is for you to find"), 1.0, 0),
        _ => Cell::analytic(found.line.0 as f64 / 2.0),
    };
    let notes = contents.notes();
    // How a sweep's misses were measured.
    let sources = |record: &str| {
        let is_source = |note: &Note| matches!(note, Note::StandIn { since: Some(_), .. } | Note::Counts(_));
        let own = notes
            .iter()
            .filter(|(names, note, _)| names.iter().any(|name| name == record) && is_source(note));
        own.map(|(.., sentence)| sentence.clone()).collect()
    };
    json!({
        "language": assignment.language,
        "title": assignment.title,
        // the fields for students' names
        "students": (1..=assignment.students).collect::<Vec<u8>>(),
        "parts": assignment.sections.iter().map(|section| part(contents, section)).collect::<Vec<_>>(),
        "quick": found.quick,
        "workstation": found.host.name,
        "date": found.host.date,
        "facts": found.host.facts,
        "seconds": format!("{:.0}", found.took),
        "warnings": contents.warnings,
        "remarks": checks::remarks(found),
        "notes": notes.iter().filter(|(_, note, _)| !matches!(note, Note::Verdict(_))).map(|(names, _, sentence)| format!("{}: {sentence}", names.join(", "))).collect::<Vec<_>>(),
        "spark_table": size_table(&found.spark),
        "spark": svg("spark-stride"),
        "staircase": svg("spark-size"),
        "figure_1": svg("figure-1"),
        "by_size": BY_SIZE,
        "l1": misses(&found.l1, svg("cm1-l1"), sources("cm1-l1")),
        "l2": misses(&found.l2, svg("cm1-l2"), sources("cm1-l2")),
        "n": found.size,
        "runs": found.runs,
        "matrix_bytes": Cell::analytic(n * n * 2.0),
        "line": found.line.to_string(),
        "line_from": line_from(found),
        "elements": elements,
        "products": contents.products.each_ref().map(Product::cells),
        "gains": contents.gains.each_ref().map(Gain::cells),
        "causes": {
            "picture": svg("causes"),
            "lines": causes::lines(&found.causes),
            "source": source(&found.causes, "PAPI_L1_DCM"),
            "questions": causes::QUESTIONS,
        },
        "levels": levels(found),
        "assumed": found.machine.unknown,
        // the number of fields to fill in
        "fields": asked(contents).fields.iter().filter(|field| field.optional.is_none()).count(),
        // JSON for the kit's programs and for the page's scripts
        "data": [
            contents.typed.element(),
            element(ASKED, &asked(contents)),
            element(RUN, &contents.run),
            element("reader", &reader_data()),
            element("checks", &checks(contents)),
        ],
    })
}

/// What `lab handin` compares the folder with.
fn asked(contents: &Report<'_>) -> Asked {
    let fields = contents.assignment.fields().into_iter().filter(|field| !is_signature(&field.id));
    let optional = |id: &String| contents.assignment.sections.iter().any(|own| own.optional && own.id == *id);
    let field = |field: Question| AskedField {
        kind: field.kind.quantity(),
        id: field.id,
        label: field.label,
        optional: Some(field.section).filter(optional),
    };
    Asked {
        fields: fields.map(field).collect(),
        matrix: contents.assignment.matrix(),
        records: contents.records().into_iter().map(|(name, _)| name).collect(),
    }
}

/// A part of the guide's sheet, or a section with its own programs: its template, and the
/// page's sections for links.
fn part(contents: &Report<'_>, section: &Section) -> Value {
    let (template, links): (&str, &[[&str; 2]]) = match section.part {
        Some(SheetPart::Exercise) => ("exercise.html", &[["s2", "2 Exercise"]]),
        Some(SheetPart::Caches) => ("caches.html", &[["s311", "3.1.1 L1 cache"], ["s312", "3.1.2 L2 cache"]]),
        Some(SheetPart::Products) => {
            ("products.html", &[["s321", "3.2.1 mm1"], ["s322", "3.2.2 mm2"], ["s323", "3.2.3 mm3"]])
        }
        Some(SheetPart::Causes) => ("causes.html", &[["causes", "What decides the time?"]]),
        Some(SheetPart::Specification) => ("specification.html", &[["spec", "Specification"]]),
        None => ("section.html", &[[&section.id, &section.title]]),
    };
    let own = section
        .part
        .is_none()
        .then(|| SectionView::of(section, &contents.further, &contents.findings.machine.description));
    json!({ "template": template, "links": links, "section": own, "optional": section.optional })
}

fn line_from(found: &Findings) -> &'static str {
    match found.line_from {
        LineFrom::Sweep => "as read from the L1 sweep above",
        LineFrom::System => "as the system reports it, since the sweep above does not show it",
        LineFrom::Usual => "the usual one, since neither the sweep nor the system shows it",
        LineFrom::Sealed => "the usual one, since you have to find this machine's",
    }
}

/// A sweep of cm1.
fn misses(record: &Record, picture: [String; 2], notes: Vec<String>) -> Value {
    let event = record.settings.get("event").and_then(Value::as_str).unwrap_or_default();
    let sizes = || record.rows.iter().filter_map(|row| row.whole("size_bytes")).map(Bytes);
    let of_misses = ("avg_misses", "Misses per access");
    let range = |end: Option<Bytes>| end.map(|b| b.to_string()).unwrap_or_default();
    json!({
        "event": event,
        "sizes": format!("{} – {}", range(sizes().min()), range(sizes().max())),
        "repeats": record.settings.get("repeats").and_then(Value::as_u64).unwrap_or_default(),
        "source": source(record, "avg_misses"),
        "why": why(record, "avg_misses"),
        "picture": picture,
        "notes": notes,
        // what cm1 itself decides
        "verdicts": record.notes.iter().filter(|note| matches!(note, Note::Verdict(_))).map(Note::to_string).collect::<Vec<_>>(),
        "tables": [
            table(record, of_misses, u64::is_power_of_two, 4, Some(1.0)),
            table(record, ("avg_cycles", "Core cycles per access"), u64::is_power_of_two, 2, None),
        ],
        // sizes near the step, which show where the cache ends
        "between": table(record, of_misses, |size| !size.is_power_of_two(), 4, Some(1.0)),
    })
}

/// The caches as the system reports them.
fn levels(found: &Findings) -> Vec<Value> {
    let level = |cache: &CacheLevel| {
        json!({
            "name": if cache.level == 1 { "L1 data".to_owned() } else { format!("L{}", cache.level) },
            "size": cache.size.to_string(),
            "line": cache.line.to_string(),
            "ways": cache.ways,
            "sets": cache.sets(),
            "shared": cache.shared_by,
        })
    };
    found.machine.levels.iter().map(level).collect()
}
