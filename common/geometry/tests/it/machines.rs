//! Machines like real ones, as data.

use machine::{Machine, Mapping};

const MACHINES: &str = include_str!("machines.tsv");

/// All machines of the table.
pub(crate) fn all() -> impl Iterator<Item = Machine> {
    MACHINES.lines().filter(|line| !line.starts_with('#')).map(machine)
}

/// The machine of this name.
pub(crate) fn named(name: &str) -> Machine {
    all().find(|machine| machine.name == name).unwrap()
}

/// A machine of a line: name, pages, levels, memory, TLB.
pub(crate) fn machine(line: &str) -> Machine {
    let [name, pages, levels, memory, tlb] = line.split('\t').collect::<Vec<_>>()[..] else {
        panic!("{line}")
    };
    let mut text = format!(
        "name = \"{name}\"\nclock = \"2.5 GHz\"\n[memory]\nlatency = \"{memory} ns\"\n[pages]\nsize = \"4K\"\n"
    );
    for (number, level) in (1..).zip(levels.split(' ')) {
        let [kib, line, ways, cycles, more @ ..] = &level.split('/').collect::<Vec<_>>()[..] else {
            panic!("{level}")
        };
        text += &format!(
            "[[cache]]\nlevel = {number}\nsize = \"{kib}K\"\nline = {line}\nways = {ways}\nlatency = \"{cycles} cycles\"\n"
        );
        text += &more.iter().fold(String::new(), |text, more| match *more {
            "x" => text + "inclusion = \"exclusive\"\n",
            policy => text + &format!("replacement = \"{policy}\"\n"),
        });
    }
    if let Some((entries, ways)) = tlb.split_once('/') {
        let ways = if ways == "0" { "\"full\"" } else { ways };
        text += &format!("[[tlb]]\nlevel = 1\nentries = {entries}\nways = {ways}\npenalty = \"7 cycles\"\n");
        text += "[[tlb]]\nlevel = 2\nentries = 1024\nways = 4\npenalty = \"20 cycles\"\n";
    }
    let mut machine = Machine::from_toml(&text, name).unwrap();
    machine.mapping = if pages == "random" { Mapping::Random { seed: 7 } } else { Mapping::Identity };
    machine
}
