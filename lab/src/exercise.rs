//! `lab exercise`: kernels to be written, and their checks.

use clap::builder::PossibleValuesParser;
use common::failure::Failure;
use common::output;
use exercises::check::{Checked, Wrong};
use exercises::{TASKS, Task};
use serde_json::{Value, json};

/// Identifies the result as JSON.
const FORMAT: &str = "cache-lab-exercises/1";

/// Write kernels yourself: list the tasks, or check yours by NAME
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task whose file you have edited
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(TASKS.iter().map(|task| task.name)))]
    name: Option<String>,

    /// Choose how to print the result: text, or json with the points
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Sentences
    Text,
    /// One object
    Json,
}

/// Lists the tasks, or checks one; exit code 1 if it is not solved.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let one = TASKS.iter().filter(|task| args.name.as_deref().is_none_or(|name| name == task.name));
    let results: Vec<(&Task, Checked)> = one.map(|task| (task, in_silence(task.check))).collect();
    match (args.format, &*results) {
        (Format::Json, results) => output::print(&format!("{:#}\n", scores(results)))?,
        (Format::Text, [(task, checked)]) => output::print(&result_text(task, checked))?,
        (Format::Text, results) => list(results)?,
    }
    let is_open = args.name.is_some() && results.iter().any(|(_, checked)| checked.is_err());
    if is_open { Err(Failure::Reported) } else { Ok(()) }
}

/// What each task is worth, and why: the same for the same files on every machine.
fn scores(results: &[(&Task, Checked)]) -> Value {
    let points = |(task, checked): &(&Task, Checked)| if checked.is_ok() { task.points } else { 0 };
    let task = |result: &(&Task, Checked)| {
        let (task, checked) = result;
        let wrong = checked.as_ref().err();
        json!({
            "name": task.name,
            "file": task.file,
            "passed": checked.is_ok(),
            "points": points(result),
            "max_points": task.points,
            "counts": checked.as_ref().ok(),
            "found": wrong.map(|wrong| &wrong.found),
            "hint": wrong.map(|wrong| &wrong.hint),
        })
    };
    json!({
        "format": FORMAT,
        "version": common::VERSION,
        "points": results.iter().map(points).sum::<u32>(),
        "max_points": results.iter().map(|(task, _)| task.points).sum::<u32>(),
        "tasks": results.iter().map(task).collect::<Vec<_>>(),
    })
}

fn list(results: &[(&Task, Checked)]) -> Result<(), Failure> {
    let mut text = String::new();
    let mut next = None;
    for (task, checked) in results {
        if checked.is_err() && next.is_none() {
            next = Some(task);
        }
        let state = if checked.is_ok() { "done" } else { "open" };
        text += &format!("{:<10} {state}  {:<27}  {}\n", task.name, task.file, task.asks);
    }
    output::print(&text)?;
    output::message(match next {
        Some(task) => format!("next: read {}, write it, then: lab exercise {}", task.file, task.name),
        None => "all done".to_owned(),
    });
    Ok(())
}

fn result_text(task: &Task, checked: &Checked) -> String {
    match checked {
        Ok(facts) => {
            let facts: String = facts.iter().map(|fact| format!("  {fact}\n")).collect();
            format!("{}: done\n{facts}", task.name)
        }
        Err(Wrong { found, hint }) => format!(
            "{}: open\n  found: {found}\n  hint: {hint}\n  edit {}, then check it again: cargo run --release -p lab -- exercise {}\n",
            task.name, task.file, task.name
        ),
    }
}

/// A panic in the student's kernel is reported as the result of the check.
fn in_silence(check: fn() -> Checked) -> Checked {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let checked = check();
    std::panic::set_hook(hook);
    checked
}
