//! The assignment of a run, and the template of its page.

use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use report::{Assignment, GUIDES};

/// The files that both come from.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct AssignmentOptions {
    /// Use this assignment; `lab assignment` prints one to start from
    #[arg(long, value_name = "FILE")]
    assignment: Option<PathBuf>,

    /// Use this template for the page; `lab assignment --template` prints the kit's
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
}

/// Both, read and checked.
#[derive(Debug, Clone)]
pub(super) struct Assigned {
    pub(super) assignment: Assignment,
    pub(super) template: Option<String>,
}

impl AssignmentOptions {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or has the wrong content.
    pub(super) fn read(&self) -> Result<Assigned, Failure> {
        Ok(Assigned {
            assignment: read(self.assignment.as_deref())?,
            template: self.template.as_deref().map(template).transpose()?,
        })
    }
}

/// The assignment in `path`, or the guide's if there is no path.
///
/// # Errors
///
/// If it cannot be read, or is not an assignment.
pub(crate) fn read(path: Option<&Path>) -> Result<Assignment, Failure> {
    let (name, text) = match path {
        Some(path) => (input::name(path), input::text(path)?),
        None => ("the guide's assignment".to_owned(), GUIDES[0].1.to_owned()),
    };
    Assignment::parse(&text).map_err(|why| Failure::usage(format!("{name}: {why}")))
}

fn template(path: &Path) -> Result<String, Failure> {
    let text = input::text(path)?;
    report::check_template(&text).map_err(|why| Failure::usage(format!("{}: {why}", input::name(path))))?;
    Ok(text)
}
