//! The preset map compared with the vendors' event tables, of which
//! `scripts/vendor_events.py` makes the extract in `tests/data`.

use crate::makers::{Listed, lines, listed, made_of};
use events::map::{self, Code, Config};
use events::{FAMILIES, Family, Preset};

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

/// Tests the tests above: they find PAPI's own mistakes.
#[test]
fn papis_mistakes_are_differences() {
    let tables = listed();
    for (family, preset) in
        [("hsw", "PAPI_L2_ICH"), ("hsw", "PAPI_PRF_DM"), ("icx", "PAPI_L2_DCA"), ("skl", "PAPI_CA_SNP")]
    {
        let family = Family::keyed(family).unwrap();
        let papi = map::papi(family, Preset::named(preset).unwrap()).unwrap();
        let wrong = papi.natives.iter().any(|n| difference(family, &tables[family.key], n).is_some());
        assert!(wrong, "{} {preset}", family.key);
    }
    let zen1 = Family::keyed("amd64_fam17h_zen1").unwrap();
    let moved = Code { name: "RETIRED_INSTRUCTIONS", config: Config::Raw(0xc1) };
    assert!(difference(zen1, &tables[zen1.key], &moved).is_some());
}
