//! The PMUs of some processors, and what their drivers do in the same way.

use std::fs;
use std::path::Path;

use super::Machine;
use super::pmu::Pmu;
use super::settings::Settings;
use crate::environment::Environment;
use crate::platform::Platform;
use crate::pmu;
use events::{Family, kernel};
use system::cpu;

/// A processor, and its PMUs.
pub(crate) struct Described {
    pub(crate) family: &'static Family,
    pub(crate) driver: &'static Driver,
    /// Of the cores, the faster ones first; none if the machine has no PMU.
    pmus: &'static [&'static str],
    /// Counters of a core that take any event; where two threads share a core,
    /// what one of them has.
    pub(crate) general: usize,
}

/// A PMU driver of Linux.
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    /// Codes of events that have a counter of their own.
    pub(crate) own: &'static [u64],
    /// The kernel's generic events, by name, and their codes.
    pub(crate) generic: &'static [(&'static str, u64)],
    /// Files below `format`.
    format: &'static [(&'static str, &'static str)],
    /// Whether a group that can never get its counters is refused at opening.
    pub(crate) validates: bool,
    /// Whether the kernel can be left out, and an overflow raises an interrupt.
    has_filters: bool,
    /// What it registers its first PMU as; others get numbers as they come.
    first_kind: u32,
}

/// A processor for each driver, and those with two kinds of cores.
pub(crate) const PROCESSORS: [&str; 5] = ["skl", "adl_glc", "arm_n1", "arm_ac76", "sifive_u74"];

impl Described {
    /// The processor of the family `key`; those that are not in [`PROCESSORS`] have no PMU.
    pub(crate) fn keyed(key: &str) -> Described {
        let (driver, pmus, general): (_, &[&str], _) = match key {
            "skl" => (&INTEL, &["cpu"], 4),
            "adl_glc" => (&INTEL, &["cpu_core", "cpu_atom"], 8),
            "arm_n1" | "qcom_kryo" => (&ARM, &["armv8_pmuv3_0"], 6),
            "arm_ac76" => (&ARM, &["armv8_cortex_a76", "armv8_cortex_a55"], 6),
            // Linux arch/riscv/boot/dts/starfive/jh7110.dtsi: no sscofpmf; counters 3 and 4
            "sifive_u74" => (&RISCV, &["cpu"], 2),
            _ => (&INTEL, &[], 4),
        };
        Described { family: Family::keyed(key).unwrap(), driver, pmus, general }
    }
}

// arch/x86/events/intel/core.c; caches as on Sandy Bridge.
static INTEL: Driver = Driver {
    name: "intel",
    own: &[0xc0, 0x3c, 0x300],
    generic: &[
        ("cycles", 0x3c),
        ("instructions", 0xc0),
        ("cache-references", 0x4f2e),
        ("cache-misses", 0x412e),
        ("branches", 0xc4),
        ("branch-misses", 0xc5),
        ("ref-cycles", 0x300),
        ("L1-dcache-loads", 0xf1d0),
        ("L1-dcache-load-misses", 0x151),
    ],
    format: &[
        ("event", "config:0-7"),
        ("umask", "config:8-15"),
        ("edge", "config:18"),
        ("inv", "config:23"),
        ("cmask", "config:24-31"),
        ("offcore_rsp", "config1:0-63"),
    ],
    validates: true,
    has_filters: true,
    first_kind: kernel::RAW,
};

// drivers/perf/arm_pmuv3.c
static ARM: Driver = Driver {
    name: "armv8",
    own: &[0x11],
    generic: &[("cycles", 0x11), ("instructions", 0x08), ("L1-dcache-load-misses", 0x03)],
    format: &[("event", "config:0-15"), ("long", "config1:0"), ("rdpmc", "config1:1")],
    validates: true,
    has_filters: true,
    first_kind: 8,
};

// drivers/perf/riscv_pmu_sbi.c: what the firmware takes is seen when it is to count.
static RISCV: Driver = Driver {
    name: "riscv",
    own: &[CYCLES, INSTRET],
    generic: &[("cycles", CYCLES), ("instructions", INSTRET)],
    format: &[("event", "config:0-47"), ("firmware", "config:63")],
    validates: false,
    has_filters: false,
    first_kind: kernel::RAW,
};

/// The two that every RISC-V core counts in registers of their own; no code of
/// any vendor's.
const CYCLES: u64 = 1 << 60;
const INSTRET: u64 = 2 << 60;

impl Described {
    /// A machine of this family, in which a turn counts `rate` of each event.
    pub(crate) fn machine(
        &self,
        settings: Settings,
        rate: impl Fn(u64, u64) -> u64 + Send + 'static,
    ) -> Machine {
        let pmus: Vec<Pmu> =
            self.pmus.iter().enumerate().map(|(place, name)| self.pmu(place, name)).collect();
        let tree = tempfile::tempdir().unwrap();
        pmus.iter().for_each(|pmu| self.describe(tree.path(), pmu));
        let kept = settings.kept_to.and_then(|place| pmus[place].cpus.clone()).unwrap_or_else(cpu::allowed);
        let described = pmu::all(tree.path());
        let cores = pmu::chosen(&described, &kept, kept[0]);
        let platform = Platform::new(
            Some(self.family),
            described,
            Environment {
                paranoid: Some(settings.paranoid),
                privileged: settings.privileged,
                watchdog: settings.watchdog,
                pmu: Some(!pmus.is_empty()),
                container: settings.container.map(str::to_owned),
                seccomp: settings.container.is_some(),
                virtual_machine: settings.virtual_machine.map(str::to_owned),
            },
            cores,
        );
        Machine::new(platform, tree, pmus, settings, rate)
    }

    fn pmu(&self, place: usize, name: &'static str) -> Pmu {
        let allowed = cpu::allowed();
        // Of two kinds of cores the program is on one of the first kind.
        let cpus = match place {
            _ if self.pmus.len() == 1 => None,
            0 => Some(allowed[..1].to_vec()),
            _ => Some(if allowed.len() > 1 { allowed[1..].to_vec() } else { vec![4095] }),
        };
        Pmu {
            name,
            kind: if place == 0 { self.driver.first_kind } else { 10 + place as u32 },
            driver: self.driver,
            general: self.general,
            has_filters: self.driver.has_filters,
            cpus,
        }
    }

    /// As sysfs reports it.
    fn describe(&self, sys: &Path, pmu: &Pmu) {
        let dir = sys.join(pmu::DEVICES).join(pmu.name);
        fs::create_dir_all(dir.join("format")).unwrap();
        fs::write(dir.join("type"), format!("{}\n", pmu.kind)).unwrap();
        if let Some(cpus) = &pmu.cpus {
            let list: Vec<String> = cpus.iter().map(usize::to_string).collect();
            fs::write(dir.join("cpus"), list.join(",") + "\n").unwrap();
        }
        for (term, bits) in self.driver.format {
            fs::write(dir.join("format").join(term), format!("{bits}\n")).unwrap();
        }
    }
}
