//! The answers to hand in: those of the page, of the folder, and of a file.

use std::fs;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::{encoding, input, output};
use report::{Answer, Answers, is_answer};

use super::{Args, read};

/// The answers from the file of answers, the folder and the page: of each, the version that
/// was saved last. All must be of one student.
pub(super) fn read_all(args: &Args, page: Option<&[u8]>) -> Result<Answers, Failure> {
    let mut sources: Vec<(String, Answers)> = Vec::new();
    if let Some(page) = page {
        let name = format!("the page in '{}'", input::name(&args.folder));
        let text = encoding::decode(page).map_err(|why| why.to_string());
        let answers = text.and_then(|text| Answers::of_page(&text).map_err(|why| why.to_string()));
        let answers = answers.map_err(|why| {
            Failure::could_not(format!(
                "the answers in {name} cannot be read: {why}; move that page to another folder to hand in without its answers"
            ))
        })?;
        sources.push((name, answers));
    }
    for path in saved_answers(&args.folder).into_iter().chain(args.answers.clone()) {
        let (name, text) = (input::name(&path), input::text(&path)?);
        let answers = Answers::parse(&text).map_err(|why| Failure::could_not(format!("{name}: {why}")))?;
        if args.answers.as_ref() == Some(&path) && answers.fields.values().all(Answer::is_empty) {
            return Err(Failure::could_not(format!("there are no answers in '{name}'")));
        }
        sources.push((name, answers));
    }
    let names = Vec::from_iter(sources.iter().map(|(name, _)| name.clone())).join(" and ");
    let mut found = Answers::default();
    for (_, answers) in sources {
        found.join(answers).map_err(|_| {
            Failure::could_not(format!(
                "{names} are of different students; move the one that is not yours to another folder"
            ))
        })?;
    }
    let others = newer(args, &found);
    if !found.fields.iter().any(|(id, answer)| is_answer(id, answer)) {
        let folder = input::name(&args.folder);
        return Err(Failure::could_not(match (&args.answers, others) {
            (_, Some(path)) => format!(
                "there are no answers in '{folder}'; to hand in those of {path}: lab handin {folder} --answers \"{path}\""
            ),
            (Some(_), None) => {
                format!("no question is answered in {names}; answer some, and press Save answers in the page")
            }
            (None, None) => format!(
                "there are no answers in '{folder}'; press Save answers in the page, and put answers.json into that folder"
            ),
        }));
    }
    if let Some(path) = others {
        let folder = input::name(&args.folder);
        output::message(format!(
            "lab handin: note: {path} has later answers; to use them: lab handin {folder} --answers \"{path}\""
        ));
    }
    for what in ["number", "name"] {
        if found.fields.get(&format!("student-1-{what}")).is_none_or(Answer::is_empty) {
            return Err(Failure::could_not(format!(
                "the {what} of the first student is missing; fill it in on the page, and press Save answers"
            )));
        }
    }
    Ok(found)
}

/// The file of answers outside the folder that was saved last, if that was after `found`: next to the folder, in the
/// home folder, or in its Downloads, where browsers put it. It is named, not used: it may be of another report.
fn newer(args: &Args, found: &Answers) -> Option<String> {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
    let folder = args.folder.canonicalize().ok()?;
    let places = folder.parent().map(Path::to_owned).into_iter().chain(home.clone());
    let files = places.chain(home.map(|home| home.join("Downloads"))).flat_map(|place| saved_answers(&place));
    let read = |path: PathBuf| {
        let answers = Answers::parse(&encoding::decode(&read(&path).ok()?).ok()?).ok()?;
        let is_later = answers.saved > found.saved && found.clone().join(answers.clone()).is_ok();
        is_later.then(|| (answers.saved, path.display().to_string()))
    };
    files.filter(|path| Some(path) != args.answers.as_ref()).filter_map(read).max().map(|(_, path)| path)
}

/// `answers.json`, and the names that browsers choose where that exists: `answers
/// (1).json`.
fn saved_answers(folder: &Path) -> Vec<PathBuf> {
    let is_answers = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let copy = name.strip_prefix("answers").and_then(|name| name.strip_suffix(".json"));
        copy.is_some_and(|copy| copy.chars().all(|c| c.is_ascii_digit() || " ()-".contains(c)))
            && path.is_file()
    };
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(is_answers);
    paths.sort();
    paths
}
