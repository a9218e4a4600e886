//! What was handed in under one name: answers and records. Which records count, and
//! the figures that answers are compared with or the reasons why there are none.

use std::collections::{BTreeMap, BTreeSet};

use common::authentic::{self, Unread};
use common::record::Record;
use common::text::shorten;
use report::{Answer, MatrixProgram};

use super::exercises::Sources;
use super::reason::Reason;
use report::is_answer;

/// A submission: everything handed in under one name.
#[derive(Debug)]
pub(super) struct Submission {
    /// The name of its folder or file, the first of several.
    pub(super) name: String,
    /// Whose it is, none if nobody's; or a clause that says why nobody knows.
    pub(super) owner: Result<BTreeSet<usize>, String>,
    pub(super) answers: BTreeMap<String, Answer>,
    pub(super) evidence: Evidence,
    pub(super) sources: Sources,
    /// What was not read.
    pub(super) notes: Vec<Reason>,
}

impl Submission {
    pub(super) fn is_of(&self, student: usize) -> bool {
        self.owner.as_ref().is_ok_and(|owners| owners.contains(&student))
    }

    /// Why only a person can read its answers; a clause.
    pub(super) fn unreadable(&self) -> Option<&'static str> {
        let has = |is: fn(&Reason) -> bool| self.notes.iter().any(is);
        if has(|note| matches!(note, Reason::OtherStudent(_))) {
            return Some("it has the answers of two students; read them and give points");
        }
        // All other notes are of files that were not read, or pages without their answers.
        (self.is_empty() && !self.notes.is_empty())
            .then_some("what was handed in cannot be read; read it and give points")
    }

    /// The answers; the student's name is none.
    pub(super) fn given(&self) -> impl Iterator<Item = (&String, &Answer)> {
        self.answers.iter().filter(|(id, answer)| is_answer(id, answer))
    }

    /// The numbers and names that sign it.
    pub(super) fn signed(&self) -> Vec<String> {
        let signed = self.answers.iter().filter(|(id, _)| id.starts_with("student-"));
        signed.map(|(_, answer)| answer.to_string()).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.given().next().is_none() && self.sources.is_empty()
    }
}

/// The records of one submission, and those that were changed.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Only with their first rows.
    records: Vec<Record>,
    /// Files of sealed machines whose content was changed.
    pub(super) changed: Vec<String>,
}

/// The setting of a record of mm2 that includes the transposition.
const TRANSPOSING: &str = "time_transpose";

impl Evidence {
    /// Adds the record in the file `name`; whether it is one, changed or not.
    pub(super) fn add(&mut self, name: &str, text: &str) -> bool {
        match authentic::read(text) {
            Ok(mut record) => {
                // A class has thousands of records: only what is compared stays in memory.
                record.rows.truncate(1);
                record.rows.shrink_to_fit();
                record.settings.retain(|name, _| name == TRANSPOSING);
                (record.machine_data, record.environment) = Default::default();
                (record.arguments, record.notes) = Default::default();
                self.records.push(record);
            }
            Err(Unread::Changed) => self.changed.push(name.to_owned()),
            Err(Unread::NotARecord(_)) => return false,
        }
        true
    }

    /// Each record's program and id, which no other measurement has.
    pub(super) fn ids(&self) -> Vec<(String, String)> {
        let with_id = self.records.iter().filter(|record| !record.id.is_empty());
        with_id.map(|record| (record.program.clone(), record.id.clone())).collect()
    }

    /// Tags of the sealed machines that records were made on.
    pub(super) fn machines(&self) -> BTreeSet<&str> {
        self.records.iter().filter_map(tag).collect()
    }

    /// The records that count: those of the assigned `size` and, with a key, those made on
    /// the sealed machine `own`. The reasons say what is wrong with the others, and with
    /// these.
    pub(super) fn counting(&self, own: Option<&str>, size: u32) -> (Vec<&Record>, Vec<Reason>) {
        let mut notes: Vec<Reason> =
            self.changed.iter().map(|file| Reason::ChangedRecord(shorten(file, 60))).collect();
        let is_other = |record| own.is_some() && tag(record) != own;
        notes.extend(self.records.iter().any(is_other).then_some(Reason::ForeignRecords));
        let mut counting = Vec::new();
        for record in self.records.iter().filter(|record| !is_other(record)) {
            let rows = record.rows.first().and_then(|row| row.whole("size"));
            // Records of matrix products must have the assigned size.
            let is_product = MatrixProgram::ALL.iter().any(|product| product.program() == record.program);
            if !is_product || rows == Some(size.into()) {
                counting.push(record);
            } else if let Some(rows) = rows {
                notes.push(Reason::OtherSize(record.program.clone(), rows.to_string(), size.to_string()));
            }
        }
        // Of several records of a program, the last one made counts.
        counting.sort_by_key(|record| &record.time);
        (counting, notes)
    }
}

/// The last record of a matrix product.
pub(super) fn product<'r>(records: &[&'r Record], product: MatrixProgram) -> Option<&'r Record> {
    let is_transposing = |record: &Record| record.settings.get(TRANSPOSING).is_some_and(|set| set == true);
    let is_of = |record: &&&Record| {
        record.program == product.program()
            && is_transposing(record) == (product == MatrixProgram::Mm2Transposing)
    };
    records.iter().rev().find(is_of).copied()
}

/// The tag of the sealed machine that a record was made on.
fn tag(record: &Record) -> Option<&str> {
    record.seal.as_ref().map(|seal| seal.machine.as_str())
}
