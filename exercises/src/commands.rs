//! The commands of the program.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::builder::PossibleValuesParser;
use common::failure::Failure;
use common::output;

use crate::score::{Score, score, score_all};
use crate::task::{Language, TASKS, Task};

/// The folder of a student's files.
const FOLDER: &str = "my-exercises";
/// How the program is run from the sources.
const PROGRAM: &str = "cargo run --release -p exercises --";
/// Time between two looks at a file.
const POLL: Duration = Duration::from_millis(100);

const EXAMPLES: &str = "\
Examples:
  exercises                              the tasks: passed or open
  exercises check transpose --watch      checks my-exercises/transpose.rs or .c at each save";

/// Write functions yourself, in Rust or in C; the cache model checks them
///
/// Without a command it lists the tasks. The files are in the folder my-exercises, NAME.rs and
/// NAME.c of each task: write one of them.
#[derive(Debug, clap::Parser)]
#[command(name = "exercises", version, after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check one task
    Check {
        #[command(flatten)]
        one: One,
        /// Check again at each save, until the program is ended by Ctrl-C
        #[arg(long)]
        watch: bool,
    },
    /// Say where to look, for what the check finds now
    Hint(One),
}

#[derive(Debug, clap::Args)]
struct One {
    /// The task
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(TASKS.iter().map(|task| task.name)))]
    name: String,
}

/// The folder of the student's files, with what is handed out.
fn folder() -> Result<PathBuf, Failure> {
    let folder = PathBuf::from(FOLDER);
    let failed =
        |error| Failure::could_not(format!("{FOLDER}: {error}; change to a folder that you can write to"));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for (task, language) in TASKS.iter().flat_map(|task| Language::ALL.map(|language| (task, language))) {
        let path = folder.join(task.file(language));
        if path.symlink_metadata().is_err() {
            output::write(&path, task.starter(language).as_bytes())?;
        }
    }
    Ok(folder)
}

/// Does what the command line says.
///
/// # Errors
///
/// If files cannot be read or written, or, after it was printed, if a checked task is open.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folder = folder()?;
    let Some(command) = &args.command else { return list(&folder) };
    let (Command::Check { one, .. } | Command::Hint(one)) = command;
    let task = TASKS.iter().find(|task| task.name == one.name);
    let task = task.ok_or_else(|| Failure::usage(format!("there is no task '{}'", one.name)))?;
    match command {
        Command::Check { watch: true, .. } => watch(task, &folder),
        Command::Check { .. } => {
            let score = score(task, &folder, true);
            output::print(&text(&score))?;
            if score.checked.is_ok() { Ok(()) } else { Err(Failure::Reported) }
        }
        Command::Hint(_) => output::print(&match score(task, &folder, true).checked {
            Ok(_) => format!("{}: passed; there is nothing to correct\n", task.name),
            Err(wrong) if wrong.hint.is_empty() => format!("{}: {}\n", task.name, wrong.found),
            Err(wrong) => format!("{}: {}\n  hint: {}\n", task.name, wrong.found, wrong.hint),
        }),
    }
}

fn list(folder: &Path) -> Result<(), Failure> {
    let scores = score_all(folder);
    let state = |score: &Score| match &score.checked {
        Ok(passed) => format!("passed  {:>6} misses", passed.misses),
        Err(wrong) => format!("open    {:<13}", wrong.reason.to_string()),
    };
    let line = |score: &Score| format!("{:<10} {}  {}\n", score.task.name, state(score), score.task.asks);
    let points: u32 = scores.iter().map(Score::points).sum();
    let most: u32 = TASKS.iter().map(|task| task.points).sum();
    output::print(&format!("{}{points} of {most} points\n", scores.iter().map(line).collect::<String>()))?;
    let next = scores.iter().find(|score| score.checked.is_err());
    output::message(next.map_or_else(
        || "all tasks are passed".to_owned(),
        |score| {
            let (task, path) = (score.task, folder.join(score.task.file(Language::Rust)));
            format!(
                "next: read {} (or .c), write the function, then: {PROGRAM} check {}",
                path.display(),
                task.name
            )
        },
    ));
    Ok(())
}

fn text(score: &Score) -> String {
    let name = score.task.name;
    let source = score.source.as_deref().map(|path| format!(" ({})", path.display())).unwrap_or_default();
    match &score.checked {
        Ok(passed) => {
            let facts: String = passed.facts.iter().map(|fact| format!("  {fact}\n")).collect();
            let (points, why) = (score.task.points, score.task.why);
            format!(
                "{name}{source}: passed, points: {points}, misses to beat: {}\n{facts}  why: {why}\n",
                passed.misses
            )
        }
        Err(wrong) => {
            let more = format!("  a hint: {PROGRAM} hint {name}\n");
            let more = if wrong.hint.is_empty() { "" } else { &more };
            format!("{name}{source}: open\n  found: {}\n{more}", wrong.found)
        }
    }
}

/// When the files of a task were written.
fn written(task: &Task, folder: &Path) -> [Option<SystemTime>; 2] {
    Language::ALL.map(|language| std::fs::metadata(folder.join(task.file(language))).ok()?.modified().ok())
}

fn watch(task: &'static Task, folder: &Path) -> Result<(), Failure> {
    let mut last = None;
    loop {
        let now = written(task, folder);
        if last != Some(now) {
            last = Some(now);
            output::print(&text(&score(task, folder, true)))?;
        }
        std::thread::sleep(POLL);
    }
}
