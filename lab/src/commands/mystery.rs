//! `lab mystery`: machines to be found out, one for each student.

use std::path::PathBuf;

use common::failure::Failure;
use common::machine::{self, Machine};
use common::output;
use common::text::{is_unprintable, shorten};

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
            "'{}' cannot be the name of a file; use letters and digits of any script, '-', '_' and '.', not first, \
             and at most {LONGEST} bytes",
            shorten(name, 60)
        )));
    }
    for name in &args.names {
        let description = machine::mystery(&args.key, name);
        if args.answers {
            let machine = Machine::from_toml(&description, name).map_err(Failure::could_not)?;
            output::print(&(machine.summary() + "\n"))?;
        } else {
            let path = args.out.join(format!("{name}.toml"));
            output::write(&path, machine::seal(&description).as_bytes())?;
            output::print(&format!("{}\n", path.display()))?;
        }
    }
    Ok(())
}

/// Bytes of a name: with `.toml` behind it, every file system takes that.
const LONGEST: usize = 200;

/// Whether a name can stand for a file on any system. Letters include the marks
/// that scripts set above or below them, so only what is surely none is refused.
fn is_file_name(name: &str) -> bool {
    let refused = |c: char| {
        is_unprintable(c)
            || c.is_whitespace()
            || c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.')
    };
    !name.is_empty() && name.len() <= LONGEST && !name.starts_with('.') && !name.contains(refused)
}
