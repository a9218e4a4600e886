//! `lab machines`: the machines that can be modelled.

use common::failure::Failure;
use common::machine::{self, CacheLevel, Machine};
use common::output;
use common::text::shorten;

/// List the machines that can be modelled, or print the description of one
///
/// A printed description is a TOML file: save it, change it, and give the file
/// to any program with --machine FILE.toml.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The machine to print: host, or a name from the list
    name: Option<String>,
}

/// Prints the list, or one description.
/// Fails if there is no such machine, or its description is sealed.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let Some(name) = args.name.as_deref() else { return output::print(&list()) };
    // A printed description can be given to a program; that of a sealed machine stays
    // secret.
    if machine::select(name).map_err(Failure::usage)?.sealed() {
        let reason = "its description is sealed; give the file itself to any program with --machine";
        return Err(Failure::could_not(format!("{}: {reason}", shorten(name, 60))));
    }
    output::print(&machine::description(name).map_err(Failure::usage)?)
}

/// One line per machine; the host last, if it can be read.
fn list() -> String {
    let described = machine::catalogue().iter().map(|entry| machine::select(entry.name));
    let line = |machine: Machine| {
        let levels: Vec<String> = machine.levels.iter().map(level).collect();
        format!("{}\t{}\t{}\n", machine.name, levels.join(", "), machine.description)
    };
    described.chain([machine::host()]).flatten().map(line).collect()
}

fn level(cache: &CacheLevel) -> String {
    format!("L{} {} {} {}", cache.level, cache.size, cache.associativity(), cache.line)
}
