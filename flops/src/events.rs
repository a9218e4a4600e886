//! Which events count floating-point work, generation by generation: no two of
//! them agree on what is counted, nor on its unit.

use common::counters::identity;
use common::events::{Event, Identity};

/// One event, and what one count of it stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FpEvent {
    /// The manufacturer's name.
    pub name: &'static str,
    /// As the kernel is told it.
    pub spec: &'static str,
    /// Double-precision operations per count.
    pub operations: f64,
    /// The kernel whose work it counts; `None` for all of them.
    pub kernel: Option<&'static str>,
}

/// Processors that count in the same way.
#[derive(Debug)]
pub struct Generation {
    /// As printed.
    pub name: &'static str,
    /// What to know before believing its counts.
    pub remark: &'static str,
    /// The events of double-precision work.
    pub events: &'static [FpEvent],
    covers: fn(Identity) -> bool,
}

const fn event(name: &'static str, spec: &'static str, operations: f64, kernel: &'static str) -> FpEvent {
    FpEvent { name, spec, operations, kernel: Some(kernel) }
}

const fn operations(name: &'static str, spec: &'static str) -> FpEvent {
    FpEvent { name, spec, operations: 1.0, kernel: None }
}

fn intel(identity: Identity, models: &[u32]) -> bool {
    matches!(identity, Identity::Intel { model, .. } if models.contains(&model))
}

fn amd(identity: Identity, families: std::ops::RangeInclusive<u32>) -> bool {
    matches!(identity, Identity::Amd { family, .. } if families.contains(&family))
}

/// Codes from Intel's Software Developer's Manual volume 3 (event tables), AMD's
/// Processor Programming References, and Arm's Architecture Reference Manual.
pub static GENERATIONS: &[Generation] = &[
    Generation {
        name: "Intel Core 2",
        remark: "counts retired instructions",
        covers: |id| intel(id, &[0x0f, 0x16, 0x17, 0x1d]),
        events: &[
            event("X87_OPS_RETIRED.ANY", "cpu/event=0xc1,umask=0xfe/", 1.0, "x87"),
            event("SIMD_COMP_INST_RETIRED.SCALAR_DOUBLE", "cpu/event=0xca,umask=0x08/", 1.0, "sse-scalar"),
            event("SIMD_COMP_INST_RETIRED.PACKED_DOUBLE", "cpu/event=0xca,umask=0x04/", 2.0, "sse-packed"),
        ],
    },
    Generation {
        name: "Intel Nehalem and Westmere",
        remark: "counts executed instructions: what was speculated in vain counts too",
        covers: |id| intel(id, &[0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f]),
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
        covers: |id| intel(id, &[0x2a, 0x2d, 0x3a, 0x3e]),
        events: &[
            event("FP_COMP_OPS_EXE.X87", "cpu/event=0x10,umask=0x01/", 1.0, "x87"),
            event("FP_COMP_OPS_EXE.SSE_SCALAR_DOUBLE", "cpu/event=0x10,umask=0x80/", 1.0, "sse-scalar"),
            event("FP_COMP_OPS_EXE.SSE_PACKED_DOUBLE", "cpu/event=0x10,umask=0x10/", 2.0, "sse-packed"),
            event("SIMD_FP_256.PACKED_DOUBLE", "cpu/event=0x11,umask=0x02/", 4.0, "avx"),
        ],
    },
    Generation {
        name: "Intel Haswell",
        remark: "has no floating-point events: they were taken out after Ivy Bridge's had counted too much",
        covers: |id| intel(id, &[0x3c, 0x3f, 0x45, 0x46]),
        events: &[],
    },
    Generation {
        name: "Intel Broadwell, Skylake and later",
        remark: "counts retired instructions, a fused multiply-add twice; not the x87 unit",
        covers: |id| matches!(id, Identity::Intel { model, .. } if INTEL_SINCE_BROADWELL.contains(&model)),
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
        name: "AMD Zen",
        remark: "counts retired operations, lanes included, single and double precision together; up to 64 a \
                 cycle, which is more than a counter can take beside others",
        covers: |id| amd(id, 0x17..=0x1a),
        events: &[
            operations("FpRetSseAvxOps.All", "cpu/event=0x03,umask=0x0f/"),
            event("FpRetX87FpOps.All", "cpu/event=0x02,umask=0x07/", 1.0, "x87"),
        ],
    },
    Generation {
        name: "Arm with PMUv3",
        remark: "counts speculatively executed instructions; ASE_SPEC takes in integer vectors as well",
        covers: |id| matches!(id, Identity::Arm { .. }),
        events: &[
            event("VFP_SPEC", "armv8_pmuv3/event=0x75/", 1.0, "scalar"),
            event("ASE_SPEC", "armv8_pmuv3/event=0x74/", 2.0, "neon"),
        ],
    },
];

/// Family 6 models from Broadwell to Granite Rapids, as the kernel numbers them.
const INTEL_SINCE_BROADWELL: [u32; 29] = [
    0x3d, 0x47, 0x4f, 0x56, 0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, 0x66, 0x7d, 0x7e, 0x6a, 0x6c, 0x8c,
    0x8d, 0xa7, 0x97, 0x9a, 0xb7, 0xba, 0xbf, 0x8f, 0xcf, 0xad, 0xae, 0xaa,
];

impl Generation {
    /// The generation of the processor this runs on, if the table has it.
    pub fn host() -> Option<&'static Generation> {
        Generation::of(identity::of_this()?)
    }

    /// The generation of a processor, if the table has it.
    pub fn of(identity: Identity) -> Option<&'static Generation> {
        GENERATIONS.iter().find(|generation| (generation.covers)(identity))
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
    use super::*;

    #[test]
    fn every_generation_is_found_by_one_of_its_processors() {
        let intel = |model| Generation::of(Identity::Intel { model, stepping: 0 }).map(|g| g.name);
        assert_eq!(intel(0x17), Some("Intel Core 2"));
        assert_eq!(intel(0x2c), Some("Intel Nehalem and Westmere"));
        assert_eq!(intel(0x3a), Some("Intel Sandy Bridge and Ivy Bridge"));
        assert_eq!(intel(0x3c), Some("Intel Haswell"));
        assert_eq!(intel(0x9e), Some("Intel Broadwell, Skylake and later"));
        let zen3 = Generation::of(Identity::Amd { family: 0x19, model: 1 }).unwrap();
        assert_eq!(zen3.event_for("avx").unwrap().name, "FpRetSseAvxOps.All");
        assert_eq!(zen3.event_for("x87").unwrap().name, "FpRetX87FpOps.All");
        assert_eq!(Generation::of(Identity::Amd { family: 0x15, model: 1 }).map(|g| g.name), None);
    }

    #[test]
    fn an_event_counts_as_many_operations_as_its_register_has_lanes() {
        for event in GENERATIONS.iter().flat_map(|generation| generation.events) {
            let lanes = match event.kernel {
                Some("avx") => 4.0,
                Some("sse-packed" | "neon") => 2.0,
                _ => 1.0,
            };
            assert_eq!(event.operations, lanes, "{}", event.name);
        }
    }
}
