//! Checks an assignment; errors are clauses.

use std::collections::BTreeSet;

use super::definition::ORDINALS;
use super::{Assignment, FieldKind, Question, Section};
use crate::answers::name;

/// Ids that the page itself uses.
const TAKEN: &str = "2 answers bar causes checks copy count export fields how import none-open open open-list print reader reserve run s2 s311 s312 s321 s322 s323 said show spec spec-shown specification stale stale-list students undo unread unread-list words";

pub(super) fn sound(read: &Assignment) -> Result<(), String> {
    if !(1..=ORDINALS.len()).contains(&usize::from(read.students)) {
        return Err(format!("students is {}; 1 to {} can sign a report", read.students, ORDINALS.len()));
    }
    if read.sections.is_empty() {
        return Err("an assignment needs a section".to_owned());
    }
    if read.sizes.matrix.is_some_and(|n| !(8..=4096).contains(&n)) {
        return Err("matrix: a matrix has 8 to 4096 rows".to_owned());
    }
    let mut ids = BTreeSet::from_iter(TAKEN.split(' ').map(str::to_owned));
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
    if section.run.iter().any(|line| program(line).is_none()) {
        return Err(format!(
            "section '{name}': run holds command lines, each beginning with the name of a program in the folder of lab"
        ));
    }
    if section.run.is_empty() && !(section.columns.is_empty() && section.chart.is_empty()) {
        return Err(format!("section '{name}' has columns or a chart, and no run that they could come from"));
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
    if id.is_empty() || id.len() > 60 || !id.bytes().all(plain) || id.ends_with("-reading") {
        return Err(format!("'{}' is not an id; write small letters, digits and hyphens", id.escape_debug()));
    }
    if !ids.insert(id.clone()) {
        return Err(format!("the id '{id}' is used twice, or by the page; choose another"));
    }
    Ok(())
}

fn of_question(question: &Question, read: &Assignment) -> Result<(), String> {
    let id = &question.id;
    let known = |section: &Section| section.part.is_none() && section.id == question.section;
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
    if question.why.is_some() && question.kind == FieldKind::Text {
        return Err(format!("'{id}': a text contains its own justification; leave out why"));
    }
    if question.range && question.kind.quantity().is_none_or(|kind| !kind.may_be_range()) {
        return Err(format!("'{id}': range is for sizes and counts; write kind = \"bytes\" or \"count\""));
    }
    if let Some(figure) = question.expect.filter(|figure| question.kind.quantity() != Some(figure.kind())) {
        let kind = name(&figure.kind());
        return Err(format!("'{id}' expects {figure}; write kind = \"{kind}\""));
    }
    let worth = [question.points, question.why_points];
    if let Some(points) = worth.into_iter().flatten().find(|points| !(0.0..=1e6).contains(points)) {
        return Err(format!("'{id}': points is {points:?}; a question is worth 0 to 1000000 points"));
    }
    if question.why_points.is_some() && question.why.is_none() {
        return Err(format!("'{id}' has why_points, but no why"));
    }
    Ok(())
}
