//! What an assignment may ask; what is wrong is told as a clause.

use std::collections::BTreeSet;

use super::{Assignment, ORDINALS, Question, Section};
use crate::fields::Kind;

/// Sections, questions of one assignment, and programs of one section.
const MOST: usize = 500;
/// Ruled lines of an answer.
const LINES: u8 = 40;
/// Names that the page uses itself.
const TAKEN: [&str; 25] = [
    "answers",
    "bar",
    "causes",
    "count",
    "export",
    "how",
    "import",
    "none-open",
    "open",
    "open-list",
    "print",
    "quantities",
    "s2",
    "s311",
    "s312",
    "s321",
    "s322",
    "s323",
    "said",
    "show",
    "spec",
    "spec-shown",
    "students",
    "undo",
    "words",
];

pub(super) fn sound(read: &Assignment) -> Result<(), String> {
    if !(1..=ORDINALS.len()).contains(&usize::from(read.students)) {
        return Err(format!("students is {}; 1 to {} can sign a report", read.students, ORDINALS.len()));
    }
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if read.language.is_empty() || !read.language.chars().all(letters) {
        return Err(format!("language is '{}'; give one as HTML has it: en, pt, pt-BR", read.language));
    }
    if read.sections.is_empty() || read.sections.len().max(read.questions.len()) > MOST {
        return Err(format!("an assignment has 1 to {MOST} sections, and no more questions"));
    }
    sizes(read)?;
    let mut ids = BTreeSet::from(TAKEN.map(str::to_owned));
    for section in &read.sections {
        of_section(section, &mut ids)?;
    }
    let fields = read
        .questions
        .iter()
        .flat_map(|q| [Some(q.id.clone()), q.why.as_ref().map(|_| q.id.clone() + "-why")]);
    fields.flatten().try_for_each(|id| unique(id, &mut ids))?;
    read.questions.iter().try_for_each(|question| of_question(question, read))
}

fn sizes(read: &Assignment) -> Result<(), String> {
    let sizes = &read.sizes;
    if sizes.matrix.is_some_and(|n| !(8..=4096).contains(&n)) {
        return Err("matrix: a matrix has 8 to 4096 rows".to_owned());
    }
    if sizes.runs.is_some_and(|n| !(1..=100).contains(&n)) {
        return Err("runs: a product is run 1 to 100 times".to_owned());
    }
    for (name, sweep) in [("spark", sizes.spark), ("l1", sizes.l1), ("l2", sizes.l2)] {
        if sweep.repeats == Some(0) {
            return Err(format!("{name}: repeats is 0; a sweep needs one at least"));
        }
        if sweep.max.is_some_and(|max| !(8 << 10..=1 << 30).contains(&max.0)) {
            return Err(format!("{name}: max is the largest array, 8 KiB to 1 GiB"));
        }
    }
    Ok(())
}

fn of_section(section: &Section, ids: &mut BTreeSet<String>) -> Result<(), String> {
    if let Some(part) = section.part {
        let alone = Section { part: Some(part), ..Section::default() };
        if *section != alone {
            return Err(
                "a section with a part of the guide has nothing else; give another section an id".to_owned()
            );
        }
        return unique(part.sections()[0].replace('.', "-") + "-part", ids);
    }
    let name = &section.id;
    unique(name.clone(), ids)?;
    if section.title.trim().is_empty() {
        return Err(format!("section '{name}' has no title"));
    }
    if section.run.len() > MOST || section.run.iter().any(|line| program(line).is_none()) {
        return Err(format!(
            "section '{name}': run holds command lines, each beginning with the name of a program that lies beside lab"
        ));
    }
    Ok(())
}

/// The program of a command line; a name, never a path.
pub fn program(line: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    line.split_whitespace().next().filter(|name| name.chars().all(plain) && !name.starts_with('-'))
}

fn unique(id: String, ids: &mut BTreeSet<String>) -> Result<(), String> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if id.is_empty() || id.len() > 60 || !id.bytes().all(plain) || id.ends_with("-told") {
        return Err(format!("'{}' is no id; write small letters, digits and hyphens", id.escape_debug()));
    }
    if !ids.insert(id.clone()) {
        return Err(format!("the id '{id}' is there twice, or the page uses it; choose another"));
    }
    Ok(())
}

fn of_question(question: &Question, read: &Assignment) -> Result<(), String> {
    let id = &question.id;
    let known = |section: &Section| match section.part {
        Some(_) => false,
        None => section.id == question.section,
    };
    let guides = ["2", "3.1.1", "3.1.2", "3.2.1", "3.2.2", "3.2.3", "causes", "specification"];
    if !guides.contains(&question.section.as_str()) && !read.sections.iter().any(known) {
        return Err(format!(
            "'{id}' is of section '{}', which is not there; give {} or the id of a section",
            question.section.escape_debug(),
            guides.join(", ")
        ));
    }
    if question.label.trim().is_empty() || question.label.contains('\n') {
        return Err(format!("'{id}' needs a label, on one line"));
    }
    if question.lines > LINES {
        return Err(format!("'{id}': {} ruled lines are too many; {LINES} fill a page", question.lines));
    }
    if question.why.is_some() && question.kind != Kind::Value {
        return Err(format!("'{id}': only a value has a why; a text is its own"));
    }
    let worth = [question.points, question.why_points];
    if worth.into_iter().flatten().any(|points| !(0.0..=1e6).contains(&points)) {
        return Err(format!("'{id}': points are not negative"));
    }
    if question.why_points.is_some() && question.why.is_none() {
        return Err(format!("'{id}' has why_points, but no why"));
    }
    Ok(())
}
