use figures::units::{Bytes, Seconds};
use proptest::prelude::*;

use super::*;

const SMALL: &str = "name = \"small\"\n\n[[cache]]\nlevel = 1\nsize = \"32K\"\nline = 64\nways = 8\n";

#[test]
fn every_machine_of_the_catalogue_is_described_rightly() {
    for entry in catalogue() {
        let machine = Machine::named(entry.name).unwrap();
        assert_eq!(machine.name, entry.name);
        assert!(!machine.description.is_empty(), "{}", entry.name);
        assert!(machine.memory_latency.is_some(), "{}", entry.name);
        assert!(machine.levels.iter().all(|level| level.latency.is_some()), "{}", entry.name);
        assert!(entry.text.contains('#'), "{} names no source", entry.name);
    }
    let core = Machine::named("Golden-Cove").unwrap();
    let geometry = |level: usize| {
        let cache = &core.levels[level - 1];
        (cache.size, cache.line, cache.ways, cache.sets())
    };
    assert_eq!(geometry(1), (Bytes::kib(48), Bytes(64), 12, 64));
    assert_eq!(geometry(2), (Bytes::kib(1280), Bytes(64), 10, 2048));
}

#[test]
fn what_a_description_leaves_out_has_its_default() {
    let text = SMALL.replace("\n\n", "\nclock = \"4 GHz\"\n") + "latency = \"5 cycles\"\n";
    let machine = Machine::from_toml(&text, "small.toml").unwrap();
    assert_eq!(machine.levels[0].latency, Some(Seconds(1.25e-9)), "by the clock");
    let cache = machine.level(1).unwrap();
    assert_eq!((cache.replacement, cache.write, cache.allocate), (Replacement::Lru, Write::Back, true));
    assert_eq!((cache.index, cache.sets()), (Index::Virtual, 64));
    assert_eq!((machine.page_size, machine.mapping), (Bytes::kib(4), Mapping::Identity));
    assert_eq!(machine.level(2), None);
}

/// A description with one line changed, and what the refusal must name.
fn refused(from: &str, to: &str, line: usize, key: &str, reason: &str) {
    let text = SMALL.replace(from, to);
    let refusal = Machine::from_toml(&text, "small.toml").unwrap_err().to_string();
    let said = refusal.strip_prefix(&format!("small.toml, line {line}, {key}: "));
    assert!(said.is_some_and(|said| said.contains(reason)), "{refusal}");
}

#[test]
fn a_file_with_nothing_in_it_is_distinguished_from_a_wrong_one() {
    for text in ["", "\n# a machine, some day\n"] {
        let refusal = Machine::parse(text, "small.toml").unwrap_err().to_string();
        assert!(refusal.starts_with("there is nothing in small.toml; start from"), "{refusal}");
    }
}

#[test]
fn a_wrong_description_is_refused_with_key_line_and_reason() {
    refused("ways = 8", "ways = 7", 7, "ways", "7 ways do not divide the 512 lines");
    refused("ways = 8", "ways = 0", 7, "ways", "'0' is not a number of ways");
    refused("ways = 8", "ways = 8\nwayz = 8", 8, "wayz", "unknown field `wayz`");
    refused("line = 64", "line = 48", 6, "line", "power of two");
    refused("line = 64", "line = 0", 6, "line", "0 B is no line size");
    refused("size = \"32K\"", "size = 32", 5, "size", "less than one line");
    refused("size = \"32K\"", "size = \"10G\"", 5, "size", "10 GiB is more than the 1 GiB");
    refused("size = \"32K\"", "size = \"1G\"", 5, "size", "16777216 lines, more than the 8388608");
    refused("size = \"32K\"", "size = \"much\"", 5, "size", "'much' is not a size");
    refused("size = \"32K\"\n", "", 3, "[[cache]]", "missing field `size`");
    refused("ways = 8", "ways = 8\nlatency = \"-4 ns\"", 8, "latency", "'-4 ns' is not a time of 0 or more");
    refused("ways = 8", "ways = 8\nlatency = \"4 cycles\"", 8, "latency", "there is no clock");
    refused("ways = 8", "ways = 8\ninclusion = \"inclusive\"", 8, "inclusion", "no level above");
    refused("ways = 8", "ways = 512\nreplacement = \"plru\"", 8, "replacement", "has 512");
    refused("ways = 8", "ways = 8\nreplacement = \"mru\"", 8, "replacement", "unknown variant `mru`");
    refused("level = 1", "level = 2", 4, "level", "is 2, expected 1");
    refused("name = \"small\"", "name = \"\"", 1, "name", "give the machine a name");
    refused("name = \"small\"", "name = \"a\\u001b[2J\"", 1, "name", "control character");
    refused("name = \"small\"", "name = \"a\\u202eb\"", 1, "name", "direction of writing");
    refused("ways = 8", &format!("ways = 8\n#{}", "x".repeat(LONGEST)), 1, "description", "262144 bytes");
    refused("\n\n", "\npages = { size = 3000 }\n", 2, "size", "no page size");
    refused("\n\n", "\npages = { seed = 3 }\n", 2, "seed", "mapping");
    refused("\n\n", "\npages = { walk = \"L1\" }\n", 2, "walk", "add a [[tlb]]");
    refused("\n\n", "\npages = { walk = \"L4\" }\n", 2, "walk", "unknown variant `L4`");
    refused("\n\n", "\npages = { walk_levels = 2 }\n", 2, "walk_levels", "add walk");
    let tlb = "ways = 8\n[[tlb]]\nlevel = 1\nentries = 12\nways = 4\nindex = \"xor\"";
    refused("ways = 8", tlb, 12, "index", "this TLB has 3");
    refused("\n\n", "\ncore = { in_flight = 0.0 }\n", 2, "in_flight", "from 1 to 1000");
    refused("name = \"small\"", &format!("name = \"{}\"", "x".repeat(101)), 1, "name", "100 characters");
    refused("\n\n", "\nclock = \"0 GHz\"\n", 2, "clock", "'0 GHz' is not a clock above 0");
}

#[test]
fn a_walk_reads_the_tables_that_pages_of_that_size_need() {
    let walk = |pages: &str| {
        let text = format!("{SMALL}[[tlb]]\nlevel = 1\nentries = 16\nways = 4\n[pages]\n{pages}");
        Machine::from_toml(&text, "small.toml").map(|machine| machine.walk).map_err(|error| error.to_string())
    };
    assert_eq!(walk("walk = \"none\""), Ok(None));
    assert_eq!(walk("walk = \"L1\""), Ok(Some(Walk { cache: 1, levels: 1 })));
    for (size, levels) in [("4K", 4), ("64K", 4), ("2M", 3), ("1G", 2)] {
        let pages = format!("walk = \"L1\"\nwalk_levels = 4\nsize = \"{size}\"");
        assert_eq!(walk(&pages), Ok(Some(Walk { cache: 1, levels })), "{size}");
    }
    assert!(walk("walk = \"L2\"").unwrap_err().contains("the machine has no such cache"));
    assert!(walk("walk = \"L1\"\nwalk_levels = 5").unwrap_err().contains("from 1 to 4"));
}

#[test]
fn a_second_level_must_fit_under_the_first() {
    let second = |text: &str| Machine::from_toml(&format!("{SMALL}\n[[cache]]\nlevel = 2\n{text}"), "two");
    assert!(second("size = \"256K\"\nline = 64\nways = 4").is_ok());
    for (text, key, reason) in [
        ("size = \"16K\"\nline = 64\nways = 4", "size", "smaller than the 32 KiB"),
        ("size = \"256K\"\nline = 32\nways = 4", "line", "shorter than the 64 B"),
        ("size = \"16K\"\nline = 64\nways = 4\ninclusion = \"inclusive\"", "size", "smaller than the 32 KiB"),
        ("size = \"1M\"\nline = 128\nways = 4\ninclusion = \"exclusive\"", "inclusion", "needs the line"),
    ] {
        let refusal = second(text).unwrap_err().to_string();
        assert!(refusal.contains(key) && refusal.contains(reason), "{refusal}");
    }
    assert!(second("size = \"16K\"\nline = 64\nways = 4\ninclusion = \"exclusive\"").is_ok());
}

#[test]
fn an_unknown_name_lists_the_known_ones_and_the_closest() {
    let refusal = Machine::named("i5-7600").unwrap_err().to_string();
    assert!(refusal.contains("sparcstation-1+") && refusal.ends_with("did you mean i5-7500?"), "{refusal}");
}

#[test]
fn a_printed_machine_reads_back_as_the_same_machine() {
    for entry in catalogue() {
        let machine = Machine::named(entry.name).unwrap();
        let again = Machine::from_toml(&machine.to_toml(), entry.name).unwrap();
        let geometry = |m: &Machine| m.levels.iter().map(|l| (l.size, l.line, l.ways)).collect::<Vec<_>>();
        assert_eq!(geometry(&again), geometry(&machine));
        assert_eq!(again.to_toml(), machine.to_toml());
    }
}

proptest! {
    #[test]
    fn any_name_is_printed_as_toml_reads_it(name in ".{1,20}", about in any::<String>()) {
        let mut machine = Machine::named("lecture").unwrap();
        (machine.name, machine.description) = (name.clone(), about.clone());
        machine.unknown.push(about.clone());
        let table: toml::Table = machine.to_toml().parse().unwrap();
        prop_assert_eq!(table["name"].as_str(), Some(name.as_str()));
        prop_assert_eq!(table["description"].as_str(), Some(about.as_str()));
    }

    #[test]
    fn no_changed_description_makes_the_reader_panic(
        entry in prop::sample::select(catalogue()),
        (at, length, other) in (any::<prop::sample::Index>(), 0usize..9, "[0-9a-z\\[\\]\"= .]{0,3}")
    ) {
        let text = entry.text;
        let at = at.index(text.len());
        let before: String = text.char_indices().filter(|(place, _)| *place < at).map(|(_, c)| c).collect();
        let after: String = text.char_indices().filter(|(place, _)| *place >= at + length).map(|(_, c)| c).collect();
        let changed = before + &other + &after;
        // what is read is written so that it is read again
        if let Ok(machine) = Machine::parse(&changed, "t") {
            prop_assert!(Machine::parse(&machine.to_toml(), "t").is_ok(), "{changed}");
        }
        let _ = Machine::parse(&format!("sealed = \"{other}\""), "t");
    }
}
