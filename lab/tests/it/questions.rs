//! The student's report answers none of its own questions to a reader who reads it from the
//! top.

use std::collections::BTreeMap;

use crate::{kit, secret};
use common::machine::{self, Machine};
use common::units::Bytes;
use report::{Assignment, Figure, Question};

/// The guide's right values, by field.
const RUBRIC: &str = include_str!("../../../extras/course/src/grade/figure1.toml");
/// What a reader sees in the page and its source, without the measured values: tables of
/// sweeps, and the coordinates of curves.
pub(crate) fn readable(page: &str) -> String {
    let without_rows = |table: &str| {
        let caption = table.split_once("<caption>").and_then(|(_, rest)| rest.split_once("</caption>"));
        caption.map_or("", |(caption, _)| caption).to_owned()
    };
    let page = each(page, "<style>", "</style>", |_| String::new());
    let page = each(&page, "<table class=\"sweep", "</table>", without_rows);
    let page = each(&page, "<table class=\"sizes", "</table>", without_rows);
    // The values under the pointer, and the curves and ends of axes in words: what the picture shows.
    let page = each(&page, "<metadata>", "</metadata>", |_| String::new());
    let page = each(&page, "<desc>", "</desc>", |words| {
        let shown = |part: &&str| {
            !["stride: ", "array size: ", "curves: "].iter().any(|start| part.starts_with(start))
        };
        words.split(". ").filter(shown).collect()
    });
    each(&page, "<svg", "</svg>", |svg| {
        let texts = svg.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text.trim());
        texts.filter(|text| !is_place(text)).map(|text| format!("{text}\n")).collect()
    })
}

/// An array's size or a stride, as ticks and legends show it.
fn is_place(label: &str) -> bool {
    label.strip_prefix("stride ").unwrap_or(label).parse::<Bytes>().is_ok()
}

/// `text` with each part between `begin` and `end` replaced by `replaced` of it.
fn each(text: &str, begin: &str, end: &str, replaced: impl Fn(&str) -> String) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once(begin) {
        let (inner, after) = behind.split_once(end).unwrap();
        out += before;
        out += &replaced(inner);
        rest = after;
    }
    out + rest
}

/// All spellings of the right answer of `field`. A new question has a figure, or a value in the rubric.
fn asked(field: &Question, truth: &BTreeMap<String, Vec<String>>, page: &str) -> Vec<String> {
    let rubric: toml::Table = RUBRIC.parse().unwrap();
    let right = rubric.get(&field.id);
    if let Some(value) = right.and_then(toml::Value::as_integer) {
        return [secret::bytes(value as u64), secret::line(value as u64)].concat();
    }
    if let Some(range) = right.and_then(toml::Value::as_array) {
        let [low, high] = [&range[0], &range[1]].map(|end| end.as_integer().unwrap());
        return (low..=high).map(|value| format!("{value} ns")).collect();
    }
    // a text of which the size is part
    let figure = if field.id == "s2-1" { "l1.size".parse().ok() } else { field.expect };
    match figure {
        Some(Figure::Level(..)) => truth.get(&figure.unwrap().to_string()).cloned().unwrap_or_default(),
        Some(_) => checked(&field.id, page),
        None => panic!("{}: say in the assignment or in the rubric what it asks for", field.id),
    }
}

/// The number that the page itself accepts.
fn checked(id: &str, page: &str) -> Vec<String> {
    let Some((_, checks)) = page.split_once("id=\"checks\">") else { return Vec::new() };
    let checks: serde_json::Value = serde_json::from_str(checks.split_once("</script>").unwrap().0).unwrap();
    match checks[id]["right"].as_f64() {
        // 0, 1 and 100 occur everywhere.
        Some(number) if ![0.0, 1.0, 100.0].iter().any(|usual| (number - usual).abs() < 0.005) => {
            let digits = vec![format!("{number:.3}"), format!("{number:.2}"), format!("{number} elements")];
            let is_size = number.fract() == 0.0 && number >= 1000.0;
            [if is_size { secret::bytes(number as u64) } else { Vec::new() }, digits].concat()
        }
        _ => Vec::new(),
    }
}

/// Searches the page above every field of `assignment` for its answer; returns how many
/// values it searched for.
fn none_above(page: &str, assignment: &Assignment, machine: &Machine, what: &str) -> usize {
    let truth = secret::of_machine(machine);
    let shown = readable(page);
    let mut looked_for = 0;
    for field in assignment.fields().iter().filter(|field| field.kind.quantity().is_some()) {
        let (above, _) = shown.split_once(&format!(" id=\"{}\"", field.id)).unwrap();
        let values = asked(field, &truth, page);
        looked_for += usize::from(!values.is_empty());
        for value in values {
            assert!(!secret::holds(above, &value), "{what}: '{value}' is above {}", field.id);
        }
    }
    looked_for
}

#[test]
fn no_value_is_above_its_question() {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::from_toml(secret::DESCRIPTION, "ada").unwrap();
    std::fs::write(folder.path().join("open.toml"), secret::DESCRIPTION).unwrap();
    std::fs::write(folder.path().join("sealed.toml"), machine::seal("ada", secret::DESCRIPTION)).unwrap();
    for file in ["open.toml", "sealed.toml"] {
        let args = format!("run --quick --hasten 1000 --size 40 --machine {file} --output {file}.report");
        kit::printed(folder.path(), &args);
        let page = std::fs::read_to_string(folder.path().join(format!("{file}.report/report.html"))).unwrap();
        let values = none_above(&page, &Assignment::guide(), &machine, file);
        assert!(values >= 16, "{file}: {values} values");
    }
}

/// The handouts' commands draw what shows the caches, and do not name them.
#[test]
fn no_chart_names_the_caches_of_its_machine() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("m.toml"), secret::DESCRIPTION).unwrap();
    let truth = secret::of_machine(&Machine::from_toml(secret::DESCRIPTION, "ada").unwrap());
    for (program, args, plot) in [
        ("spark", "--max 8K --repeats 1 --chart c.svg", ""),
        ("cm1", "--max 16K --repeats 1 --chart c.svg", ""),
        ("cm1", "--max 16K --repeats 1 --record r.json", "plot r.json -o c.svg"),
        ("mm1", "--size 8 --record r.json", "plot r.json -o c.svg"),
        ("lab", "causes 8 --record r.json", "plot r.json -o c.svg"),
    ] {
        let ran = kit::run(folder, program, &format!("{args} --machine m.toml"));
        assert!(ran.status.success(), "{program} {args}: {}", kit::stderr(&ran));
        if !plot.is_empty() {
            kit::printed(folder, plot);
        }
        let shown = readable(&std::fs::read_to_string(folder.join("c.svg")).unwrap());
        assert!(shown.contains("ada"), "{program}: {shown}");
        for value in truth.values().flatten() {
            assert!(!secret::holds(&shown, value), "{program} {args}: '{value}' in {shown}");
        }
    }
    let listed = kit::printed(folder, "machines");
    let of = |name: &str| listed.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(of("zen3").contains("L1 32 KiB"), "{listed}");
    assert!(!of("sparcstation-1+").contains("KiB") && !of("host\t").contains("iB"), "{listed}");
    assert_eq!(kit::lab(folder, "machines sparcstation-1+").status.code(), Some(1));
}

/// Tests the test: a page that reveals an answer fails.
#[test]
fn a_page_that_shows_answers_is_noticed() {
    let machine = Machine::from_toml(secret::DESCRIPTION, "ada").unwrap();
    let guide = Assignment::guide();
    let fields: String = guide.fields().iter().map(|field| format!("<p id=\"{}\"></p>", field.id)).collect();
    assert!(none_above(&fields, &guide, &machine, "") > 0);
    for start in ["L1 24 KiB", "<svg><text x=\"24\">\nL2 896 KiB\n</text></svg>", "a miss costs 612 ns"] {
        let page = format!("{start}{fields}");
        let found = std::panic::catch_unwind(|| none_above(&page, &guide, &machine, ""));
        assert!(found.is_err(), "{start}");
    }
    let measured = "<svg><text>24 KiB</text><text>stride 512 B</text></svg><table class=\"sizes\"><td>24 KiB</td></table>";
    none_above(&format!("{measured}{fields}"), &guide, &machine, "");
}
