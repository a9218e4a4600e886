//! All contents of the report, computed once.

use std::collections::BTreeSet;

use chart::Chart;
use records::note::Note;
use records::record::Record;

use crate::answers::{Answers, Run, not_asked};
use crate::assignment::Assignment;
use crate::checks;
use crate::findings::Findings;
use crate::own_sections::OwnRecord;
use crate::pictures::pictures;
use crate::product::{Gain, Product};

/// A report with all figures computed.
#[derive(Debug)]
pub struct Report<'f> {
    pub(crate) findings: &'f Findings,
    /// A student's earlier answers.
    pub(crate) typed: Answers,
    /// mm1, mm2, mm2 with its transposition, mm3.
    pub(crate) products: [Product; 4],
    /// The gains of mm2 over mm1, mm3 over mm1, mm3 over mm2.
    pub(crate) gains: [Gain; 3],
    /// The charts by the names of their files.
    pub(crate) pictures: Vec<(String, Chart)>,
    pub(crate) warnings: Vec<String>,
    /// The assignment.
    pub(crate) assignment: Assignment,
    /// The measurements of the assignment's own sections.
    pub(crate) further: Vec<OwnRecord>,
    /// The run that measured the figures.
    pub run: Run,
}

impl Report<'_> {
    /// The report of `findings` for an assignment, with the measurements `further` of its own
    /// sections and the answers `typed` into an earlier report.
    pub fn new(
        findings: &Findings,
        assignment: Assignment,
        further: Vec<OwnRecord>,
        typed: Answers,
    ) -> Report<'_> {
        let products = [
            Product::of("mm1", &findings.mm1),
            Product::of("mm2", &findings.mm2),
            Product::of("mm2 with its transposition", &findings.mm2_transposing),
            Product::of("mm3", &findings.mm3),
        ];
        let [mm1, mm2, _, mm3] = &products;
        let fields = assignment.fields();
        let strange = not_asked(&typed.fields, |id| fields.iter().any(|field| field.id == id));
        let mut warnings = checks::warnings(findings, &products);
        let assigned = assignment.matrix();
        if findings.size != assigned {
            let size = findings.size;
            warnings.insert(0, format!("before you hand in, run the same command without --quick and --size: the matrices have {size} rows, not the {assigned} of the assignment, so mm1, mm2 and mm3 do not count"));
        }
        if !strange.is_empty() {
            warnings.push(format!(
                "earlier answers to questions that this page does not ask stay among its answers: {}",
                strange.join("; ")
            ));
        }
        let gains = [Gain::of(mm2, mm1), Gain::of(mm3, mm1), Gain::of(mm3, mm2)];
        Report {
            findings,
            gains,
            pictures: pictures(findings),
            warnings,
            products,
            typed,
            assignment,
            further,
            run: Run::default(),
        }
    }

    /// The records by the names of their files.
    pub(crate) fn records(&self) -> Vec<(String, &Record)> {
        let found = self.findings;
        let waiting = found.waiting.as_ref().map(|record| ("spark-waiting", record));
        let all = [
            ("spark", &found.spark),
            ("cm1-l1", &found.l1),
            ("cm1-l2", &found.l2),
            ("mm1", &found.mm1),
            ("mm2", &found.mm2),
            ("mm2-transposing", &found.mm2_transposing),
            ("mm3", &found.mm3),
            ("causes", &found.causes),
        ];
        let all = all.into_iter().chain(waiting).map(|(name, record)| (name.to_owned(), record));
        all.chain(self.further.iter().map(|own| (own.name.clone(), &own.record))).collect()
    }

    /// The notes of all records, each once, and of one reason too: the names of the records, the note, and its sentence.
    pub(crate) fn notes(&self) -> Vec<(Vec<String>, &Note, String)> {
        let mut notes: Vec<(Vec<String>, &Note, String)> = Vec::new();
        let mut reasons = BTreeSet::new();
        for (name, record) in self.records() {
            for note in record.notes.iter() {
                let known = notes.iter_mut().find(|(_, known, _)| known.to_string() == note.to_string());
                if let Some((names, ..)) = known {
                    names.extend((!names.contains(&name)).then(|| name.clone()));
                    continue;
                }
                let sentence = match note {
                    Note::StandIn { what, since: Some(why) } if !reasons.insert(why.clone()) => what.clone(),
                    _ => note.to_string(),
                };
                notes.push((vec![name.clone()], note, sentence));
            }
        }
        notes
    }
}
