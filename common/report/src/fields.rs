//! What the sheet asks a student for: each field once, by the name under which
//! answers travel.

use serde::Serialize;

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A name, a size, a count: one line.
    Value,
    /// A number that the page can check against this run.
    Number,
    /// Sentences.
    Text,
}

/// A field of the sheet. Its `id` is the key in `answers.json`, the `id` of its
/// element in the page, and never changes.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Field {
    /// `s311-c-size`: section 3.1.1, part c, what is asked.
    pub id: &'static str,
    /// The section of the guide, or of the report where the guide has none.
    pub section: &'static str,
    /// The question, in one line without markup.
    pub label: &'static str,
    /// How it is filled in.
    pub kind: Kind,
}

const fn value(id: &'static str, section: &'static str, label: &'static str) -> Field {
    Field { id, section, label, kind: Kind::Value }
}

const fn number(id: &'static str, section: &'static str, label: &'static str) -> Field {
    Field { id, section, label, kind: Kind::Number }
}

const fn text(id: &'static str, section: &'static str, label: &'static str) -> Field {
    Field { id, section, label, kind: Kind::Text }
}

/// All fields, in the order of the page.
pub const FIELDS: &[Field] = &[
    value("student-1-number", "students", "Number of the first student"),
    value("student-1-name", "students", "Name of the first student"),
    value("student-2-number", "students", "Number of the second student"),
    value("student-2-name", "students", "Name of the second student"),
    value("student-3-number", "students", "Number of the third student"),
    value("student-3-name", "students", "Name of the third student"),
    value("s2-1", "2", "What is the cache capacity of this computer?"),
    text("s2-1-why", "2", "Justify it with values from the table or the figures."),
    value("s2-2", "2", "What is the cache capacity of the machine of Figure 1?"),
    text("s2-2-why", "2", "Which values of Figure 1 say so?"),
    value("s2-3", "2", "What is the size of each of its cache blocks?"),
    text("s2-3-why", "2", "Which values of Figure 1 say so?"),
    value("s2-4", "2", "What is its miss penalty?"),
    text("s2-4-why", "2", "Which values of Figure 1 say so?"),
    text("s311-a-event", "3.1.1", "What does this event count? Explain it in your words."),
    value("s311-c-size", "3.1.1", "Determine the size of the L1 data cache."),
    text("s311-c-size-why", "3.1.1", "Justify the size."),
    value("s311-c-line", "3.1.1", "Determine the block size of the L1 data cache."),
    text("s311-c-line-why", "3.1.1", "Justify the block size."),
    value("s311-c-ways", "3.1.1", "Characterise the associativity of the L1 data cache."),
    text("s311-c-ways-why", "3.1.1", "Justify the associativity."),
    text("s312-a-changes", "3.1.2", "Describe and justify the changes of the program for L2."),
    value("s312-c-size", "3.1.2", "Determine the size of the L2 cache."),
    text("s312-c-size-why", "3.1.2", "Justify the size."),
    value("s312-c-line", "3.1.2", "Determine the block size of the L2 cache."),
    text("s312-c-line-why", "3.1.2", "Justify the block size."),
    value("s312-c-ways", "3.1.2", "Characterise the associativity of the L2 cache."),
    text("s312-c-ways-why", "3.1.2", "Justify the associativity."),
    number("s321-a-memory", "3.2.1", "Memory that one matrix needs, in bytes"),
    number("s321-c-hit-rate", "3.2.1", "L1 hit rate of mm1, in %"),
    number("s322-b-hit-rate", "3.2.2", "L1 hit rate of mm2, in %"),
    number("s322-c-hit-rate", "3.2.2", "L1 hit rate of mm2 with its transposition, in %"),
    text("s322-c-comment", "3.2.2", "Comment on the results when the transposition is included."),
    number("s322-d-delta", "3.2.2", "Hit rate of mm2 less that of mm1, in percentage points"),
    number("s322-d-clocks", "3.2.2", "Speed-up in clocks of mm2 over mm1"),
    number("s322-d-time", "3.2.2", "Speed-up in time of mm2 over mm1"),
    text("s322-d-comment", "3.2.2", "Comment on mm2 against mm1."),
    number("s323-a-elements", "3.2.3", "Matrix elements in a cache line"),
    number("s323-c-hit-rate", "3.2.3", "L1 hit rate of mm3, in %"),
    number("s323-d-delta", "3.2.3", "Hit rate of mm3 less that of mm1, in percentage points"),
    number("s323-d-clocks", "3.2.3", "Speed-up in clocks of mm3 over mm1"),
    text("s323-d-comment", "3.2.3", "Comment on mm3 against mm1."),
    number("s323-e-delta", "3.2.3", "Hit rate of mm3 less that of mm2, in percentage points"),
    number("s323-e-clocks", "3.2.3", "Speed-up in clocks of mm3 over mm2"),
    text("s323-e-comment", "3.2.3", "Comment on mm3 against mm2: how do you explain its time?"),
    text(
        "causes-which",
        "causes",
        "What decides the time of mm1 and mm2 on this machine, and what that of mm3?",
    ),
    value("spec-l1-size", "specification", "Your size of L1"),
    value("spec-l1-line", "specification", "Your line of L1"),
    value("spec-l1-ways", "specification", "Your ways of L1"),
    value("spec-l1-sets", "specification", "Your sets of L1"),
    value("spec-l2-size", "specification", "Your size of L2"),
    value("spec-l2-line", "specification", "Your line of L2"),
    value("spec-l2-ways", "specification", "Your ways of L2"),
    value("spec-l2-sets", "specification", "Your sets of L2"),
    text("spec-comment", "specification", "Compare your results with the specification, and comment."),
];

/// The field called `id`.
pub fn field(id: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_one_word_and_stands_once() {
        for (at, field) in FIELDS.iter().enumerate() {
            assert!(field.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            assert!(FIELDS[at + 1..].iter().all(|other| other.id != field.id), "{}", field.id);
            assert!(!field.label.contains(['<', '\n']), "{}", field.label);
        }
    }
}
