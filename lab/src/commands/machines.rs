//! `lab machines`: what can be modelled.

use common::failure::Failure;
use common::machine::{self, CacheLevel};

/// Lists the machines that can be modelled, or prints one's description
///
/// A printed description is a TOML file: save it, change it, and give the file
/// to any program with --machine FILE.toml.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The machine to print: host, or a name from the list
    name: Option<String>,
}

/// Prints the list, or one description.
///
/// # Errors
///
/// If there is no such machine.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    match args.name.as_deref() {
        None => list(),
        Some(name) => print!("{}", machine::description(name).map_err(Failure::usage)?),
    }
    Ok(())
}

/// One line per machine; the host last, if it can be read.
fn list() {
    let described = machine::catalogue().iter().map(|entry| machine::select(entry.name));
    for machine in described.chain([machine::host()]).flatten() {
        let levels: Vec<String> = machine.levels.iter().map(level).collect();
        println!("{}\t{}\t{}", machine.name, levels.join(", "), machine.description);
    }
}

fn level(cache: &CacheLevel) -> String {
    format!("L{} {} {} {}", cache.level, cache.size, cache.associativity(), cache.line)
}
