//! `lab mystery`: sealed machines with caches to discover, one for each student.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use common::failure::Failure;
use common::machine::{self, Draw, Replacement};
use common::output;
use common::system::files;

use super::key::{Answers, Key, Phrase, SCHEMA};
use super::roster::{self, Roster};
use super::{names, procedure};

/// Make sealed machines, a different one for each student
///
/// Each name gives a file NAME.toml for --machine, which hides its caches; cm1 and
/// spark measure it like any other machine. The same key and names always give the
/// same machines. Their caches are written next to the folder: DIR-key.csv and
/// DIR-key.json, which is for lab grade.
/// docs/instructors.md says who can open such a file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    phrase: Phrase,

    #[command(flatten)]
    roster: Roster,

    /// Write the files into this folder [default: machines; within the kit's sources
    /// ../machines]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Print the caches of each machine as CSV instead, and write nothing
    #[arg(long)]
    answers: bool,

    /// Write the sweeps that the handout's commands measure, and the machines into DIR-kept
    /// for you: about two seconds per machine
    #[arg(long, conflicts_with = "answers")]
    sweeps: bool,

    /// Replace existing files
    #[arg(long)]
    force: bool,

    /// Add a TLB to the machines, which spark shows
    #[arg(long)]
    tlb: bool,

    /// Choose the caches' replacement policy
    #[arg(long, value_enum, value_name = "POLICY", default_value = "lru")]
    replacement: Policy,

    /// Scatter the figures of sweeps by up to so many percent, as measured ones do: 0 to 5
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent)]
    noise: f64,

    /// Names that get a machine, in addition to those of the roster
    #[arg(value_name = "NAME", required_unless_present = "roster")]
    names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Policy {
    /// The least recently used line is evicted
    Lru,
    /// The line that a tree of bits points at is evicted; ways are powers of two
    Plru,
    /// The oldest line is evicted
    Fifo,
}

fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..=5.0).contains(percent));
    percent.ok_or_else(|| "noise is 0 to 5 percent".to_owned())
}

/// A file to write, its content, and whether only its owner may read it.
struct File {
    path: PathBuf,
    bytes: Vec<u8>,
    private: bool,
}

impl File {
    fn open(path: PathBuf, text: String) -> File {
        File { path, bytes: text.into_bytes(), private: false }
    }

    fn private(path: PathBuf, text: String) -> File {
        File { private: true, ..File::open(path, text) }
    }
}

/// Writes the files, or prints what is in them.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.roster.name_columns.len() > 1 {
        return Err(Failure::usage("machines are named by one column; give --name-column once"));
    }
    let listed = args.roster.read()?;
    let listed_names = listed.as_ref().map(roster::Listed::names).unwrap_or_default();
    let names = roster::unique(listed_names.into_iter().chain(args.names.iter().cloned()), "the class")?;
    let (key, machines) = draw(args, &names)?;
    let key = Key { column: listed.map(|listed| listed.header[listed.naming[0]].clone()), ..key };
    if args.answers {
        return output::print(&key.csv());
    }
    let out = &args.output.clone().unwrap_or_else(|| {
        std::env::current_dir().map_or_else(|_| MACHINES.into(), |here| default_out(&here))
    });
    let machines_in = if args.sweeps { sibling(out, "-kept")? } else { out.clone() };
    let mut files: Vec<File> = machines
        .into_iter()
        .map(|(name, text)| File { private: args.sweeps, ..File::open(machines_in.join(name), text) })
        .collect();
    let json = serde_json::to_string_pretty(&key).map_err(Failure::could_not)? + "\n";
    let key_json = sibling(out, "-key.json")?;
    // A key to which names were added has all machines that it had.
    let earlier = Key::read(&key_json).ok();
    let known = |machine: &Answers| earlier.as_ref().is_some_and(|key| key.machines.contains(machine));
    let grows = earlier
        .as_ref()
        .is_some_and(|earlier| earlier.machines.iter().all(|machine| key.machines.contains(machine)));
    let keys = [File::private(sibling(out, "-key.csv")?, key.csv()), File::private(key_json.clone(), json)];
    replaceable(&files, args.force)?;
    replaceable(&keys, args.force || grows)?;
    files.extend(keys);
    write(&files, args.sweeps.then_some(&*machines_in))?;
    if args.sweeps {
        sweep(&key, &machines_in, out, args.force, known)?;
    }
    let (machines, key) = (machines_in.display(), key_json.display());
    let made = if args.sweeps {
        format!(
            "{} machines in {machines}, their sweeps in {}; do not hand out {machines}, {key} and its CSV\n",
            names.len(),
            out.display()
        )
    } else {
        format!("{} machines in {machines}; do not hand out {key} and its CSV\n{}\n", names.len(), promise())
    };
    output::print(&made)
}

/// Says who can open the files that these programs seal.
fn promise() -> &'static str {
    if seal::key_is_public() {
        "They are sealed with the kit's public key: a student who has the sources can write a program that opens them.\n\
         Build the programs with words of yours in LAB_SEAL_KEY, or for an exam hand out --sweeps."
    } else {
        "They are sealed with the key of your LAB_SEAL_KEY, which is in these programs: to open them,\n\
         a student must search a program for it or read machine code. For an exam hand out --sweeps."
    }
}

/// The default name of the folder.
const MACHINES: &str = "machines";

/// `machines`, or a folder next to the kit's sources if the folder is within them: the archive
/// of a kit contains all of its folder, and must not contain a class's machines.
fn default_out(folder: &Path) -> PathBuf {
    let is_kit = |folder: &&Path| {
        ["Cargo.toml", "common/seal/Cargo.toml"].iter().all(|file| folder.join(file).is_file())
    };
    let root = folder.ancestors().enumerate().filter(|(_, folder)| is_kit(folder)).last();
    let above = root.filter(|(_, folder)| folder.parent().is_some()).map_or(0, |(above, _)| above + 1);
    (0..above).map(|_| "..").chain([MACHINES]).collect()
}

/// The key of all machines, and the sealed files.
fn draw(args: &Args, names: &[String]) -> Result<(Key, Vec<(PathBuf, String)>), Failure> {
    let phrase = args.phrase.read()?;
    let replacement = match args.replacement {
        Policy::Lru => Replacement::Lru,
        Policy::Plru => Replacement::Plru,
        Policy::Fifo => Replacement::Fifo,
    };
    let mut draw =
        Draw::new(&phrase).with_tlb(args.tlb).with_replacement(replacement).with_noise(args.noise / 100.0);
    if names.len() > draw.most() {
        return Err(Failure::usage(format!(
            "there are {} different machines of this kind, and {} names; make several classes with a key each",
            draw.most(),
            names.len()
        )));
    }
    let of_name = |name: &String| {
        let drawn = draw.machine(name);
        let sealed = machine::seal(name, &drawn.toml(name));
        let file = names::file_stem(name) + ".toml";
        (Answers::of(name, file.clone(), sealed.tag, &drawn), (PathBuf::from(file), sealed.text))
    };
    let (machines, files) = names.iter().map(of_name).unzip();
    Ok((Key { schema: SCHEMA.to_owned(), column: None, machines }, files))
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

/// Refuses to replace files that exist with other content, unless `force`.
fn replaceable(files: &[File], force: bool) -> Result<(), Failure> {
    let other = |file: &&File| std::fs::read(&file.path).is_ok_and(|there| there != file.bytes);
    match files.iter().filter(|_| !force).find(other) {
        Some(file) => Err(Failure::could_not(format!(
            "'{}' exists already and is different; choose another --output, or replace it with --force",
            file.path.display()
        ))),
        None => Ok(()),
    }
}

/// Writes all files. The folder `private_folder` is made for its owner alone.
fn write(files: &[File], private_folder: Option<&Path>) -> Result<(), Failure> {
    for folder in files.iter().filter_map(|file| file.path.parent()).collect::<BTreeSet<_>>() {
        let made = if private_folder == Some(folder) {
            files::make_private_folder(folder)
        } else {
            std::fs::create_dir_all(folder)
        };
        made.map_err(|error| {
            Failure::could_not(format!("cannot make the folder '{}': {error}", folder.display()))
        })?;
    }
    files.iter().try_for_each(|File { path, bytes, private }| {
        let written =
            if *private { files::write_privately(path, bytes) } else { files::write_atomically(path, bytes) };
        written.map_err(Failure::could_not)
    })
}

/// Measures each machine as a student would; a folder for each. The folder of a machine
/// that is `known` from an earlier run stays as it is, unless `force`.
fn sweep(
    key: &Key,
    machines: &Path,
    out: &Path,
    force: bool,
    known: impl Fn(&Answers) -> bool,
) -> Result<(), Failure> {
    for (number, machine) in (1..).zip(&key.machines) {
        let there = out.join(machine.file.trim_end_matches(".toml")).join("spark.out").is_file();
        if there && known(machine) && !force {
            continue;
        }
        output::message(format!("lab mystery: machine {number} of {}", key.machines.len()));
        let folder = out.join(machine.file.trim_end_matches(".toml"));
        let mut files = Vec::new();
        for (name, record, lines) in procedure::sweeps(&machines.join(&machine.file))? {
            files.push(File::open(folder.join(format!("{name}.json")), record.json()));
            files.push(File::open(folder.join(format!("{name}.out")), lines));
        }
        // Records have the current time and a new id, so they never equal earlier ones.
        replaceable(&files, force)?;
        write(&files, None)?;
    }
    Ok(())
}
