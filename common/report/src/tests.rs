use figures::units::Bytes;
use figures::value::{Reading, Source};
use machine::Machine;
use records::record::{Record, Row};

use super::*;

/// A sweep over a 32 KiB cache of 64-byte lines, for its misses and its times.
fn sweep(program: &str) -> Record {
    let mut record = Record::new(program, "a machine").set("event", "PAPI_L1_DCM").set("repeats", 4);
    for size in [16u64 << 10, 32 << 10, 64 << 10, 128 << 10] {
        for stride in (0..).map(|power| 1u64 << power).take_while(|stride| *stride <= size / 2) {
            let misses =
                if size > 32 << 10 && size / stride > 8 { (stride as f64 / 64.0).min(1.0) } else { 0.0 };
            let row = Row::at([("size_bytes", size.into()), ("stride_bytes", stride.into())]);
            record.rows.push(
                row.with("avg_misses", Reading::new(misses, Source::Model))
                    .with("ns_per_access", Reading::new(1.0 + misses, Source::Timing)),
            );
        }
    }
    record
}

fn product(checksum: i64, misses: impl Into<Reading>) -> Record {
    let mut record = Record::new("mm", "a machine");
    let counted = |amount| Reading::new(amount, Source::Hardware);
    record.rows.push(
        Row::at([("size", 512.into())])
            .result("checksum", checksum)
            .with("PAPI_L1_DCM", misses)
            .with("PAPI_LD_INS", counted(3.0 * 512f64.powi(3)))
            .with("PAPI_SR_INS", counted(512f64.powi(3)))
            .with("wall_s", Reading::new(0.25, Source::Timing)),
    );
    record
}

fn findings() -> Findings {
    let (l1, l2) = (sweep("cm1"), sweep("cm1"));
    let right = 2_717_908_992;
    Findings {
        quick: false,
        size: 512,
        runs: 1,
        host: Host {
            name: "<desk>".into(),
            date: "2026-11-20".into(),
            facts: vec![("Build", "debug".into())],
        },
        machine: Machine::named("i5-7500").unwrap(),
        here: true,
        spark: sweep("spark"),
        waiting: None,
        l1,
        l2,
        mm1: product(right, Reading::new(135.0e6, Source::Model)),
        mm2: product(right, Reading::missing("no such counter")),
        mm2_transposing: product(right, Reading::missing("no such counter")),
        mm3: product(7, Reading::new(0.0, Source::Hardware)),
        causes: Record::new("causes", "a machine"),
        line: Bytes(64),
        line_from: LineFrom::Sweep,
        took: 12.0,
        remarks: Vec::new(),
    }
}

fn report(findings: &Findings) -> Report<'_> {
    Report::new(findings, Assignment::guide(), Vec::new(), Answers::default())
}

fn text(files: &[File], name: &str) -> String {
    let (_, bytes) = files.iter().find(|(path, _)| path == name).unwrap();
    String::from_utf8(bytes.clone()).unwrap()
}

#[test]
fn the_page_is_self_contained_and_has_every_section_and_picture() {
    let findings = findings();
    let files = report(&findings).files().unwrap();
    let page = text(&files, PAGE);
    for part in ["2 Exercise", "3.1.1", "3.1.2", "3.2.1", "3.2.2", "3.2.3", "specification", "&lt;desk&gt;"] {
        assert!(page.to_lowercase().contains(&part.to_lowercase()), "{part}");
    }
    assert_eq!(
        page.matches("<svg").count(),
        13,
        "each chart wide and narrow, none of times that were not measured"
    );
    for outside in ["src=", "<link", "@import", "href=\"http", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(files.iter().filter(|(_, bytes)| bytes.starts_with(b"\x89PNG")).count(), 5);
}

#[test]
fn a_figure_has_its_source_a_missing_one_its_reason_and_a_wrong_checksum_a_warning() {
    let findings = findings();
    let report = report(&findings);
    let page = text(&report.files().unwrap(), PAGE);
    assert!(page.contains("135.000</span> × 10<sup>6</sup> <span class=\"source model\">model</span>"));
    assert!(page.contains("(no such counter)"));
    let warnings = report.warnings().join("\n");
    assert!(warnings.contains("mm3: the checksum is 7") && !warnings.contains("mm2: the"), "{warnings}");
}

#[test]
fn what_a_student_computes_is_on_the_page_only_as_data_for_the_checks() {
    let findings = findings();
    let page = text(&report(&findings).files().unwrap(), PAGE);
    // 1 - 135.0e6 / (4 * 512^3)
    let rate = 1.0 - 135.0e6 / (4.0 * 512f64.powi(3));
    let (fields, after) = page.split_once("id=\"checks\"").unwrap();
    for shown in [format!("{:.6}", rate), format!("{:.3}", 100.0 * rate)] {
        assert!(!fields.contains(&shown[..6]), "{shown}");
    }
    assert!(after.contains("\"kind\":\"percent\",\"right\":74.8"), "{after}");
}

#[test]
fn every_field_is_once_on_the_page_and_carries_what_was_typed() {
    let findings = findings();
    let mut typed = Answers::default();
    typed.fields.insert("s2-1".into(), "48 <KiB>".into());
    typed.fields.insert("s2-old".into(), "renamed".into());
    let report = Report::new(&findings, Assignment::guide(), Vec::new(), typed.clone());
    assert!(
        report.warnings().join("").contains("questions that this page does not ask")
            && report.warnings().join("").contains("s2-old")
    );
    let page = text(&report.files().unwrap(), PAGE);
    let fields = Assignment::guide().fields();
    for field in &fields {
        assert_eq!(page.matches(&format!(" id=\"{}\"", field.id)).count(), 1, "{}", field.id);
    }
    assert_eq!(page.matches("data-field=").count(), fields.len(), "and there are no others");
    assert!(page.contains("What is the cache capacity of this computer?</legend>"));
    assert!(page.contains("value=\"48 &lt;KiB&gt;\""));
    assert_eq!(Answers::of_page(&page), Ok(typed));
    let asked = fields.iter().filter(|field| field.section != "students");
    let asked: Vec<_> =
        asked.map(|field| (field.id.clone(), field.label.clone(), field.kind.quantity())).collect();
    let found = Asked::in_page(&page).unwrap();
    assert_eq!(
        Vec::from_iter(found.fields.into_iter().map(|field| (field.id, field.label, field.kind))),
        asked
    );
    assert_eq!(found.matrix, 512);
    assert_eq!(
        Vec::from_iter(found.records.iter().map(|name| format!("records/{name}.json"))),
        Vec::from_iter(
            report.files().unwrap().into_iter().map(|(name, _)| name).filter(|name| name.ends_with(".json"))
        )
    );
}

#[test]
fn matrices_of_another_size_than_the_assignments_are_the_first_warning() {
    let mut findings = findings();
    let says = |findings: &Findings, assignment| {
        let warnings = Report::new(findings, assignment, Vec::new(), Answers::default()).warnings;
        warnings.first().is_some_and(|first| first.contains("do not count"))
    };
    assert!(!says(&findings, Assignment::guide()));
    let mut larger = Assignment::guide();
    larger.sizes.matrix = Some(1024);
    assert!(says(&findings, larger));
    findings.size = 256;
    assert!(says(&findings, Assignment::guide()));
}

/// The number of questions in each document, counted in its own text.
const ASKED: [(&str, usize); 6] = [
    ("guide 1.1.0", 61),
    ("guide 1.0.2", 57),
    ("homework", 13),
    ("lecture", 23),
    ("article", 9),
    ("handout", 6),
];

/// The questions of the course's documents, and where they are answered.
#[test]
fn everything_that_the_documents_ask_for_has_its_command_and_its_place() {
    let findings = findings();
    let files = report(&findings).files().unwrap();
    let page = text(&files, PAGE);
    let rows: Vec<Vec<&str>> =
        include_str!("coverage.csv").lines().skip(1).map(|row| row.split(',').collect()).collect();
    for row in &rows {
        let [document, item, command, place] = row[..] else { panic!("{row:?}") };
        assert!(!command.is_empty(), "{document}: {item}");
        let there = match place.split_once(": ") {
            Some(("beside" | "open", why)) => !why.is_empty(),
            _ if place.starts_with('#') => page.contains(&format!(" id=\"{}\"", &place[1..])),
            _ => files.iter().any(|(name, _)| name == place),
        };
        assert!(there, "{document}: {item}: {place}");
    }
    for (document, asked) in ASKED {
        assert_eq!(rows.iter().filter(|row| row[0] == document).count(), asked, "{document}");
    }
    for field in Assignment::guide().fields().iter().filter(|field| field.section != "students") {
        assert!(rows.iter().any(|row| row[3].strip_prefix('#') == Some(&field.id)), "{}", field.id);
    }
}

#[test]
fn what_an_assignment_leaves_out_is_not_asked() {
    let findings = findings();
    let guide = GUIDE;
    let fewer = guide.replacen("[[section]]\npart = \"causes\"\n", "", 1);
    let (before, rest) = fewer.split_once("[[question]]\nid = \"s321-a-memory\"").unwrap();
    let (_, behind) = rest.split_once("[[question]]").unwrap();
    let assignment = Assignment::parse(&format!("{before}[[question]]{behind}")).unwrap();
    let page =
        text(&Report::new(&findings, assignment, Vec::new(), Answers::default()).files().unwrap(), PAGE);
    assert!(!page.contains("id=\"causes\"") && !page.contains("#causes"));
    assert!(!page.contains("s321-a-memory") && page.contains("524\u{202f}288"), "a figure instead");
    assert!(page.contains("data-field=") && page.contains("s321-c-hit-rate"));
}
