//! The report: a page like the guide's response sheet, its pictures, and its records. It is made from [`Findings`] only, and returned as files in memory: the caller
//! measures and writes.

// for the long `json!` of the page
#![recursion_limit = "512"]

mod answers;
mod assignment;
pub mod causes;
mod checked;
mod checks;
mod contents;
mod figure;
mod findings;
mod own_sections;
mod page;
mod pictures;
mod product;
mod render;
mod sweep;

use chart::ChartError;
use records::note::Note;
use thiserror::Error;

pub use answers::{Answer, Answers, AnswersError, Form, Meaning, Typed};
pub use assignment::{
    Assignment, Drawing, Extent, Field, FieldKind, GUIDES, Question, Section, SheetPart, Sizes, program,
    toml_error,
};
pub use checked::{Check, Judgement, Slip};
pub use contents::Report;
pub use figures::quantity::{Doubt, Kind};
pub use findings::{Findings, Host, LineFrom, Sweep};
pub use product::expected;
pub use render::STORE;

pub use own_sections::{OwnRecord, lacking};
pub use sweep::STRIDE;

/// The name of the page among the files.
pub const PAGE: &str = "report.html";

/// A file to write: its path within the report's folder, and its bytes.
pub type File = (String, Vec<u8>);

/// Why the report cannot be made.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A template uses a value that the page does not have.
    #[error("the report's template does not fit: {0:#}")]
    Template(#[from] minijinja::Error),
    /// A picture cannot be encoded.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

impl Report<'_> {
    /// The page, the pictures and the records, by their paths in the folder.
    ///
    /// # Errors
    ///
    /// Errors of a template or an encoder are faults of this crate.
    pub fn files(&self) -> Result<Vec<File>, ReportError> {
        let found = self.findings;
        let mut files = vec![(PAGE.to_owned(), render::html(self)?.into_bytes())];
        for (name, chart) in self.pictures.named() {
            files.push((format!("pictures/{name}.svg"), chart.svg().into_bytes()));
            files.push((format!("pictures/{name}.png"), chart.png()?));
        }
        for section in &self.assignment.sections {
            let charts =
                own_sections::pictures(section, &self.further, &self.assignment, &found.machine.description);
            for (name, chart) in charts {
                files.push((format!("pictures/{name}.svg"), chart.svg().into_bytes()));
                files.push((format!("pictures/{name}.png"), chart.png()?));
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
