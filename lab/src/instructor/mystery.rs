//! `lab mystery`: machines to be found out, one for each student.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use common::failure::Failure;
use common::machine::{self, Draw, Replacement};
use common::output;

use super::key::{Answers, Key, Phrase, SCHEMA};
use super::roster::{self, Roster};
use super::{names, procedure};

/// Make sealed machines, no two the same, one per student
///
/// Each name gives a file NAME.toml for --machine, which shows nothing of its
/// caches; cm1 and spark measure it like any other machine. The same key and
/// names always give the same machines. What is behind them goes beside the
/// folder: DIR-key.csv and DIR-key.json, which is for lab grade.
/// docs/instructors.md says who can open such a file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    phrase: Phrase,

    #[command(flatten)]
    roster: Roster,

    /// Write the files into this folder [default: machines, here or, within the kit's
    /// sources, beside them]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Print what is behind each name as CSV instead, and write nothing
    #[arg(long)]
    answers: bool,

    /// Keep the machines (in DIR-kept) and write what the commands of the handout
    /// measure on them instead: about two seconds per machine
    #[arg(long, conflicts_with = "answers")]
    sweeps: bool,

    /// Replace files that are there
    #[arg(long)]
    force: bool,

    /// Machines with a TLB as well, which spark shows
    #[arg(long)]
    tlb: bool,

    /// The caches' replacement policy
    #[arg(long, value_enum, value_name = "POLICY", default_value = "lru")]
    replacement: Policy,

    /// Figures of sweeps that scatter by up to so many percent, as measured ones do: 0 to 5
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent)]
    noise: f64,

    /// One machine for each of these, beside those of the roster
    #[arg(value_name = "NAME", required_unless_present = "roster")]
    names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Policy {
    /// The least recently used line makes room
    Lru,
    /// The line that a tree of bits points at; ways are powers of two
    Plru,
    /// The line that came first
    Fifo,
}

fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..=5.0).contains(percent));
    percent.ok_or_else(|| "noise is 0 to 5 percent".to_owned())
}

/// A file and what is to stand in it.
type File = (PathBuf, Vec<u8>);

/// Writes the files, or prints what is in them.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let names = args.roster.names()?.into_iter().chain(args.names.iter().cloned());
    let names = roster::unique(names, "the class")?;
    let (key, machines) = draw(args, &names)?;
    if args.answers {
        return output::print(&key.csv());
    }
    let out = &args.out.clone().unwrap_or_else(|| {
        std::env::current_dir().map_or_else(|_| MACHINES.into(), |here| default_out(&here))
    });
    let machines_in = if args.sweeps { beside(out, "-kept")? } else { out.clone() };
    let mut files: Vec<File> =
        machines.into_iter().map(|(name, text)| (machines_in.join(name), text)).collect();
    let json = serde_json::to_string_pretty(&key).map_err(Failure::could_not)? + "\n";
    let key_json = beside(out, "-key.json")?;
    files.push((beside(out, "-key.csv")?, key.csv().into_bytes()));
    files.push((key_json.clone(), json.into_bytes()));
    write(&files, args.force)?;
    if args.sweeps {
        sweep(&key, &machines_in, out, args.force)?;
    }
    output::print(&format!(
        "{} machines in {}; keep {} and its CSV to yourself\n",
        names.len(),
        machines_in.display(),
        key_json.display()
    ))
}

/// The folder's name.
const MACHINES: &str = "machines";

/// `machines` in `here`, or beside the kit's sources if `here` is within them: a kit is
/// packed from its folder, and a class's machines are no part of it.
fn default_out(here: &Path) -> PathBuf {
    let is_kit = |folder: &&Path| {
        ["Cargo.toml", "common/seal/Cargo.toml"].iter().all(|file| folder.join(file).is_file())
    };
    let beside = here.ancestors().enumerate().filter(|(_, folder)| is_kit(folder)).last();
    let above = beside.filter(|(_, folder)| folder.parent().is_some()).map_or(0, |(above, _)| above + 1);
    (0..above).map(|_| "..").chain([MACHINES]).collect()
}

/// What is behind each name, and the files that hide it.
fn draw(args: &Args, names: &[String]) -> Result<(Key, Vec<File>), Failure> {
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
        (Answers::of(name, file.clone(), sealed.tag, &drawn), (PathBuf::from(file), sealed.text.into_bytes()))
    };
    let (machines, files) = names.iter().map(of_name).unzip();
    Ok((Key { schema: SCHEMA.to_owned(), machines }, files))
}

/// `out` with more behind its name: a neighbour, which is not handed out with it.
fn beside(out: &Path, ending: &str) -> Result<PathBuf, Failure> {
    let Some(name) = out.file_name() else {
        return Err(Failure::usage(format!(
            "'{}' is no name for a folder; give one with --out",
            out.display()
        )));
    };
    let mut name = name.to_owned();
    name.push(ending);
    Ok(out.with_file_name(name))
}

/// Writes all files; none if one is there that says something else.
fn write(files: &[File], force: bool) -> Result<(), Failure> {
    let other = |(path, bytes): &&File| std::fs::read(path).is_ok_and(|there| there != *bytes);
    if let Some((path, _)) = files.iter().filter(|_| !force).find(other) {
        return Err(Failure::could_not(format!(
            "'{}' is there already and says something else; choose another --out, or replace it with --force",
            path.display()
        )));
    }
    for folder in
        files.iter().filter_map(|(path, _)| path.parent()).collect::<std::collections::BTreeSet<_>>()
    {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::could_not(format!("cannot make the folder '{}': {error}", folder.display()))
        })?;
    }
    files.iter().try_for_each(|(path, bytes)| output::write(path, bytes))
}

/// Measures each machine as a student would; one folder each.
fn sweep(key: &Key, machines: &Path, out: &Path, force: bool) -> Result<(), Failure> {
    for (number, machine) in (1..).zip(&key.machines) {
        output::tell(format!("lab mystery: machine {number} of {}", key.machines.len()));
        let folder = out.join(machine.file.trim_end_matches(".toml"));
        let mut files = Vec::new();
        for (name, record, lines) in procedure::sweeps(&machines.join(&machine.file))? {
            files.push((folder.join(format!("{name}.json")), record.json().into_bytes()));
            files.push((folder.join(format!("{name}.out")), lines.into_bytes()));
        }
        // Their time and id are of this minute: what is there is never the same.
        write(&files, force)?;
    }
    Ok(())
}
