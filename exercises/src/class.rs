//! The points of a class: a table with names, and a scoreboard without them.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::failure::Failure;
use common::text;

use crate::score::{Score, score_all};
use crate::task::TASKS;

/// A student's folder, and its scores.
pub(crate) struct Student {
    name: String,
    scores: Vec<Score>,
}

impl Student {
    fn points(&self) -> u32 {
        self.scores.iter().map(Score::points).sum()
    }
}

/// Scores each folder in `folder`, several at once; in the order of their names.
///
/// # Errors
///
/// If `folder` cannot be read, or has no folder.
pub(crate) fn score_class(folder: &Path) -> Result<Vec<Student>, Failure> {
    let failed = |error| Failure::could_not(format!("{}: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    if folders.is_empty() {
        let found = format!(
            "there are no folders in '{}': give the folder that has one for each student",
            folder.display()
        );
        return Err(Failure::usage(found));
    }
    let (next, students) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(path) = folders.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let student = Student { name, scores: score_all(path) };
            students.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(student);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut students = students.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    students.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(students)
}

/// For each student the points, and for each task points, misses, accesses and what failed.
pub(crate) fn csv(students: &[Student]) -> String {
    let mut table = "student,points".to_owned();
    for task in TASKS {
        let name = task.name;
        table += &format!(",{name},{name}_misses,{name}_accesses,{name}_reason");
    }
    for student in students {
        // No formula, quote or end of a line in the name of a folder.
        let name = text::inert(&text::clean(&student.name)).replace('"', "'");
        table += &format!("\n\"{name}\",{}", student.points());
        for score in &student.scores {
            table += &match &score.checked {
                Ok(passed) => format!(",{},{},{},", score.points(), passed.misses, passed.accesses),
                Err(wrong) => format!(",0,,,{}", wrong.reason),
            };
        }
    }
    table + "\n"
}

/// For each task the misses and accesses of those who passed it, the fewest first: as HTML, without names.
pub(crate) fn scoreboard(students: &[Student]) -> String {
    let mut text = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Scoreboard</title>\n\
        <style>body { font-family: sans-serif } td, th { padding: 0 1em; text-align: right }</style>\n<h1>Scoreboard</h1>\n"
        .to_owned();
    for (at, task) in TASKS.iter().enumerate() {
        let passed = students.iter().filter_map(|student| student.scores.get(at)?.checked.as_ref().ok());
        let mut counts: Vec<(u64, u64)> = passed.map(|passed| (passed.misses, passed.accesses)).collect();
        counts.sort_unstable();
        text += &format!(
            "<h2>{}: {}</h2>\n<p>{} of {} passed</p>\n",
            task.name,
            task.asks,
            counts.len(),
            students.len()
        );
        text += "<table><tr><th>misses<th>loads and stores<th>students\n";
        for same in counts.chunk_by(|a, b| a == b) {
            text += &format!("<tr><td>{}<td>{}<td>{}\n", same[0].0, same[0].1, same.len());
        }
        text += "</table>\n";
    }
    text
}
