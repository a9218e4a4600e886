//! `lab exercise`: kernels to be written, and their checks.

use clap::builder::PossibleValuesParser;
use common::failure::Failure;
use common::output;
use exercises::check::{Checked, Wrong};
use exercises::{TASKS, Task};

/// Write kernels yourself: list the tasks, or check yours by NAME
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task whose file you have edited
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(TASKS.iter().map(|task| task.name)))]
    name: Option<String>,
}

/// Lists the tasks, or checks one; exit code 1 if it is not solved.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let Some(task) = TASKS.iter().find(|task| args.name.as_deref() == Some(task.name)) else {
        return list();
    };
    let checked = in_silence(task.check);
    output::print(&result_text(task, &checked))?;
    checked.map(|_| ()).map_err(|_| Failure::Reported)
}

fn list() -> Result<(), Failure> {
    let mut text = String::new();
    let mut next = None;
    for task in TASKS {
        let done = in_silence(task.check).is_ok();
        if !done && next.is_none() {
            next = Some(task);
        }
        let state = if done { "done" } else { "open" };
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
