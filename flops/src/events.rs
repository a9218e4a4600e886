//! The events that count floating-point work, for each generation: they differ in what they
//! count and in its unit.

use common::counters::Platform;
use common::events::{Event, Family};

/// One event, and the meaning of one count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FpEvent {
    /// The vendor's name.
    pub name: &'static str,
    /// Its name for the kernel.
    pub spec: &'static str,
    /// Double-precision operations per count.
    pub operations: f64,
    /// The kernel whose work it counts; `None` for all kernels.
    pub kernel: Option<&'static str>,
}

/// Processors that count in the same way.
#[derive(Debug)]
pub struct Generation {
    /// Its name in the output.
    pub name: &'static str,
    /// A caveat about its counts.
    pub remark: &'static str,
    /// The events of double-precision work.
    pub events: &'static [FpEvent],
    /// Keys of its families; those that share their tables belong to it too.
    families: &'static [&'static str],
}

const fn event(name: &'static str, spec: &'static str, operations: f64, kernel: &'static str) -> FpEvent {
    FpEvent { name, spec, operations, kernel: Some(kernel) }
}

const fn operations(name: &'static str, spec: &'static str) -> FpEvent {
    FpEvent { name, spec, operations: 1.0, kernel: None }
}

/// Codes from Intel's Software Developer's Manual volume 3 (event tables), AMD's
/// Processor Programming References, and Arm's Architecture Reference Manual.
pub static GENERATIONS: &[Generation] = &[
    Generation {
        name: "Intel Core 2",
        remark: "counts retired instructions",
        families: &["core2"],
        events: &[
            event("X87_OPS_RETIRED.ANY", "cpu/event=0xc1,umask=0xfe/", 1.0, "x87"),
            event("SIMD_COMP_INST_RETIRED.SCALAR_DOUBLE", "cpu/event=0xca,umask=0x08/", 1.0, "sse-scalar"),
            event("SIMD_COMP_INST_RETIRED.PACKED_DOUBLE", "cpu/event=0xca,umask=0x04/", 2.0, "sse-packed"),
        ],
    },
    Generation {
        name: "Intel Nehalem and Westmere",
        remark: "counts executed instructions: what was speculated in vain counts too",
        families: &["nhm"],
        events: &[
            event("FP_COMP_OPS_EXE.X87", "cpu/event=0x10,umask=0x01/", 1.0, "x87"),
            event("FP_COMP_OPS_EXE.SSE_FP_SCALAR", "cpu/event=0x10,umask=0x20/", 1.0, "sse-scalar"),
            event("FP_COMP_OPS_EXE.SSE_FP_PACKED", "cpu/event=0x10,umask=0x10/", 2.0, "sse-packed"),
        ],
    },
    Generation {
        name: "Intel Sandy Bridge and Ivy Bridge",
        remark: "counts executed instructions, and again each time one waits for a cache miss: far too many where \
                 data come from far away",
        families: &["snb"],
        events: &[
            event("FP_COMP_OPS_EXE.X87", "cpu/event=0x10,umask=0x01/", 1.0, "x87"),
            event("FP_COMP_OPS_EXE.SSE_SCALAR_DOUBLE", "cpu/event=0x10,umask=0x80/", 1.0, "sse-scalar"),
            event("FP_COMP_OPS_EXE.SSE_PACKED_DOUBLE", "cpu/event=0x10,umask=0x10/", 2.0, "sse-packed"),
            event("SIMD_FP_256.PACKED_DOUBLE", "cpu/event=0x11,umask=0x02/", 4.0, "avx"),
        ],
    },
    Generation {
        name: "Intel Broadwell, Skylake and later",
        remark: "counts retired instructions, a fused multiply-add twice; not the x87 unit",
        families: &["bdw", "skl", "skx", "clx", "cnl", "icl", "icx", "spr", "emr", "gnr", "adl_glc"],
        events: &[
            event("FP_ARITH_INST_RETIRED.SCALAR_DOUBLE", "cpu/event=0xc7,umask=0x01/", 1.0, "sse-scalar"),
            event(
                "FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE",
                "cpu/event=0xc7,umask=0x04/",
                2.0,
                "sse-packed",
            ),
            event("FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE", "cpu/event=0xc7,umask=0x10/", 4.0, "avx"),
        ],
    },
    Generation {
        name: "Intel Atom since Crestmont",
        remark: "counts retired operations, lanes included, a fused multiply-add as two",
        families: &["srf", "cwf"],
        events: &[operations("FP_FLOPS_RETIRED.FP64", "cpu/event=0xc8,umask=0x01/")],
    },
    Generation {
        name: "AMD Zen and Zen+",
        remark: "counts retired operations, lanes included; up to 64 a cycle, which is more than a counter can \
                 take together with others",
        families: &["amd64_fam17h_zen1"],
        events: &[
            operations("FpRetSseAvxOps.Dp", "cpu/event=0x03,umask=0xf0/"),
            event("FpRetX87FpOps.All", "cpu/event=0x02,umask=0x07/", 1.0, "x87"),
        ],
    },
    Generation {
        name: "AMD since Zen 2",
        remark: "counts retired operations, lanes included, single and double precision together; up to 64 a \
                 cycle, which is more than a counter can take together with others",
        families: &["amd64_fam17h_zen2", "amd64_fam19h_zen3", "amd64_fam19h_zen4", "amd64_fam1ah_zen5"],
        events: &[
            operations("FpRetSseAvxOps.All", "cpu/event=0x03,umask=0x0f/"),
            event("FpRetX87FpOps.All", "cpu/event=0x02,umask=0x07/", 1.0, "x87"),
        ],
    },
    Generation {
        name: "Arm with PMUv3",
        remark: "counts speculatively executed instructions; ASE_SPEC takes in integer vectors as well",
        families: &["arm_ac57", "arm_ac72", "arm_ac76", "arm_n1", "arm_n2", "arm_v1", "arm_v2"],
        events: &[
            event("VFP_SPEC", "cpu/event=0x75/", 1.0, "scalar"),
            event("ASE_SPEC", "cpu/event=0x74/", 2.0, "neon"),
        ],
    },
    Generation {
        name: "SiFive U74",
        remark: "counts retired instructions; fused multiply-adds are another event",
        families: &["sifive_u74"],
        events: &[event("FP_ADD, FP_MUL", "cpu/event=0x600000/", 1.0, "scalar")],
    },
];

impl Generation {
    /// The generation of this processor, if the table has it.
    pub fn host() -> Option<&'static Generation> {
        Generation::of(Platform::host().family?)
    }

    /// The generation of a family, if the table has it.
    pub fn of(family: &'static Family) -> Option<&'static Generation> {
        GENERATIONS.iter().find(|generation| generation.families.iter().any(|key| family.is_like(key)))
    }

    /// The event that counts `kernel`'s work.
    pub fn event_for(&self, kernel: &str) -> Option<&'static FpEvent> {
        let own = self.events.iter().find(|event| event.kernel == Some(kernel));
        let common = || self.events.iter().find(|event| event.kernel.is_none() && kernel != "x87");
        own.or_else(common)
    }
}

impl FpEvent {
    /// The event, if this machine's kernel knows its PMU.
    pub fn event(&self) -> Option<Event> {
        Event::parse(self.spec).ok()
    }
}

#[cfg(test)]
mod tests {
    use common::events::map::{self, Config};
    use common::events::{FAMILIES, Preset, Spec, Vendor};

    use super::*;

    fn of(key: &str) -> Option<&'static Generation> {
        Generation::of(Family::keyed(key).unwrap())
    }

    #[test]
    fn every_generation_is_found_by_its_families() {
        for (family, name) in [
            ("core2", "Intel Core 2"),
            ("nhm", "Intel Nehalem and Westmere"),
            ("snb", "Intel Sandy Bridge and Ivy Bridge"),
            ("skl", "Intel Broadwell, Skylake and later"),
            ("mtl", "Intel Broadwell, Skylake and later"),
            ("ptl", "Intel Broadwell, Skylake and later"),
            ("arm_ac78", "Arm with PMUv3"),
        ] {
            assert_eq!(of(family).unwrap().name, name);
        }
        assert!(GENERATIONS.iter().flat_map(|g| g.families).all(|key| Family::keyed(key).is_some()));
        assert_eq!(of("amd_old").map(|g| g.name), None);
        assert_eq!(of("amd64_fam19h_zen3").unwrap().event_for("x87").unwrap().name, "FpRetX87FpOps.All");
    }

    /// Event and unit mask of `cpu/event=0xc7,umask=0x01/`.
    fn code(spec: &str) -> (u64, u64) {
        let Ok(Event::Native(native)) = Event::parse(spec) else { panic!("{spec}") };
        let Spec::Pmu(_, terms) = native.spec() else { panic!("{spec}") };
        let term = |name| terms.iter().find(|(term, _)| term == name).and_then(|(_, value)| *value);
        (term("event").unwrap(), term("umask").unwrap_or(0))
    }

    /// Other tests compare the map with the vendors' tables; this one compares the events
    /// with the map.
    #[test]
    fn every_event_is_one_of_the_maps_or_a_part_of_one() {
        let presets = ["PAPI_FP_OPS", "PAPI_DP_OPS", "PAPI_FP_INS", "PAPI_VEC_INS"].map(Preset::named);
        let mut checked = 0;
        // Arm's two events are architectural, so the same on every core.
        let held = |family: &&Family| !family.source.is_empty() && family.vendor() != Some(Vendor::Arm);
        for family in FAMILIES.iter().filter(held) {
            let Some(generation) = Generation::of(family) else { continue };
            let entries = presets.iter().flatten().filter_map(|preset| map::lookup(family, *preset).ok());
            let natives: Vec<u64> = entries
                .flat_map(|entry| &entry.natives)
                .filter_map(|native| if let Config::Raw(code) = native.config { Some(code) } else { None })
                .collect();
            // No preset counts the x87 unit.
            for event in generation.events.iter().filter(|event| event.kernel != Some("x87")) {
                let (select, umask) = code(event.spec);
                let wanted = select | umask << 8;
                let part = |native: &u64| native & 0xff == select & 0xff && wanted & !native == 0;
                assert!(natives.iter().any(part), "{} {}", family.key, event.name);
                checked += 1;
            }
        }
        assert!(checked > 40, "{checked}");
    }
}
