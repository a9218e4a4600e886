//! The processor families of the preset map, and how a processor identifies itself.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Who designed a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    /// Intel.
    Intel,
    /// AMD, and Hygon by its licence.
    Amd,
    /// Zhaoxin, and Centaur before it.
    Zhaoxin,
    /// Any vendor of an Arm core.
    Arm,
    /// Any vendor of a RISC-V core.
    RiscV,
}

/// The numbers by which a processor identifies itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The vendor, who defines the other numbers.
    pub maker: Vendor,
    /// The family of CPUID leaf 1, the implementer of MIDR_EL1, or mvendorid.
    pub family: u64,
    /// The model of CPUID leaf 1, the part of MIDR_EL1, or marchid.
    pub model: u64,
    /// The stepping of CPUID leaf 1, else 0.
    pub stepping: u64,
}

impl Vendor {
    fn named(name: &str) -> Option<Vendor> {
        Some(match name {
            "Intel" => Vendor::Intel,
            "AMD" => Vendor::Amd,
            "Zhaoxin" => Vendor::Zhaoxin,
            "Arm" => Vendor::Arm,
            "RISC-V" => Vendor::RiscV,
            _ => return None,
        })
    }
}

impl Identity {
    /// From register MIDR_EL1 of an Arm core.
    pub fn from_midr(midr: u64) -> Identity {
        Identity { maker: Vendor::Arm, family: midr >> 24 & 0xff, model: midr >> 4 & 0xfff, stepping: 0 }
    }

    /// From registers mvendorid and marchid of a RISC-V core.
    pub fn from_riscv(mvendorid: u64, marchid: u64) -> Identity {
        Identity { maker: Vendor::RiscV, family: mvendorid, model: marchid, stepping: 0 }
    }

    /// From the vendor's name and register EAX of CPUID leaf 1.
    pub fn from_cpuid(maker: &[u8; 12], leaf1: u32) -> Option<Identity> {
        let base = leaf1 >> 8 & 0xf;
        let family = if base == 0xf { base + (leaf1 >> 20 & 0xff) } else { base };
        let model = (leaf1 >> 16 & 0xf) << 4 | (leaf1 >> 4 & 0xf);
        let maker = match maker {
            b"GenuineIntel" => Vendor::Intel,
            b"AuthenticAMD" | b"HygonGenuine" => Vendor::Amd,
            b"CentaurHauls" | b"  Shanghai  " => Vendor::Zhaoxin,
            _ => return None,
        };
        Some(Identity { maker, family: family.into(), model: model.into(), stepping: (leaf1 & 0xf).into() })
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Identity { maker, family, model, stepping } = self;
        match maker {
            Vendor::Intel | Vendor::Amd | Vendor::Zhaoxin => {
                let maker = if *maker == Vendor::Amd { "AMD".to_owned() } else { format!("{maker:?}") };
                write!(f, "{maker} family {family:#04x} model {model:#04x} stepping {stepping}")
            }
            Vendor::Arm => write!(f, "MIDR implementer {family:#04x} part {model:#05x}"),
            Vendor::RiscV => write!(f, "RISC-V mvendorid {family:#x} marchid {model:#x}"),
        }
    }
}

/// Processors whose cores count the same events with the same codes.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// The key in the map; libpfm's where it has one.
    pub key: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// How many events a core counts at once, in addition to those with a fixed counter.
    pub counters: &'static str,
    /// The source of its event table; empty if it has none.
    pub source: &'static str,
    /// Why the kernel's generic events are used instead of a table, or for the presets that
    /// it lacks; empty if they are not used.
    pub generic: &'static str,
    like: &'static str,
    efficient: &'static str,
}

/// A line of `models.csv`: the processors of one family by their numbers.
struct Models {
    maker: Vendor,
    family: u64,
    models: Vec<RangeInclusive<u64>>,
    steppings: Vec<RangeInclusive<u64>>,
    key: &'static str,
}

/// Every family, each vendor's older ones first. Columns: key, title, the family whose
/// table it shares, the family of its efficiency cores, counters, source of the table, why
/// it is generic.
pub static FAMILIES: LazyLock<Vec<Family>> =
    LazyLock::new(|| include_str!("families.csv").lines().skip(1).filter_map(family).collect());

/// Columns: vendor, family, models, steppings (empty: all), key, source; numbers are
/// hexadecimal.
static MODELS: LazyLock<Vec<Models>> =
    LazyLock::new(|| include_str!("models.csv").lines().skip(1).filter_map(models).collect());

fn family(line: &'static str) -> Option<Family> {
    let mut fields = line.splitn(7, ',');
    let mut field = || fields.next();
    Some(Family {
        key: field()?,
        title: field()?,
        like: field()?,
        efficient: field()?,
        counters: field()?,
        source: field()?,
        generic: field()?,
    })
}

fn models(line: &'static str) -> Option<Models> {
    let mut fields = line.splitn(6, ',');
    let mut field = || fields.next();
    Some(Models {
        maker: Vendor::named(field()?)?,
        family: u64::from_str_radix(field()?, 16).ok()?,
        models: ranges(field()?)?,
        steppings: ranges(field()?)?,
        key: field()?,
    })
}

/// `0-2f 50` as ranges; an empty list means all numbers.
fn ranges(text: &str) -> Option<Vec<RangeInclusive<u64>>> {
    let hex = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let range = |text: &str| {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        Some(hex(from)?..=hex(to)?)
    };
    text.split_whitespace().map(range).collect()
}

impl Models {
    fn have(&self, identity: Identity) -> bool {
        let among = |ranges: &[RangeInclusive<u64>], n| ranges.iter().any(|range| range.contains(&n));
        (self.maker, self.family) == (identity.maker, identity.family)
            && among(&self.models, identity.model)
            && (self.steppings.is_empty() || among(&self.steppings, identity.stepping))
    }
}

impl Family {
    /// The family of that key.
    pub fn keyed(key: &str) -> Option<&'static Family> {
        FAMILIES.iter().find(|f| f.key == key)
    }

    /// The family a processor belongs to, if it is known.
    pub fn of(identity: Identity) -> Option<&'static Family> {
        let models = MODELS.iter().find(|models| models.have(identity))?;
        Family::keyed(models.key)
    }

    /// The family, the family whose table it shares, that one's, and so on: an earlier one
    /// overrides the later ones.
    pub fn tables(&'static self) -> impl Iterator<Item = &'static Family> {
        std::iter::successors(Some(self), |family| Family::keyed(family.like))
    }

    /// Whether its table is, or is based on, that of `key`.
    pub fn is_like(&'static self, key: &str) -> bool {
        self.tables().any(|family| family.key == key)
    }

    /// The family of the efficiency cores of a processor with these performance cores, which has
    /// the same numbers, if the kit has a table of it.
    pub fn efficient(&self) -> Option<&'static Family> {
        Family::keyed(self.efficient)
    }

    /// The vendor of its cores.
    pub fn vendor(&self) -> Option<Vendor> {
        MODELS.iter().find(|models| models.key == self.key).map(|models| models.maker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(identity: Option<Identity>) -> Option<&'static str> {
        identity.and_then(Family::of).map(|f| f.key)
    }

    #[test]
    fn real_processors_are_recognised() {
        let intel = b"GenuineIntel";
        let amd = b"AuthenticAMD";
        for (maker, leaf1, family) in [
            (intel, 0x0003_06c3, "hsw"),     // i7-4770
            (intel, 0x0009_06e9, "skl"),     // i5-7500
            (intel, 0x0005_0654, "skx"),     // Xeon Gold 6148
            (intel, 0x0005_0657, "clx"),     // Xeon Gold 6248
            (intel, 0x000b_0671, "adl_glc"), // i9-13900K
            (intel, 0x0008_06f8, "spr"),     // Xeon Platinum 8480
            (intel, 0x000a_06a4, "mtl"),     // Core Ultra 7 155H
            (intel, 0x000c_0662, "arl"),     // Core Ultra 9 285K
            (intel, 0x000b_06d1, "lnl"),     // Core Ultra 7 258V
            (intel, 0x000b_06e0, "adl_grt"), // N100
            (intel, 0x000a_06f3, "srf"),
            (intel, 0x0002_06a7, "snb"),
            (amd, 0x0080_0f82, "amd64_fam17h_zen1"),
            (amd, 0x0087_0f10, "amd64_fam17h_zen2"), // Ryzen 5 3600X
            (amd, 0x00a0_0f11, "amd64_fam19h_zen3"),
            (amd, 0x00a6_0f12, "amd64_fam19h_zen4"),
            (amd, 0x00b4_0f40, "amd64_fam1ah_zen5"),
            (amd, 0x00b5_0f00, "amd64_fam1ah_zen6"),
            (b"HygonGenuine", 0x0090_0f01, "amd64_fam17h_zen1"),
            (b"CentaurHauls", 0x0000_07b0, "zhaoxin"),
        ] {
            assert_eq!(key(Identity::from_cpuid(maker, leaf1)), Some(family), "{leaf1:#x}");
        }
        for (midr, family) in [
            (0x410f_d083, "arm_ac72"),
            (0x413f_d0c1, "arm_n1"),
            (0x414f_d0b1, "arm_ac76"),
            (0x6d0f_d490, "arm_n2"),
            (0x611f_0230, "apple_m1"),
            (0x612f_0530, "apple_m3"),
            (0xc00f_ac30, "ampere1"),
        ] {
            assert_eq!(key(Some(Identity::from_midr(midr))), Some(family), "{midr:#x}");
        }
        assert_eq!(key(Some(Identity::from_midr(0x000f_0510))), None);
        assert_eq!(key(Some(Identity::from_riscv(0x489, 0x8000_0000_0000_0007))), Some("sifive_u74"));
        // QEMU's RISC-V machine names no vendor.
        assert_eq!(key(Some(Identity::from_riscv(0, 0))), None);
    }

    #[test]
    fn every_line_of_both_tables_is_read_and_has_its_source() {
        assert_eq!(FAMILIES.len(), include_str!("families.csv").lines().count() - 1);
        assert_eq!(MODELS.len(), include_str!("models.csv").lines().count() - 1);
        assert!(MODELS.iter().all(|m| !m.models.is_empty()));
        assert!(include_str!("models.csv").lines().all(|line| !line.ends_with(',')));
        assert!(MODELS.iter().all(|m| Family::keyed(m.key).is_some()));
        for family in FAMILIES.iter() {
            assert!(family.vendor().is_some(), "{}", family.key);
            assert!(!family.counters.is_empty(), "{}", family.key);
            assert!(!(family.source.is_empty() && family.generic.is_empty()), "{}", family.key);
            for other in [family.like, family.efficient] {
                assert!(other.is_empty() || Family::keyed(other).is_some(), "{}", family.key);
            }
            assert!(family.tables().count() < 5, "{}", family.key);
        }
    }

    #[test]
    fn no_processor_belongs_to_two_families() {
        for (i, a) in MODELS.iter().enumerate() {
            for b in MODELS[..i].iter().filter(|b| (b.maker, b.family) == (a.maker, a.family)) {
                let apart = |a: &[RangeInclusive<u64>], b: &[RangeInclusive<u64>]| {
                    !a.iter().any(|a| b.iter().any(|b| a.start() <= b.end() && b.start() <= a.end()))
                };
                let steppings = !a.steppings.is_empty() && apart(&a.steppings, &b.steppings);
                assert!(apart(&a.models, &b.models) || steppings, "{} {}", a.key, b.key);
            }
        }
    }
}
