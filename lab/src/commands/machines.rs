//! `lab machines`: the machines that can be modelled.

use common::failure::Failure;
use common::machine::{self, CacheLevel, Machine};
use common::output;
use common::text::shorten;

/// List the machines that can be modelled, or print the description of one
///
/// A printed description is a TOML file: save it, change it, and give the file
/// to any program with --machine FILE.toml. The assignment asks for the caches of
/// two machines: these are not printed.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The machine to print: host, or a name from the list
    name: Option<String>,

    /// Print a machine although the assignment asks for its caches
    #[arg(long, requires = "name")]
    asked: bool,
}

/// The machines whose caches the assignment asks for, and the section that does.
const ASKED: [(&str, &str); 2] = [("host", "3.1"), ("sparcstation-1+", "2")];

fn section(machine: &str) -> Option<&'static str> {
    ASKED.iter().find(|(name, _)| *name == machine).map(|(_, section)| *section)
}

/// Prints the list, or one description.
/// Fails if there is no such machine, or its description is sealed.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let Some(name) = args.name.as_deref() else { return output::print(&list()) };
    // A printed description can be given to a program; that of a sealed machine stays
    // secret.
    let machine = machine::select(name).map_err(Failure::usage)?;
    if machine.sealed() {
        let reason = "its description is sealed; give the file itself to any program with --machine";
        return Err(Failure::could_not(format!("{}: {reason}", shorten(name, 60))));
    }
    if let Some(section) = section(&machine.name).filter(|_| !args.asked) {
        return Err(Failure::could_not(format!(
            "{}: section {section} of the assignment asks for its caches; answer that first, then add --asked",
            machine.name
        )));
    }
    output::print(&machine::description(name).map_err(Failure::usage)?)
}

/// One line per machine; the host last, if it can be read.
fn list() -> String {
    let described = machine::catalogue().iter().map(|entry| machine::select(entry.name));
    let line = |machine: Machine| {
        let levels = match section(&machine.name) {
            Some(section) => format!("asked in section {section}"),
            None => Vec::from_iter(machine.levels.iter().map(level)).join(", "),
        };
        format!("{}\t{levels}\t{}\n", machine.name, machine.description)
    };
    described.chain([machine::host()]).flatten().map(line).collect()
}

fn level(cache: &CacheLevel) -> String {
    format!("L{} {} {} {}", cache.level, cache.size, cache.associativity(), cache.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handouts_example_is_a_machine() {
        let handout = include_str!("../../README.md");
        let example = handout.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let machine = Machine::from_toml(example, "example").unwrap();
        assert_eq!((machine.levels.len(), machine.tlbs.len()), (2, 1));
    }
}
