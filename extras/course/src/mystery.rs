//! `course mystery`: sealed machines with caches to discover, one for each student.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};

use clap::Parser;
use common::authentic;
use common::cli::{Counters, Measuring, Modelling, Output};
use common::failure::Failure;
use common::machine;
use common::measure::Session;
use common::output;
use common::random::Random;
use common::record::Record;
use common::system::files;

use crate::draw::Draw;
use crate::key::{Answers, Key, SCHEMA};
use crate::names;
use crate::roster::{self, Roster};

/// Make sealed machines, a different one for each student
///
/// Each name gives a file NAME.toml for --machine, which hides its caches; cm1 and
/// spark measure it like any other machine. Their caches are drawn, and written next to
/// the folder into DIR-key.json, which is for course grade. Students who are in that file
/// keep their machines, and others are added to it. No file with other content is replaced.
/// SECURITY.md says who can open such a file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    roster: Roster,

    /// Write the files into this folder
    #[arg(short, long, value_name = "DIR", default_value = "machines")]
    output: PathBuf,

    /// Write the sweeps that the handout's commands measure, and the machines into DIR-kept
    /// for you: about two seconds per machine
    #[arg(long)]
    sweeps: bool,

    /// Names that get a machine, in addition to those of the roster
    #[arg(value_name = "NAME", required_unless_present = "roster")]
    names: Vec<String>,
}

/// A file to write, its content, and whether only its owner may read it.
struct File {
    path: PathBuf,
    bytes: Vec<u8>,
    private: bool,
}

impl File {
    fn new(path: PathBuf, text: String, private: bool) -> File {
        File { path, bytes: text.into_bytes(), private }
    }
}

/// Draws the machines, then writes all files.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.roster.name_columns.len() > 1 {
        return Err(Failure::usage("machines are named by one column; give --name-column once"));
    }
    let listed = args.roster.read()?;
    let listed_names = listed.as_ref().map(roster::Listed::names).unwrap_or_default();
    let names = roster::unique(listed_names.into_iter().chain(args.names.iter().cloned()), "the class")?;
    let out = args.output.as_path();
    let machines_in = if args.sweeps { sibling(out, "-kept")? } else { out.to_owned() };
    let column = listed.map(|listed| listed.header[listed.naming[0]].clone());
    let key_json = sibling(out, "-key.json")?;
    let key = extended(&key_json, column, &names)?;
    let text = |machine: &Answers| machine::seal(&machine.name, &machine.drawn().toml(&machine.name)).text;
    let file = |machine: &Answers| File::new(machines_in.join(&machine.file), text(machine), args.sweeps);
    let files: Vec<File> = key.machines.iter().map(file).collect();
    let json = serde_json::to_string_pretty(&key).map_err(Failure::could_not)? + "\n";
    let key_file = File::new(key_json.clone(), json, true);
    replaceable(&files)?;
    let made = if args.sweeps {
        files::make_private_folder(&machines_in)
    } else {
        std::fs::create_dir_all(&machines_in)
    };
    made.map_err(|error| could_not_make(&machines_in, &error))?;
    write(files.iter().chain([&key_file]))?;
    let (machines, key_name) = (machines_in.display(), key_json.display());
    let (number, out) = (key.machines.len(), out.display());
    if args.sweeps {
        sweep(&key, &machines_in, args)?;
        return output::print(&format!(
            "{number} machines in {machines}, their sweeps in {out}; do not hand out {machines} and {key_name}\n"
        ));
    }
    output::print(&format!("{number} machines in {machines}; do not hand out {key_name}\n{PROMISE}\n"))
}

/// What sealing protects against.
const PROMISE: &str = "A student cannot read or edit them by hand, but can write a program that opens them: for an exam hand out --sweeps.";

/// The key in that file, if it is there, with a machine for each name that it lacks.
/// Fails if it is no key, its names are of another column, or too few machines are left.
fn extended(path: &Path, column: Option<String>, names: &[String]) -> Result<Key, Failure> {
    let none = Key { schema: SCHEMA.to_owned(), column: column.clone(), machines: Vec::new() };
    let mut key = if path.exists() { Key::read(path)? } else { none };
    if column.is_some() && key.column != column {
        return Err(Failure::usage(format!(
            "the machines in '{}' are of the column '{}'; give that --name-column, or another --output",
            path.display(),
            key.column()
        )));
    }
    // The hasher's seed is the system's own random number.
    let random = Random::new(RandomState::new().hash_one(path));
    let mut draw = Draw::new(random, key.machines.iter().map(Answers::drawn));
    for name in names {
        if key.machines.iter().any(|machine| machine.name == *name) {
            continue;
        }
        if draw.left() == 0 {
            return Err(Failure::usage(format!(
                "all {} different machines are drawn; make several classes",
                key.machines.len()
            )));
        }
        let drawn = draw.machine();
        let file = names::file_stem(name) + ".toml";
        if let Some(other) =
            key.machines.iter().find(|other| other.file.to_lowercase() == file.to_lowercase())
        {
            return Err(Failure::usage(format!(
                "'{name}' and '{}', which has a machine, give the same file name; choose another column",
                other.name
            )));
        }
        let tag = machine::seal(name, &drawn.toml(name)).tag;
        key.machines.push(Answers::of(name, file, tag, &drawn));
    }
    Ok(key)
}

/// A path next to `out`, with a suffix after its name; it is not handed out with `out`.
fn sibling(out: &Path, ending: &str) -> Result<PathBuf, Failure> {
    let Some(name) = out.file_name() else {
        return Err(Failure::usage(format!(
            "'{}' is not a folder's name; give one with --output",
            out.display()
        )));
    };
    let mut name = name.to_owned();
    name.push(ending);
    Ok(out.with_file_name(name))
}

/// Refuses to replace files that exist with other content.
fn replaceable(files: &[File]) -> Result<(), Failure> {
    let other = |file: &&File| std::fs::read(&file.path).is_ok_and(|there| there != file.bytes);
    match files.iter().find(other) {
        Some(file) => Err(Failure::could_not(format!(
            "'{}' exists already and is different; choose another --output, or move it away",
            file.path.display()
        ))),
        None => Ok(()),
    }
}

fn could_not_make(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::could_not(format!("cannot make the folder '{}': {error}", folder.display()))
}

fn write<'f>(files: impl IntoIterator<Item = &'f File>) -> Result<(), Failure> {
    files.into_iter().try_for_each(|File { path, bytes, private }| {
        let written =
            if *private { files::write_privately(path, bytes) } else { files::write_atomically(path, bytes) };
        written.map_err(Failure::could_not)
    })
}

/// The measurements that the handout asks of a student, without `--machine`. They reach four
/// times the largest cache that any machine of a class has, so they reveal nothing about one
/// machine.
const COMMANDS: [(&str, &str); 3] = [
    ("cm1-l1", "cm1 --max 256K --until-decided"),
    ("cm1-l2", "cm1 --event PAPI_L2_DCM --max 4M --until-decided"),
    ("spark", "spark --max 4M"),
];

#[derive(Parser)]
struct Cm1 {
    #[command(flatten)]
    options: cm1::Options,
}

#[derive(Parser)]
struct Spark {
    #[command(flatten)]
    options: spark::Options,
}

/// Measures each machine as a student would; a folder for each. A machine whose folder has
/// all records stays as it is: records have the current time and a new id, so they never
/// equal earlier ones.
fn sweep(key: &Key, machines: &Path, args: &Args) -> Result<(), Failure> {
    for (number, machine) in (1..).zip(&key.machines) {
        let folder = args.output.join(machine.file.trim_end_matches(".toml"));
        let file = |name: &str| folder.join(format!("{name}.json"));
        if COMMANDS.iter().all(|(name, _)| is_of(&file(name), machine)) {
            continue;
        }
        output::message(format!("course mystery: machine {number} of {}", key.machines.len()));
        let session = Session::start(
            &Measuring::once(Counters::Model),
            &Modelling::of(&machines.join(&machine.file).display().to_string()),
            &Output::none(),
        )?;
        let record = |(name, command): (&str, &str)| {
            let record = measure(&session, command)?;
            Ok(File::new(file(name), record.json(), false))
        };
        let files = COMMANDS.into_iter().map(record).collect::<Result<Vec<File>, Failure>>()?;
        replaceable(&files)?;
        std::fs::create_dir_all(&folder).map_err(|error| could_not_make(&folder, &error))?;
        write(&files)?;
    }
    Ok(())
}

/// Whether a file is an unchanged record of that sealed machine.
fn is_of(path: &Path, machine: &Answers) -> bool {
    let record = std::fs::read_to_string(path).ok().and_then(|text| authentic::read(&text).ok());
    record.and_then(|record| record.seal).is_some_and(|seal| seal.machine == machine.seal)
}

fn measure(session: &Session, command: &str) -> Result<Record, Failure> {
    let words = command.split(' ');
    let record = if command.starts_with("spark") {
        let args = Spark::try_parse_from(words.clone()).map_err(Failure::could_not)?;
        spark::measure(session, session.counters, &args.options, &mut |_| ())?
    } else {
        let args = Cm1::try_parse_from(words.clone()).map_err(Failure::could_not)?;
        cm1::measure(session, &args.options, &mut |_| ())?
    };
    Ok(Record { arguments: words.skip(1).map(str::to_owned).collect(), ..record })
}
