//! Processors whose kernel is played, and their PMU drivers.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};

use super::{Machine, Settings, State};
use crate::environment::Environment;
use crate::platform::Platform;
use crate::pmu;
use events::{Family, kernel};
use system::cpu;

/// A processor, and its PMUs.
#[derive(Clone, Copy)]
pub(crate) struct Described {
    pub(crate) family: &'static Family,
    pub(crate) driver: &'static Driver,
    /// Of the cores, the faster ones first; none if the machine has no PMU.
    pmus: &'static [&'static str],
    /// Counters of a core that take any event.
    pub(crate) general: usize,
}

/// A PMU of the cores.
pub(super) struct Pmu {
    name: &'static str,
    pub(super) kind: u32,
    /// Processors it counts on; `None`: all.
    pub(super) cpus: Option<Vec<usize>>,
}

/// A PMU driver of Linux.
pub(crate) struct Driver {
    /// Codes of events that have a counter of their own.
    pub(crate) own: &'static [u64],
    /// The kernel's generic events, by name, and their codes; cycles and instructions first.
    pub(crate) generic: &'static [(&'static str, u64)],
    /// The bits of the term `event`.
    event: &'static str,
    /// Whether a group that can never get its counters is refused at opening, the kernel can be left out, and an
    /// overflow raises an interrupt.
    pub(crate) is_complete: bool,
    /// What it registers its first PMU as; others get numbers as they come.
    pub(crate) first_kind: u32,
}

/// A processor for each driver, and those with two kinds of cores.
pub(crate) const PROCESSORS: [&str; 5] = ["skl", "adl_glc", "arm_n1", "arm_ac76", "sifive_u74"];

// arch/x86/events/intel/core.c; caches as on Sandy Bridge.
static INTEL: Driver = Driver {
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
    event: "config:0-7",
    is_complete: true,
    first_kind: kernel::RAW,
};

// drivers/perf/arm_pmuv3.c
static ARM: Driver = Driver {
    own: &[0x11],
    generic: &[("cycles", 0x11), ("instructions", 0x08), ("L1-dcache-load-misses", 0x03)],
    event: "config:0-15",
    is_complete: true,
    first_kind: 8,
};

// drivers/perf/riscv_pmu_sbi.c: what the firmware takes is seen when it is to count. Cycles and instructions are counted
// in registers of their own, and have no code of any vendor's.
static RISCV: Driver = Driver {
    own: &[1 << 60, 2 << 60],
    generic: &[("cycles", 1 << 60), ("instructions", 2 << 60)],
    event: "config:0-47",
    is_complete: false,
    first_kind: kernel::RAW,
};

impl Driver {
    /// The code of a generic event.
    pub(super) fn code(&self, kind: u32, config: u64) -> Option<u64> {
        let found = self.generic.iter().find(|(name, _)| kernel::lookup(name) == Some((kind, config)));
        found.map(|(_, code)| *code)
    }
}

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

    /// A machine of this family, in which a turn counts `rate` of each event, given by its config and config1.
    pub(crate) fn machine(
        self,
        settings: Settings,
        rate: impl Fn(u64, u64) -> u64 + Send + 'static,
    ) -> Machine {
        let pmus: Vec<Pmu> =
            self.pmus.iter().enumerate().map(|(place, name)| self.pmu(place, name)).collect();
        let tree = tempfile::tempdir().unwrap();
        for Pmu { name, kind, cpus } in &pmus {
            // As sysfs reports it.
            let dir = tree.path().join(pmu::DEVICES).join(name);
            fs::create_dir_all(dir.join("format")).unwrap();
            fs::write(dir.join("type"), format!("{kind}\n")).unwrap();
            fs::write(dir.join("format/event"), self.driver.event).unwrap();
            if let Some(cpus) = cpus {
                let list: Vec<String> = cpus.iter().map(usize::to_string).collect();
                fs::write(dir.join("cpus"), list.join(",") + "\n").unwrap();
            }
        }
        let kept = settings.kept_to.and_then(|place| pmus[place].cpus.clone()).unwrap_or_else(cpu::allowed);
        let described = pmu::all(tree.path());
        let cores = pmu::chosen(&described, &kept, kept[0]);
        let environment = Environment {
            paranoid: Some(settings.paranoid),
            privileged: settings.privileged,
            watchdog: settings.watchdog,
            pmu: Some(!pmus.is_empty()),
            container: settings.container.map(str::to_owned),
            seccomp: settings.container.is_some(),
            virtual_machine: settings.virtual_machine.map(str::to_owned),
        };
        let platform = Platform::new(Some(self.family), described, environment, cores);
        let (described, rate, events) = (self, Box::new(rate), BTreeMap::new());
        let state = State { described, pmus, settings, rate, events, asked: Vec::new(), turn: 0 };
        Machine {
            state: Arc::new(Mutex::new(state)),
            platform: Box::leak(Box::new(platform)),
            _tree: Arc::new(tree),
        }
    }

    fn pmu(&self, place: usize, name: &'static str) -> Pmu {
        let allowed = cpu::allowed();
        // Of two kinds of cores the program is on one of the first kind.
        let cpus = match place {
            _ if self.pmus.len() == 1 => None,
            0 => Some(allowed[..1].to_vec()),
            _ => Some(if allowed.len() > 1 { allowed[1..].to_vec() } else { vec![4095] }),
        };
        Pmu { name, kind: if place == 0 { self.driver.first_kind } else { 10 + place as u32 }, cpus }
    }

    /// Whether events of these codes get counters at the same time. The watchdog counts cycles, in their own counter
    /// where they have one.
    pub(super) fn fits(&self, codes: impl Iterator<Item = u64>, watchdog: bool) -> bool {
        let cycles = self.driver.generic[0].1;
        let mut free = self.driver.own.to_vec();
        let mut wanted: Vec<u64> = watchdog.then_some(cycles).into_iter().chain(codes).collect();
        wanted.retain(|code| match free.iter().position(|own| own == code) {
            Some(at) => {
                free.swap_remove(at);
                false
            }
            None => true,
        });
        wanted.len() <= self.general
    }
}
