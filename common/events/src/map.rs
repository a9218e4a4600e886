//! The preset map: the native events of each preset on each processor family, by PAPI and
//! by this kit, with the reasons where they differ.

use std::fmt;
use std::sync::LazyLock;

use super::notes::{self, Note};
use super::{Family, Formula, Preset, kernel};

/// A preset on one or more families.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The preset.
    pub preset: Preset,
    /// How it is computed from its native events.
    pub formula: Formula,
    /// The native events, in the formula's order.
    pub natives: Vec<Code>,
    /// Who defined it.
    pub origin: Origin,
    /// What it includes, where that differs from the preset's definition and no note on its
    /// events says so; else empty.
    pub includes: &'static str,
    /// For a preset of the kit: why it is not PAPI's; empty if PAPI has none.
    pub why: &'static str,
    families: Vec<&'static str>,
}

/// Who defined a preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// PAPI's map.
    Papi,
    /// This kit.
    Kit,
    /// This kit, from the kernel's generic events. The kernel's choice of event differs between
    /// processors, so these figures cannot be compared between machines.
    Generic,
}

/// A native event by the name in its vendor's manual, and its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// For example `L1D:REPLACEMENT`.
    pub name: &'static str,
    /// Number of the event, unit mask and other fields, as the core's PMU
    /// takes them; or one of the kernel's cache events.
    pub config: Config,
}

/// The kind of a native event's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Config {
    /// Of the core's PMU.
    Raw(u64),
    /// The same, with a filter for responses of the uncore: `offcore_rsp`, which the kernel
    /// takes in `config1`.
    Response(u64, u64),
    /// One of the kernel's generic events, by its type and config.
    Kernel(u32, u64),
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Config::Raw(config) => write!(f, "config={config:#x}"),
            Config::Response(config, response) => write!(f, "config={config:#x} config1={response:#x}"),
            Config::Kernel(kind, config) => write!(f, "type={kind} config={config:#x}"),
        }
    }
}

/// PAPI's map. Columns: preset, formula (empty: the event itself; `sum`; `difference`; or a factor
/// for each event), events as NAME=CODE or NAME=CODE+RESPONSE, families. Codes are hexadecimal.
static PAPI: LazyLock<Vec<Entry>> = LazyLock::new(|| table(include_str!("map.csv"), Origin::Papi));

/// The kit's presets, where PAPI's map has a gap or contradicts the vendors' event tables.
/// The columns of PAPI's table, what the preset includes, and why it is not PAPI's; without events it
/// is not counted on these families at all.
static KIT: LazyLock<Vec<Entry>> = LazyLock::new(|| table(include_str!("kit.csv"), Origin::Kit));

/// Presets by the kernel's generic events, for families that have no table. The same columns
/// without families; the events are the kernel's names. Several rows of one preset are ways of
/// counting it, the better first.
static GENERIC: LazyLock<Vec<Entry>> = LazyLock::new(|| table(include_str!("generic.csv"), Origin::Generic));

fn table(text: &'static str, origin: Origin) -> Vec<Entry> {
    text.lines().skip(1).filter_map(|line| entry(line, origin)).collect()
}

fn entry(line: &'static str, origin: Origin) -> Option<Entry> {
    let mut fields = line.splitn(6, ',');
    let preset = Preset::named(fields.next()?)?;
    let formula = fields.next()?;
    let natives: Vec<Code> = fields.next()?.split_whitespace().map(code).collect::<Option<_>>()?;
    let formula = Formula::parse(formula, natives.len())?;
    let families = fields.next()?.split(' ').collect();
    let includes = fields.next().unwrap_or_default();
    Some(Entry {
        preset,
        formula,
        natives,
        origin,
        includes,
        why: fields.next().unwrap_or_default(),
        families,
    })
}

fn code(text: &'static str) -> Option<Code> {
    let hex = |digits| u64::from_str_radix(digits, 16).ok();
    let Some((name, code)) = text.rsplit_once('=') else {
        let (kind, config) = kernel::lookup(text)?;
        return Some(Code { name: text, config: Config::Kernel(kind, config) });
    };
    let config = match (code.strip_prefix("cache:0x"), code.split_once('+')) {
        (Some(cache), _) => Config::Kernel(kernel::HW_CACHE, hex(cache)?),
        (None, Some((config, response))) => Config::Response(hex(config)?, hex(response)?),
        (None, None) => Config::Raw(hex(code)?),
    };
    Some(Code { name, config })
}

/// The definition of `preset` on `family`: the kit's if it has one, else PAPI's; first the
/// family's own, then those of the families whose tables it shares.
/// Fails with the reason why there is none.
pub fn lookup(family: &'static Family, preset: Preset) -> Result<&'static Entry, &'static str> {
    let own = |f: &Family| kit(f, preset).or_else(|| papi(f, preset));
    match family.tables().find_map(own) {
        Some(entry) if entry.natives.is_empty() => Err(entry.why),
        Some(entry) => Ok(entry),
        None => Err("no event of it counts that"),
    }
}

/// The ways of counting `preset` by the kernel's generic events, the better first; empty if it has
/// none.
pub fn generic(preset: Preset) -> impl Iterator<Item = &'static Entry> {
    GENERIC.iter().filter(move |entry| entry.preset == preset)
}

/// PAPI's definition of `preset` on `family`, whether or not the kit has another.
pub fn papi(family: &Family, preset: Preset) -> Option<&'static Entry> {
    PAPI.iter().find(|e| e.preset == preset && e.families.contains(&family.key))
}

/// PAPI's definition of `preset` on `family` where the kit has another, or none,
/// and why.
pub fn replaced(family: &'static Family, preset: Preset) -> Option<(&'static Entry, &'static str)> {
    let kit = family.tables().find_map(|f| kit(f, preset).map(|kit| (f, kit)));
    let (owner, kit) = kit?;
    papi(owner, preset).map(|papi| (papi, kit.why))
}

/// The kit's own definition of `preset` on `family`.
fn kit(family: &Family, preset: Preset) -> Option<&'static Entry> {
    KIT.iter().find(|e| e.preset == preset && e.families.contains(&family.key))
}

impl Entry {
    /// What it includes on `family`, without repetitions.
    pub fn notes(&self, family: &'static Family) -> Vec<&'static Note> {
        let mut notes: Vec<&Note> = Vec::new();
        for note in self.natives.iter().flat_map(|native| notes::of_native(family, native.name)) {
            if !notes.iter().any(|known| known.text == note.text) {
                notes.push(note);
            }
        }
        notes
    }

    /// The formula with the native events' names.
    pub fn spelt(&self) -> String {
        let names: Vec<&str> = self.natives.iter().map(|native| native.name).collect();
        self.formula.infix(&names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Derivation, FAMILIES};

    fn preset(name: &str) -> Preset {
        Preset::named(name).unwrap()
    }

    fn found(family: &str, name: &str) -> Result<&'static Entry, &'static str> {
        lookup(Family::keyed(family).unwrap(), preset(name))
    }

    #[test]
    fn every_line_of_the_tables_is_read() {
        assert_eq!(PAPI.len(), include_str!("map.csv").lines().count() - 1);
        assert_eq!(KIT.len(), include_str!("kit.csv").lines().count() - 1);
        assert_eq!(GENERIC.len(), include_str!("generic.csv").lines().count() - 1);
        assert!(PAPI.iter().chain(KIT.iter()).flat_map(|e| &e.families).all(|k| Family::keyed(k).is_some()));
        let pairs: usize =
            FAMILIES.iter().map(|f| Preset::all().filter(|p| papi(f, *p).is_some()).count()).sum();
        assert_eq!(pairs, 880);
        // PAPI's rows always have native events.
        assert!(PAPI.iter().all(|e| !e.natives.is_empty() && e.origin == Origin::Papi));
    }

    #[test]
    fn where_the_kit_differs_from_papi_it_says_why() {
        for entry in KIT.iter() {
            for key in &entry.families {
                let family = Family::keyed(key).unwrap();
                let name = entry.preset.name();
                let twice = KIT.iter().filter(|e| e.preset == entry.preset && e.families.contains(key));
                assert_eq!(twice.count(), 1, "{key} {name}");
                let papi = papi(family, entry.preset);
                assert!(papi.is_none_or(|p| p.natives != entry.natives), "{key} {name} is PAPI's");
                let reason_needed = papi.is_some() || entry.natives.is_empty();
                assert_eq!(!entry.why.is_empty(), reason_needed, "{key} {name}");
            }
        }
    }

    #[test]
    fn the_lessons_presets_on_the_kits_machines() {
        let misses = found("skl", "PAPI_L1_DCM").unwrap();
        assert_eq!(misses.natives, [Code { name: "L1D:REPLACEMENT", config: Config::Raw(0x151) }]);
        let l2 = found("skl", "PAPI_L2_DCM").unwrap();
        assert_eq!(l2.formula.derivation(), Derivation::Difference);
        assert_eq!(l2.natives[1].config, Config::Raw(0x2424));
        assert_eq!(
            found("amd64_fam17h_zen2", "PAPI_L1_DCA").unwrap().natives[0].config,
            Config::Kernel(kernel::HW_CACHE, 0)
        );
        let flops = found("bdw", "PAPI_DP_OPS").unwrap();
        assert_eq!(flops.formula.evaluate(&[3.0, 5.0, 7.0]), 3.0 + 10.0 + 28.0);
    }

    #[test]
    fn the_better_generic_way_is_the_first() {
        let misses: Vec<_> = generic(preset("PAPI_L1_DCM")).collect();
        let load_misses =
            Code { name: "L1-dcache-load-misses", config: Config::Kernel(kernel::HW_CACHE, 0x10000) };
        assert_eq!(misses.iter().map(|way| way.natives.len()).collect::<Vec<_>>(), [2, 1]);
        assert!(misses.iter().all(|way| way.natives[0] == load_misses));
        assert_eq!(generic(preset("PAPI_FP_OPS")).count(), 0);
    }

    #[test]
    fn a_family_has_its_own_before_what_it_shares() {
        let config = |family, name| found(family, name).unwrap().natives[0].config;
        assert_eq!(config("mtl", "PAPI_BR_CN"), config("adl_glc", "PAPI_BR_CN"));
        assert_eq!(config("lnl", "PAPI_BR_CN"), Config::Raw(0x100_0000_11c4));
        assert_eq!(config("ptl", "PAPI_BR_CN"), Config::Raw(0x7c4));
        assert_eq!(config("arm_ac77", "PAPI_L2_DCA"), Config::Raw(0x50));
        assert!(found("nvl", "PAPI_L2_DCM").unwrap_err().contains("Nova Lake"));
        assert!(found("amd64_fam17h_zen2", "PAPI_FP_INS").unwrap_err().contains("integer work"));
        assert!(found("hsw", "PAPI_FP_OPS").is_err() && found("apple_m3", "PAPI_TOT_INS").is_err());
    }
}
