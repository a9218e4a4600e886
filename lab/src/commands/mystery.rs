//! `lab mystery`: machines to be found out, one for each student.

use std::path::PathBuf;

use common::failure::Failure;
use common::machine::{self, Machine};
use common::output;

/// Make sealed machines, one per name, whose caches a student is to find
///
/// Each name gives a file NAME.toml for --machine, which shows nothing of its
/// caches; cm1, spark and `lab discover` measure it like any other machine.
/// The same key and name always give the same machine: --answers lists them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The instructor's secret word or words
    #[arg(long, value_name = "PHRASE")]
    key: String,

    /// Write the files into this folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,

    /// Print what is behind each name instead, and write nothing
    #[arg(long)]
    answers: bool,

    /// One machine for each of these
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
}

/// Writes the files, or prints what is in them.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(name) = args.names.iter().find(|name| !is_file_name(name)) {
        return Err(Failure::usage(format!(
            "'{name}' cannot be the name of a file; use letters, digits, '-', '_' and '.', not first"
        )));
    }
    for name in &args.names {
        let description = machine::mystery(&args.key, name);
        if args.answers {
            let machine = Machine::from_toml(&description, name).map_err(Failure::could_not)?;
            println!("{}", machine.summary());
        } else {
            let path = args.out.join(format!("{name}.toml"));
            output::write(&path, machine::seal(&description).as_bytes())?;
            println!("{}", path.display());
        }
    }
    Ok(())
}

fn is_file_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}
