//! `lab compare`: two runs, two machines, or measured and modelled.

mod curves;
mod differences;
mod environment;
mod mismatches;
mod pair;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::record::Record;
use common::{authentic, input, output};

use differences::Difference;
use pair::Pair;

/// Compare two runs: differences with their spread, curves, environments
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A record (written with --record), or the folder of a report
    #[arg(value_name = "A")]
    a: PathBuf,

    /// Another of the same kind
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Write the overlaid curves and differences.csv to this folder [default: none are written]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// The file with every cell that both records have.
const TABLE: &str = "differences.csv";

/// Reads both, prints the table and the sentence, draws.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (pairs, alone) = pairs(&args.a, &args.b)?;
    let first: Vec<String> = alone.into_iter().chain(pairs.iter().flat_map(mismatches::sentences)).collect();
    let folder = args.output.as_deref().map(output::Folder::prepare).transpose()?;
    let found: Vec<Difference> = pairs.iter().flat_map(Difference::all).collect();
    if found.is_empty() {
        return Err(Failure::could_not(format!(
            "the two have no cell in common: {}",
            if first.is_empty() { "make both with the same options".to_owned() } else { first.join("; ") }
        )));
    }
    if let (Some(folder), Some(path)) = (folder, &args.output) {
        let curves = pairs.iter().filter_map(|pair| {
            let chart = curves::overlaid(pair)?;
            Some((format!("{}.svg", pair.name), chart.svg().into_bytes()))
        });
        let table = (TABLE.to_owned(), differences::csv(&found).into_bytes());
        folder.fill(curves.chain([table]).collect(), &drawn_before(path))?;
    }
    let sentence = environment::sentence(&pairs);
    let first: String = first.into_iter().map(|sentence| sentence + ".\n").collect();
    let gap = if first.is_empty() { "" } else { "\n" };
    output::print(&format!("{first}{gap}{}\n{sentence}\n", differences::table(&found)))
}

/// The charts in the folder that belong to its table.
fn drawn_before(folder: &Path) -> Vec<String> {
    let table = fs::read_to_string(folder.join(TABLE)).unwrap_or_default();
    let is_about = |name: &str| table.lines().any(|row| row.split(',').next() == Some(name));
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.strip_suffix(".svg").is_some_and(is_about)).collect()
}

/// The experiments that both have, and a sentence for each that only one has.
fn pairs(a: &Path, b: &Path) -> Result<(Vec<Pair>, Vec<String>), Failure> {
    if a.is_dir() != b.is_dir() {
        return Err(Failure::usage("give two records, or the folders of two reports: not one of each"));
    }
    let (mut of_a, mut of_b) = (records(a)?, records(b)?);
    let told = |of: &BTreeMap<String, Record>| of.keys().cloned().collect::<Vec<_>>().join(", ");
    let both: Vec<String> = of_a.keys().filter(|name| of_b.contains_key(*name)).cloned().collect();
    if both.is_empty() {
        return Err(Failure::could_not(format!(
            "{} has {}, {} has {}: nothing to compare; give records of the same program",
            input::name(a),
            told(&of_a),
            input::name(b),
            told(&of_b)
        )));
    }
    let pair = |name: String| Some(Pair { a: of_a.remove(&name)?, b: of_b.remove(&name)?, name });
    let pairs = both.into_iter().filter_map(pair).collect();
    let alone = [("A", of_a), ("B", of_b)].into_iter().filter(|(_, of)| !of.is_empty());
    Ok((pairs, alone.map(|(side, of)| format!("only {side} has {}", told(&of))).collect()))
}

/// The record of a file under its program's name, or those of a report's folder
/// under their files' names.
fn records(path: &Path) -> Result<BTreeMap<String, Record>, Failure> {
    if !path.is_dir() {
        let record = record(path)?;
        return Ok(BTreeMap::from([(record.program.clone(), record)]));
    }
    let inner = path.join("records");
    let entries = fs::read_dir(if inner.is_dir() { &inner } else { path })
        .map_err(|error| Failure::could_not(format!("cannot look into {}: {error}", input::name(path))))?;
    let mut found = BTreeMap::new();
    for file in entries.flatten().map(|entry| entry.path()) {
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        if file.extension().is_some_and(|extension| extension == "json")
            && let Ok(record) = record(&file)
        {
            found.insert(stem, record);
        }
    }
    if found.is_empty() {
        return Err(Failure::could_not(format!(
            "{} holds no record; give the folder that lab run has written, or files written with --record",
            input::name(path)
        )));
    }
    Ok(found)
}

fn record(path: &Path) -> Result<Record, Failure> {
    let refused = |error| Failure::could_not(format!("{}: {error}", input::name(path)));
    authentic::read(&input::text(path)?).map_err(refused)
}
