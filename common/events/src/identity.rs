//! How a processor identifies itself.

use std::fmt;

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
    pub(super) fn named(name: &str) -> Option<Vendor> {
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
