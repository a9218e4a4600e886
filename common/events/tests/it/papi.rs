//! The kit's compact form of PAPI's map compared with the published map.

use std::collections::HashSet;

use events::map::{self, Config};
use events::{FAMILIES, Family, Preset};

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
