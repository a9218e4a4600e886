//! The report: a page like the guide's response sheet, its pictures, and records
//! for scripts.

mod checks;
mod figure;
mod folder;
mod page;
mod pictures;
mod product;
mod summary;
mod sweep;
mod verdict;

use common::failure::Failure;
use common::record::Record;

pub(crate) use folder::Folder;

use crate::run::Findings;
use folder::File;
use pictures::Pictures;
use product::{Gain, Product};
use summary::Entry;

/// Everything the report says, computed once.
pub(crate) struct Report<'f> {
    findings: &'f Findings,
    /// Whether the kit's own answers are told.
    answers: bool,
    /// mm1, mm2, mm2 with its transposition, mm3.
    products: [Product; 4],
    /// mm2 over mm1, mm2 with its transposition over mm1, mm3 over mm1, mm3
    /// over mm2.
    gains: [Gain; 4],
    pictures: Pictures,
    warnings: Vec<String>,
}

impl Report<'_> {
    /// Computes all figures and draws all pictures.
    pub(crate) fn new(findings: &Findings, answers: bool) -> Report<'_> {
        let products = [
            Product::of("mm1", &findings.mm1),
            Product::of("mm2", &findings.mm2),
            Product::of("mm2 with its transposition", &findings.mm2_transposing),
            Product::of("mm3", &findings.mm3),
        ];
        let [mm1, mm2, transposing, mm3] = &products;
        let gains = [Gain::of(mm2, mm1), Gain::of(transposing, mm1), Gain::of(mm3, mm1), Gain::of(mm3, mm2)];
        let warnings = checks::warnings(findings, &products);
        Report { findings, answers, gains, pictures: Pictures::of(findings, answers), warnings, products }
    }

    /// The page, the pictures and the records, by their paths in the folder.
    pub(crate) fn files(&self) -> Result<Vec<File>, Failure> {
        let mut files = vec![("report.html".to_owned(), self.page()?.into_bytes())];
        for (name, chart) in self.pictures.named() {
            files.push((format!("pictures/{name}.svg"), chart.svg().into_bytes()));
            files.push((format!("pictures/{name}.png"), chart.png().map_err(Failure::could_not)?));
        }
        for (name, record) in self.records() {
            files.push((format!("records/{name}.json"), record.json().into_bytes()));
            files.push((format!("records/{name}.csv"), record.csv().into_bytes()));
        }
        let kit =
            |record: &Record| record.rows.iter().map(|row| cm1::kit_row(row) + "\n").collect::<String>();
        files.push(("records/cm1-l1.out".to_owned(), kit(&self.findings.l1).into_bytes()));
        files.push(("records/cm1-l2.out".to_owned(), kit(&self.findings.l2).into_bytes()));
        files.push(("summary.json".to_owned(), summary::json(self).into_bytes()));
        files.push(("summary.tsv".to_owned(), self.summary().into_bytes()));
        Ok(files)
    }

    /// The sheet's figures as tab-separated lines.
    pub(crate) fn summary(&self) -> String {
        summary::lines(&self.entries())
    }

    fn entries(&self) -> Vec<Entry> {
        summary::entries(self)
    }

    /// The records under the names of their files.
    fn records(&self) -> Vec<(&'static str, &Record)> {
        let found = self.findings;
        let waiting = found.waiting.as_ref().ok().map(|record| ("spark-waiting", record));
        let all = [
            ("spark", &found.spark),
            ("cm1-l1", &found.l1),
            ("cm1-l2", &found.l2),
            ("mm1", &found.mm1),
            ("mm2", &found.mm2),
            ("mm2-transposing", &found.mm2_transposing),
            ("mm3", &found.mm3),
        ];
        all.into_iter().chain(waiting).collect()
    }
}
