//! The preset map compared with PAPI's published map, and with the vendors' event tables, of which
//! `scripts/vendor_events.py` makes the extract in `tests/data`.

use std::collections::{BTreeSet, HashMap, HashSet};

use events::map::{self, Code, Config};
use events::{FAMILIES, Family, Preset};

/// An event of a vendor's table: name, config, `offcore_rsp`.
type Listed = (&'static str, u64, Option<u64>);

fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().skip(1).map(|line| line.splitn(4, ',').collect())
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

/// The extract: the vendor's events of each family.
fn listed() -> HashMap<&'static str, Vec<Listed>> {
    let mut tables: HashMap<&str, Vec<Listed>> = HashMap::new();
    for row in lines(include_str!("../data/vendor_events.csv")) {
        let (config, response) =
            row[1].split_once('+').map_or((row[1], None), |(config, response)| (config, Some(hex(response))));
        for family in row[2].split(' ') {
            tables.entry(family).or_default().push((row[0], hex(config), response));
        }
    }
    tables
}

/// Bits that identify the event, and bits that change how it is counted (threshold, edge,
/// inversion), if unit masks can be combined.
fn fields(family: &Family) -> (u64, u64) {
    match family.key {
        key if key.starts_with("amd64") => (0xf_0000_00ff, 0),
        key if key.starts_with("sifive") => (0xff, 0),
        key if ["arm", "ampere", "apple", "nvidia"].iter().any(|start| key.starts_with(start)) => (!0, 0),
        _ => (0xff, 0xffff_0000),
    }
}

/// The vendor's names that make up the code: those with exactly that code, or those whose
/// unit masks are combined in it.
fn made_of(
    family: &Family,
    table: &[Listed],
    config: u64,
    response: Option<u64>,
) -> Option<Vec<&'static str>> {
    let (select, modifiers) = fields(family);
    let part = |(_, c, r): &&Listed| {
        (c ^ config) & select == 0
            && c & !config == 0
            && r.is_some() == response.is_some()
            && r.unwrap_or(0) & !response.unwrap_or(0) == 0
    };
    let parts: Vec<&Listed> = table.iter().filter(part).collect();
    let names =
        |of: Vec<&&Listed>| of.into_iter().map(|l| l.0).collect::<BTreeSet<_>>().into_iter().collect();
    for wanted in [config, config & !modifiers] {
        let exact: Vec<&&Listed> = parts.iter().filter(|l| (l.1, l.2) == (wanted, response)).collect();
        if !exact.is_empty() {
            return Some(names(exact));
        }
    }
    let plain: Vec<&&Listed> = parts.iter().filter(|l| l.1 & modifiers == 0).collect();
    let joined = plain.iter().fold((0, 0), |(c, r), l| (c | l.1, r | l.2.unwrap_or(0)));
    let within = |a: &Listed, b: &Listed| {
        (a.1, a.2) != (b.1, b.2) && a.1 & !b.1 == 0 && a.2.unwrap_or(0) & !b.2.unwrap_or(0) == 0
    };
    (joined == (config & !modifiers, response.unwrap_or(0)))
        .then(|| names(plain.iter().copied().filter(|a| !plain.iter().any(|b| within(a, b))).collect()))
}

/// Whether two names differ only in their dots.
fn same(a: &str, b: &str) -> bool {
    let plain = |name: &str| name.to_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    plain(a) == plain(b)
}

/// What is wrong with a native event according to its vendor's table.
fn difference(family: &Family, table: &[Listed], native: &Code) -> Option<String> {
    let (config, response) = match native.config {
        Config::Raw(config) => (config, None),
        Config::Response(config, response) => (config, Some(response)),
        Config::Kernel(..) => return Some("not a code of the vendor's".into()),
    };
    let Some(vendor_names) = made_of(family, table, config, response) else {
        return Some(format!("{config:#x} is not made up of the vendor's codes"));
    };
    let known = lines(include_str!("../data/vendor_names.csv"))
        .any(|row| row[0] == native.name && row[1].split(' ').eq(vendor_names.iter().copied()));
    let named = known || response.is_some() || vendor_names.iter().any(|name| same(name, native.name));
    (!named).then(|| format!("{config:#x} is the vendor's {}", vendor_names.join(" and ")))
}

#[test]
fn every_event_agrees_with_the_vendors_table() {
    let tables = listed();
    let intended: Vec<Vec<&str>> = lines(include_str!("../data/intended.csv")).collect();
    let (mut pairs, mut used, mut differences) = (0, 0, Vec::new());
    for family in FAMILIES.iter() {
        for entry in Preset::all().filter_map(|preset| map::lookup(family, preset).ok()) {
            pairs += 1;
            let table = tables.get(family.key).map_or(&[][..], Vec::as_slice);
            for native in &entry.natives {
                let Some(why) = difference(family, table, native) else { continue };
                let row = [family.key, entry.preset.name(), native.name];
                match intended.iter().find(|i| i[..3] == row && !i[3].is_empty()) {
                    Some(_) => used += 1,
                    None => differences.push(format!("{} {} {}: {why}", row[0], row[1], row[2])),
                }
            }
        }
    }
    assert!(differences.is_empty(), "{} of {pairs}:\n{}", differences.len(), differences.join("\n"));
    assert_eq!(used, intended.len(), "a difference that is marked as intended is there no more");
    assert!(pairs > 1500, "{pairs}");
}

#[test]
fn each_family_names_the_vendors_file_and_its_date() {
    let sources: Vec<Vec<&str>> = lines(include_str!("../data/vendor_sources.csv")).collect();
    assert!(sources.iter().all(|row| row.len() == 3 && row.iter().all(|field| !field.is_empty())));
    for family in FAMILIES.iter() {
        let has_table = sources.iter().any(|row| row[0] == family.key);
        assert_eq!(has_table, !family.source.is_empty(), "{}", family.key);
        let counted = Preset::all().any(|preset| map::lookup(family, preset).is_ok());
        assert_eq!(counted, has_table, "{}", family.key);
    }
}

#[test]
fn every_pair_says_what_it_includes() {
    for family in FAMILIES.iter() {
        for entry in Preset::all().filter_map(|preset| map::lookup(family, preset).ok()) {
            let told = entry.notes(family).len() + usize::from(!entry.includes.is_empty());
            assert!(told > 0, "{} {} {}", family.key, entry.preset.name(), entry.natives[0].name);
        }
    }
}

/// For each x86 family: preset, index of the native event in it, type, config, config1;
/// made once from PAPI's own table and libpfm's encodings.
const PUBLISHED: &str = include_str!("../../../tests/data/x86_preset_encodings.csv");

#[test]
fn every_x86_row_is_papis() {
    let mut published = HashSet::new();
    for line in PUBLISHED.lines().skip(1) {
        let field: Vec<&str> = line.split(',').collect();
        let hex = |text| u64::from_str_radix(text, 16).unwrap();
        let (family, preset) = (Family::keyed(field[0]).unwrap(), Preset::named(field[1]).unwrap());
        published.insert((family.key, preset));
        let native = &map::papi(family, preset).unwrap().natives[field[2].parse::<usize>().unwrap()];
        let expected = (field[3].parse::<u32>().unwrap(), hex(field[4]), hex(field[5]));
        let found = match native.config {
            Config::Raw(config) => (4, config, 0),
            Config::Response(config, response) => (4, config, response),
            Config::Kernel(kind, config) => (kind, config, 0),
        };
        assert_eq!(found, expected, "{line}");
    }
    let x86 = |family: &&Family| PUBLISHED.lines().any(|line| line.split(',').next() == Some(family.key));
    for family in FAMILIES.iter().filter(x86) {
        for preset in Preset::all() {
            let known = published.contains(&(family.key, preset));
            assert_eq!(map::papi(family, preset).is_some(), known, "{} {}", family.key, preset.name());
        }
    }
}
