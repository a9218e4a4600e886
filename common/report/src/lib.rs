//! The report: a page like the guide's response sheet, its pictures, and its records. It is made from [`Findings`] only, and returned as files in memory: the caller
//! measures and writes.

// for the long `json!` of the page
#![recursion_limit = "512"]

mod answers;
mod assignment;
pub mod causes;
mod cell;
mod checked;
mod checks;
mod contents;
mod drawing;
mod expected;
mod figure;
mod findings;
mod own_sections;
mod page;
mod pictures;
mod product;
mod render;
mod sweep;
mod typed;

use std::error::Error;

use records::note::Note;

pub use answers::{AnotherStudent, Answers, Asked, Run, TOTAL_BYTES, is_answer, not_asked};
pub use assignment::{
    Assignment, Drawing, FieldKind, GUIDE, Question, Section, SheetPart, Sizes, program, toml_error,
};
pub use checked::{Check, Judgement, Slip};
pub use contents::Report;
pub use expected::{Expected, expected};
pub use figure::{Figure, MatrixProgram, OfGain, OfLevel};
pub use figures::quantity::{Doubt, Kind};
pub use findings::{Findings, Host, LineFrom};
pub use pictures::ACCESSES;
pub use product::BY_SIZE;
pub use render::{STORE, escaped};

pub use drawing::{Columns, Set, chart, columns, number};
pub use own_sections::{OwnRecord, lacking};
pub use sweep::STRIDE;
pub use typed::{Answer, Form, Meaning, Typed};

/// The name of the page among the files.
pub const PAGE: &str = "report.html";

/// A file to write: its path within the report's folder, and its bytes.
pub type File = (String, Vec<u8>);

impl Report<'_> {
    /// The page, the pictures and the records, by their paths in the folder.
    ///
    /// # Errors
    ///
    /// Errors of a template or an encoder are faults of this crate.
    pub fn files(&self) -> Result<Vec<File>, Box<dyn Error>> {
        let mut files = vec![(PAGE.to_owned(), render::html(self)?.into_bytes())];
        let mut pictures = self.pictures.clone();
        for section in &self.assignment.sections {
            let machine = &self.findings.machine.description;
            pictures.extend(own_sections::pictures(section, &self.further, machine));
        }
        for (name, chart) in pictures {
            for format in ["svg", "pdf", "png"] {
                let path = format!("pictures/{name}.{format}");
                let picture = chart.picture(&path)?;
                files.push((path, picture));
            }
        }
        for (name, record) in self.records() {
            files.push((format!("records/{name}.json"), record.json().into_bytes()));
            files.push((format!("records/{name}.csv"), record.csv().into_bytes()));
        }
        Ok(files)
    }

    /// Sentences on implausible results; and once, which source replaces counters that this
    /// machine lacks.
    pub fn warnings(&self) -> Vec<String> {
        let notes = self.findings.mm1.notes.iter();
        let stand_in = notes.filter(|note| matches!(note, Note::StandIn { since: Some(_), .. })).take(1);
        stand_in.map(Note::to_string).chain(self.warnings.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests;
