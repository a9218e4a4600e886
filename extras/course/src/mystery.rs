//! `course mystery`: sealed machines with caches to discover, one for each student.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::machine::{self, Machine};
use common::output;
use common::random::Random;
use common::system::files;

use crate::class::Class;
use crate::draw::{Answers, Draw, Key, SCHEMA};
use crate::names;

/// Make sealed machines, a different one for each student
///
/// Each name gives a file NAME.toml for --machine, which hides its caches; cm1 and
/// spark measure it like any other machine. Their caches are drawn, and written next to
/// the folder into DIR-key.json, which is for course grade. Students who are in that file
/// keep their machines, and others are added to it. No file with other content is replaced.
/// SECURITY.md says who can open such a file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Read the class from a CSV: a header, then one student on each line
    #[arg(long, value_name = "FILE")]
    roster: PathBuf,

    /// Name the roster's column that identifies students [default: its only one]
    #[arg(long, value_name = "COLUMN")]
    name_column: Option<String>,

    /// Write the files into this folder
    #[arg(short, long, value_name = "DIR", default_value = "machines")]
    output: PathBuf,
}

/// Draws the machines, then writes all files.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let class = Class::read(&args.roster, &Vec::from_iter(args.name_column.clone()), None)?;
    let out = args.output.as_path();
    let key_json = beside(out)?;
    let key = extended(&key_json, &class)?;
    let text = |machine: &Answers| machine::seal(&machine.name, &machine.drawn.toml(&machine.name));
    let files = key.machines.iter().map(|machine| (out.join(&machine.file), text(machine).into_bytes()));
    let files: Vec<(PathBuf, Vec<u8>)> = files.collect();
    // No file with other content is replaced.
    let other = files.iter().find(|(path, bytes)| std::fs::read(path).is_ok_and(|there| there != *bytes));
    if let Some((path, _)) = other {
        return Err(Failure::could_not(format!(
            "'{}' exists already and is different; choose another --output, or move it away",
            path.display()
        )));
    }
    let json = serde_json::to_string_pretty(&key).map_err(Failure::could_not)? + "\n";
    files::write_privately(&key_json, json.as_bytes()).map_err(Failure::could_not)?;
    std::fs::create_dir_all(out).map_err(|error| {
        Failure::could_not(format!("cannot make the folder '{}': {error}", out.display()))
    })?;
    for (path, bytes) in &files {
        files::write_atomically(path, bytes).map_err(Failure::could_not)?;
    }
    output::print(&format!(
        "{} machines in {}; do not hand out {}\n\
         A student cannot read or edit them by hand, but can write a program that opens them.\n",
        key.machines.len(),
        out.display(),
        key_json.display()
    ))
}

/// The key in that file, if it is there, with a machine for each student whom it lacks.
/// Fails if it is no key, its names are of another column, or too few machines are left.
fn extended(path: &Path, class: &Class) -> Result<Key, Failure> {
    let column = class.header().to_owned();
    let none = Key { schema: SCHEMA.to_owned(), column: column.clone(), machines: Vec::new() };
    let mut key = if path.exists() { Key::read(path)? } else { none };
    if key.column != column {
        return Err(Failure::usage(format!(
            "the machines in '{}' are of the column '{}'; give that --name-column, or another --output",
            path.display(),
            key.column
        )));
    }
    // The hasher's seed is the system's own random number.
    let random = Random::new(RandomState::new().hash_one(path));
    let mut draw = Draw::new(random, key.machines.iter().map(|machine| &machine.drawn));
    for name in &class.names {
        if key.machines.iter().any(|machine| machine.name == *name) {
            continue;
        }
        let drawn = draw.machine();
        let drawn =
            drawn.ok_or_else(|| Failure::usage("all different machines are drawn; make two classes"))?;
        let file = names::file_stem(name) + ".toml";
        let sealed = Machine::parse(&machine::seal(name, &drawn.toml(name)), &file);
        let seal = sealed.map_err(Failure::could_not)?.seal.unwrap_or_default();
        key.machines.push(Answers { name: name.clone(), file, seal, drawn });
    }
    let names = key.machines.iter().map(|machine| (String::new(), machine.name.clone()));
    names::unique(names).map_err(Failure::usage)?;
    Ok(key)
}

/// The key's path next to the folder `out`; it is not handed out with it.
fn beside(out: &Path) -> Result<PathBuf, Failure> {
    let name = out.file_name().ok_or_else(|| {
        Failure::usage(format!("'{}' is not a folder's name; give one with --output", out.display()))
    })?;
    Ok(out.with_file_name(format!("{}-key.json", name.to_string_lossy())))
}
