//! The preset map: what is behind each preset on each processor family; and
//! the kit's own presets where the map has a gap.

use std::sync::LazyLock;

use super::{Family, Formula, Preset};

/// A preset on one family, or on several alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The preset.
    pub preset: Preset,
    /// How it follows from its native events.
    pub formula: Formula,
    /// The native events, in the formula's order.
    pub natives: Vec<Code>,
    /// Of a preset of the kit: what it includes; else empty.
    pub includes: &'static str,
    families: Vec<&'static str>,
}

/// A native event as its maker's manual calls it, and its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// As in `L1D:REPLACEMENT`.
    pub name: &'static str,
    /// Number of the event, unit mask and other fields, as the core's PMU
    /// takes them; or one of the kernel's cache events.
    pub config: Config,
}

/// Whose numbers a native event's code is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Config {
    /// The core's PMU's own.
    Raw(u64),
    /// The same, and which answers of the uncore count: `offcore_rsp`, which
    /// the kernel takes in `config1`.
    Response(u64, u64),
    /// The kernel's `PERF_TYPE_HW_CACHE`.
    Cache(u64),
}

/// Columns: preset, formula (empty: the event itself), events as NAME=CODE or
/// NAME=CODE+RESPONSE, families. Codes are hexadecimal.
static TABLE: LazyLock<Vec<Entry>> =
    LazyLock::new(|| include_str!("map.csv").lines().skip(1).filter_map(entry).collect());

/// The same columns, and what the preset includes. Codes from the makers'
/// event lists, checked against the same core's entries in the map.
static KIT: LazyLock<Vec<Entry>> =
    LazyLock::new(|| include_str!("kit.csv").lines().skip(1).filter_map(entry).collect());

fn entry(line: &'static str) -> Option<Entry> {
    let mut fields = line.split(',');
    let preset = Preset::named(fields.next()?)?;
    let formula = fields.next()?;
    let natives: Vec<Code> = fields.next()?.split(' ').map(code).collect::<Option<_>>()?;
    let formula = match formula {
        "" => Formula::direct(),
        "sum" => Formula::sum(natives.len()),
        "difference" => Formula::difference(natives.len()),
        postfix => Formula::postfix(postfix, natives.len())?,
    };
    let families = fields.next()?.split(' ').collect();
    Some(Entry { preset, formula, natives, families, includes: fields.next().unwrap_or_default() })
}

fn code(text: &'static str) -> Option<Code> {
    let (name, code) = text.rsplit_once('=')?;
    let hex = |digits| u64::from_str_radix(digits, 16).ok();
    let config = match (code.strip_prefix("cache:0x"), code.split_once('+')) {
        (Some(cache), _) => Config::Cache(hex(cache)?),
        (None, Some((config, response))) => Config::Response(hex(config)?, hex(response)?),
        (None, None) => Config::Raw(hex(code)?),
    };
    Some(Code { name, config })
}

/// What is behind `preset` on `family`; `None` if no event of it counts that.
pub fn lookup(family: &Family, preset: Preset) -> Option<&'static Entry> {
    TABLE.iter().find(|e| e.preset == preset && e.families.contains(&family.key))
}

/// The kit's own definition of `preset` on `family`, where the map has none.
pub fn kit(family: &Family, preset: Preset) -> Option<&'static Entry> {
    KIT.iter().find(|e| e.preset == preset && e.families.contains(&family.key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Derivation, FAMILIES};

    fn preset(name: &str) -> Preset {
        Preset::named(name).unwrap()
    }

    #[test]
    fn every_line_of_the_map_is_read() {
        assert_eq!(TABLE.len(), include_str!("map.csv").lines().count() - 1);
        let known = |key| FAMILIES.iter().any(|f| f.key == key);
        assert!(TABLE.iter().flat_map(|e| &e.families).all(|key| known(*key)));
        let pairs: usize =
            FAMILIES.iter().map(|f| Preset::all().filter(|p| lookup(f, *p).is_some()).count()).sum();
        assert_eq!(pairs, 880);
    }

    #[test]
    fn the_kits_presets_fill_gaps_and_override_nothing() {
        assert_eq!(KIT.len(), include_str!("kit.csv").lines().count() - 1);
        for entry in KIT.iter() {
            for key in &entry.families {
                let family = Family::keyed(key).unwrap();
                assert_eq!(lookup(family, entry.preset), None, "{key} {}", entry.preset.name());
            }
        }
        let alder = Family::keyed("adl_glc").unwrap();
        assert_eq!(kit(alder, preset("PAPI_L1_DCM")).unwrap().natives[0].config, Config::Raw(0x151));
    }

    #[test]
    fn the_lessons_presets_on_the_kits_machines() {
        let skylake = Family::keyed("skl").unwrap();
        let misses = lookup(skylake, Preset::named("PAPI_L1_DCM").unwrap()).unwrap();
        assert_eq!(misses.natives, [Code { name: "L1D:REPLACEMENT", config: Config::Raw(0x151) }]);
        let l2 = lookup(skylake, preset("PAPI_L2_DCM")).unwrap();
        assert_eq!(l2.formula.derivation(), Derivation::Difference);
        assert_eq!(l2.natives[1].config, Config::Raw(0x2424));
        let zen2 = Family::keyed("amd64_fam17h_zen2").unwrap();
        assert_eq!(lookup(zen2, preset("PAPI_L1_DCA")).unwrap().natives[0].config, Config::Cache(0));
        assert_eq!(lookup(zen2, preset("PAPI_L1_DCM")), None);
        let flops = lookup(Family::keyed("bdw").unwrap(), preset("PAPI_DP_OPS")).unwrap();
        assert_eq!(flops.formula.evaluate(&[3.0, 5.0, 7.0]), Some(3.0 + 10.0 + 28.0));
    }
}
