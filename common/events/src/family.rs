//! Which of the families in the preset map a processor belongs to.

/// A processor family whose native events the preset map knows.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// The key in the map, as libpfm calls it.
    pub key: &'static str,
    /// For people.
    pub title: &'static str,
    members: Members,
}

/// What the processor says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// CPUID leaf 1 of an Intel processor of family 6.
    Intel {
        /// Extended model.
        model: u32,
        /// Stepping.
        stepping: u32,
    },
    /// CPUID leaf 1 of an AMD (or Hygon) processor.
    Amd {
        /// Extended family.
        family: u32,
        /// Extended model.
        model: u32,
    },
    /// MIDR_EL1 of an Arm core.
    Arm {
        /// 0x41 is Arm itself.
        implementer: u32,
        /// The core's number.
        part: u32,
    },
}

#[derive(Debug, PartialEq, Eq)]
enum Members {
    /// Models, and the steppings that count.
    Intel(&'static [u32], std::ops::RangeInclusive<u32>),
    /// Family, and the ranges of models.
    Amd(u32, &'static [(u32, u32)]),
    /// Part number of an Arm Ltd design.
    Arm(u32),
}

const ANY: std::ops::RangeInclusive<u32> = 0..=15;

const fn intel(key: &'static str, title: &'static str, models: &'static [u32]) -> Family {
    Family { key, title, members: Members::Intel(models, ANY) }
}

const fn amd(key: &'static str, title: &'static str, family: u32, models: &'static [(u32, u32)]) -> Family {
    Family { key, title, members: Members::Amd(family, models) }
}

const fn arm(key: &'static str, title: &'static str, part: u32) -> Family {
    Family { key, title, members: Members::Arm(part) }
}

/// Model numbers as the kernel's `intel-family.h` and AMD's revision guides
/// give them, part numbers from Arm's reference manuals.
pub static FAMILIES: [Family; 24] = [
    intel("hsw", "Intel Haswell", &[0x3c, 0x3f, 0x45, 0x46]),
    intel("bdw", "Intel Broadwell", &[0x3d, 0x47, 0x4f, 0x56]),
    intel("skl", "Intel Skylake, Kaby, Coffee and Comet Lake", &[0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6]),
    Family { key: "skx", title: "Intel Skylake-SP", members: Members::Intel(&[0x55], 0..=4) },
    Family { key: "clx", title: "Intel Cascade and Cooper Lake", members: Members::Intel(&[0x55], 5..=15) },
    intel("icl", "Intel Ice, Tiger and Rocket Lake", &[0x7d, 0x7e, 0x8c, 0x8d, 0xa7]),
    intel("icx", "Intel Ice Lake-SP", &[0x6a, 0x6c]),
    intel("spr", "Intel Sapphire Rapids", &[0x8f]),
    intel("emr", "Intel Emerald Rapids", &[0xcf]),
    intel("gnr", "Intel Granite Rapids", &[0xad, 0xae]),
    intel("adl_glc", "Intel Alder and Raptor Lake, performance cores", &[0x97, 0x9a, 0xb7, 0xba, 0xbf]),
    amd("amd64_fam17h_zen1", "AMD Zen and Zen+", 0x17, &[(0x00, 0x2f)]),
    amd("amd64_fam17h_zen2", "AMD Zen 2", 0x17, &[(0x30, 0xff)]),
    amd("amd64_fam19h_zen3", "AMD Zen 3", 0x19, &[(0x00, 0x0f), (0x20, 0x5f)]),
    amd("amd64_fam19h_zen4", "AMD Zen 4", 0x19, &[(0x10, 0x1f), (0x60, 0xff)]),
    amd("amd64_fam1ah_zen5", "AMD Zen 5", 0x1a, &[(0x00, 0xff)]),
    arm("arm_ac53", "Arm Cortex-A53", 0xd03),
    arm("arm_ac57", "Arm Cortex-A57", 0xd07),
    arm("arm_ac72", "Arm Cortex-A72", 0xd08),
    arm("arm_ac76", "Arm Cortex-A76", 0xd0b),
    arm("arm_n1", "Arm Neoverse N1", 0xd0c),
    arm("arm_n2", "Arm Neoverse N2", 0xd49),
    arm("arm_v1", "Arm Neoverse V1", 0xd40),
    arm("arm_v2", "Arm Neoverse V2", 0xd4f),
];

impl Family {
    /// The family of that key.
    pub fn keyed(key: &str) -> Option<&'static Family> {
        FAMILIES.iter().find(|f| f.key == key)
    }

    /// The family a processor belongs to, if the map knows it.
    pub fn of(identity: Identity) -> Option<&'static Family> {
        FAMILIES.iter().find(|f| f.has(identity))
    }

    fn has(&self, identity: Identity) -> bool {
        match (&self.members, identity) {
            (Members::Intel(models, steppings), Identity::Intel { model, stepping }) => {
                models.contains(&model) && steppings.contains(&stepping)
            }
            (Members::Amd(wanted, models), Identity::Amd { family, model }) => {
                *wanted == family && models.iter().any(|(from, to)| (*from..=*to).contains(&model))
            }
            (Members::Arm(wanted), Identity::Arm { implementer: 0x41, part }) => *wanted == part,
            _ => false,
        }
    }

    /// Whether its PMU is an x86 one.
    pub fn is_x86(&self) -> bool {
        !matches!(self.members, Members::Arm(_))
    }

    /// Whether Intel made it.
    pub fn is_intel(&self) -> bool {
        matches!(self.members, Members::Intel(..))
    }
}

impl Identity {
    /// From register MIDR_EL1 of an Arm core.
    pub fn from_midr(midr: u64) -> Identity {
        Identity::Arm { implementer: (midr >> 24 & 0xff) as u32, part: (midr >> 4 & 0xfff) as u32 }
    }

    /// From the maker's name and register EAX of CPUID leaf 1.
    pub fn from_cpuid(maker: &[u8; 12], leaf1: u32) -> Option<Identity> {
        let base = leaf1 >> 8 & 0xf;
        let family = if base == 0xf { base + (leaf1 >> 20 & 0xff) } else { base };
        let model = (leaf1 >> 16 & 0xf) << 4 | (leaf1 >> 4 & 0xf);
        match maker {
            b"GenuineIntel" if family == 6 => Some(Identity::Intel { model, stepping: leaf1 & 0xf }),
            b"AuthenticAMD" => Some(Identity::Amd { family, model }),
            // Hygon's first cores are AMD's first Zen.
            b"HygonGenuine" if family == 0x18 => Some(Identity::Amd { family: 0x17, model: 0 }),
            _ => None,
        }
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Identity::Intel { model, stepping } => {
                write!(f, "Intel family 6 model {model:#04x} stepping {stepping}")
            }
            Identity::Amd { family, model } => write!(f, "AMD family {family:#04x} model {model:#04x}"),
            Identity::Arm { implementer, part } => {
                write!(f, "MIDR implementer {implementer:#04x} part {part:#05x}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_processors_are_recognised() {
        let intel = b"GenuineIntel";
        let amd = b"AuthenticAMD";
        for (maker, leaf1, key) in [
            (intel, 0x0003_06c3, "hsw"),     // i7-4770
            (intel, 0x0009_06e9, "skl"),     // i5-7500
            (intel, 0x0005_0654, "skx"),     // Xeon Gold 6148
            (intel, 0x0005_0657, "clx"),     // Xeon Gold 6248
            (intel, 0x000b_0671, "adl_glc"), // i9-13900K
            (intel, 0x0008_06f8, "spr"),     // Xeon Platinum 8480
            (amd, 0x0080_0f82, "amd64_fam17h_zen1"),
            (amd, 0x0087_0f10, "amd64_fam17h_zen2"), // Ryzen 5 3600X
            (amd, 0x00a0_0f11, "amd64_fam19h_zen3"),
            (amd, 0x00a6_0f12, "amd64_fam19h_zen4"),
            (amd, 0x00b4_0f40, "amd64_fam1ah_zen5"),
        ] {
            let found = Identity::from_cpuid(maker, leaf1).and_then(Family::of);
            assert_eq!(found.map(|f| f.key), Some(key), "{leaf1:#x}");
        }
        assert_eq!(Identity::from_cpuid(intel, 0x0002_06a7).and_then(Family::of), None);
        assert_eq!(Family::of(Identity::from_midr(0x410f_d083)).map(|f| f.key), Some("arm_ac72"));
        assert_eq!(Family::of(Identity::from_midr(0x000f_0510)), None);
    }

    #[test]
    fn no_processor_belongs_to_two_families() {
        for model in 0..0x100 {
            for stepping in 0..16 {
                let identity = Identity::Intel { model, stepping };
                assert!(FAMILIES.iter().filter(|f| f.has(identity)).count() <= 1, "{model:#x}");
            }
        }
    }
}
