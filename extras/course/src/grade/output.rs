//! The files of a graded class, and how they replace those of an earlier run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use common::failure::Failure;
use common::output;

use super::Course;
use super::grader::{Graded, decimal};
use super::reason::Reason;
use super::texts::{PAGE, TEXTS};
use crate::systems::SYSTEMS;
use crate::tables;

/// Names in the folder of `--output`.
pub(super) const GRADES: &str = "grades.csv";
pub(super) const MAP: &str = "map.csv";
pub(super) const NOTES: &str = "notes.txt";

/// The files of one run, by their names in the folder of `--output`.
pub(super) type Files = BTreeMap<&'static str, String>;

/// Writes the files. Those of the last run, which a person may have changed, are in the first
/// free folder `earlier/1`, `earlier/2` … before; returns it.
/// Fails if the folder cannot be written to.
pub(super) fn write(folder: &Path, files: &Files) -> Result<Option<PathBuf>, Failure> {
    let written = [GRADES, NOTES, PAGE, TEXTS].into_iter().chain(SYSTEMS.map(|system| system.file));
    let former: Vec<&str> = written.filter(|name| folder.join(name).exists()).collect();
    let mut numbers = (1..).map(|number: u32| folder.join("earlier").join(number.to_string()));
    let earlier = numbers.find(|path| fs::symlink_metadata(path).is_err()).filter(|_| !former.is_empty());
    if let Some(earlier) = &earlier {
        fs::create_dir_all(earlier).map_err(|error| failed(earlier, error))?;
        for name in &former {
            fs::copy(folder.join(name), earlier.join(name)).map_err(|error| failed(earlier, error))?;
        }
    }
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    files.iter().try_for_each(|(name, text)| output::write(&folder.join(name), text.as_bytes()))?;
    for name in former.into_iter().filter(|name| !files.contains_key(name)) {
        fs::remove_file(folder.join(name)).map_err(|error| failed(folder, error))?;
    }
    Ok(earlier)
}

fn failed(path: &Path, error: io::Error) -> Failure {
    Failure::could_not(format!("cannot write into '{}': {error}", path.display()))
}

/// `grades.csv`: a row for each student; for each item points, reason, answer and the right
/// value.
pub(super) fn csv(course: &Course<'_>, graded: &[Graded]) -> String {
    let mut header = vec![course.class.header().to_owned()];
    header.extend(["points", "max_points", "submission", "notes"].map(str::to_owned));
    for item in &course.rubric.items {
        header.extend(["points", "reason", "answer", "right"].map(|what| format!("{}_{what}", item.id)));
    }
    let row = |(name, graded): (&String, &Graded)| {
        let mut row = vec![
            name.clone(),
            if graded.refused.is_some() { "-".to_owned() } else { decimal(graded.points()) },
            decimal(graded.most()),
            graded.source.clone().unwrap_or_default(),
            graded.all_notes(),
        ];
        for mark in &graded.marks {
            let counts = mark.reason == Reason::GivenByInstructor || graded.refused.is_none();
            row.extend([
                if counts && !mark.unread { decimal(mark.points) } else { String::new() },
                if counts { mark.reason.to_string() } else { String::new() },
                mark.answer.clone(),
                mark.right.map_or(String::new(), |value| value.to_string()),
            ]);
        }
        row
    };
    tables::csv(std::iter::once(header).chain(course.class.names.iter().zip(graded).map(row)))
}
