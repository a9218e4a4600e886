//! The PMUs of each processor family, and what their drivers do in the same way.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use super::Machine;
use super::pmu::Pmu;
use super::settings::Settings;
use crate::environment::Environment;
use crate::platform::Platform;
use crate::pmu;
use events::{Family, kernel};
use system::cpu;

/// A line of `tests/data/pmus.csv`.
pub(crate) struct Described {
    pub(crate) family: &'static Family,
    pub(crate) driver: &'static Driver,
    /// Of the cores, the faster ones first.
    pmus: Vec<&'static str>,
    /// Counters of a core that take any event; where two threads share a core,
    /// what one of them has.
    pub(crate) general: usize,
    /// `all-modes`: cannot leave anything out; `no-interrupt`: none at overflow.
    quirks: &'static str,
    /// Where this is from.
    pub(crate) source: &'static str,
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
    /// What it registers its first PMU as; others get numbers as they come.
    first_kind: u32,
}

/// Every family's PMUs, in the order of `FAMILIES`.
pub(crate) static DESCRIPTIONS: LazyLock<Vec<Described>> =
    LazyLock::new(|| include_str!("../data/pmus.csv").lines().skip(1).map(described).collect());

fn described(line: &'static str) -> Described {
    let field: Vec<&str> = line.splitn(6, ',').collect();
    Described {
        family: Family::keyed(field[0]).unwrap(),
        driver: DRIVERS.iter().find(|driver| driver.name == field[1]).unwrap(),
        pmus: field[2].split_whitespace().collect(),
        general: field[3].parse().unwrap(),
        quirks: field[4],
        source: field[5],
    }
}

static DRIVERS: [Driver; 6] = [
    // arch/x86/events/intel/core.c; caches as on Sandy Bridge.
    Driver {
        name: "intel",
        own: &[0xc0, 0x3c, 0x300],
        generic: &[
            ("cycles", 0x3c),
            ("instructions", 0xc0),
            ("cache-references", 0x4f2e),
            ("cache-misses", 0x412e),
            ("branches", 0xc4),
            ("branch-misses", 0xc5),
            ("bus-cycles", 0x13c),
            ("ref-cycles", 0x300),
            ("L1-dcache-loads", 0xf1d0),
            ("L1-dcache-load-misses", 0x151),
            ("L1-dcache-stores", 0xf2d0),
            ("L1-icache-load-misses", 0x280),
            ("dTLB-load-misses", 0x108),
            ("dTLB-store-misses", 0x149),
            ("iTLB-load-misses", 0x185),
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
        first_kind: kernel::RAW,
    },
    // arch/x86/events/amd/core.c
    Driver {
        name: "amd",
        own: &[],
        generic: &[
            ("cycles", 0x76),
            ("instructions", 0xc0),
            ("cache-references", 0xff60),
            ("cache-misses", 0x964),
            ("branches", 0xc2),
            ("branch-misses", 0xc3),
            ("stalled-cycles-frontend", 0xa9),
            ("L1-dcache-loads", 0x40),
            ("L1-dcache-load-misses", 0xc860),
            ("L1-icache-loads", 0x80),
            ("L1-icache-load-misses", 0x81),
            ("dTLB-load-misses", 0xf045),
            ("iTLB-load-misses", 0xff85),
        ],
        format: &[("event", "config:0-7,32-35"), ("umask", "config:8-15")],
        validates: true,
        first_kind: kernel::RAW,
    },
    // drivers/perf/arm_pmuv3.c
    Driver {
        name: "armv8",
        own: &[0x11],
        generic: &[
            ("cycles", 0x11),
            ("instructions", 0x08),
            ("cache-references", 0x04),
            ("cache-misses", 0x03),
            ("branches", 0x0c),
            ("branch-misses", 0x10),
            ("bus-cycles", 0x1d),
            ("stalled-cycles-frontend", 0x23),
            ("stalled-cycles-backend", 0x24),
            ("L1-dcache-loads", 0x04),
            ("L1-dcache-load-misses", 0x03),
            ("L1-icache-loads", 0x14),
            ("L1-icache-load-misses", 0x01),
            ("LLC-loads", 0x36),
            ("LLC-load-misses", 0x37),
            ("dTLB-load-misses", 0x05),
            ("iTLB-load-misses", 0x02),
        ],
        format: &[("event", "config:0-15"), ("long", "config1:0"), ("rdpmc", "config1:1")],
        validates: true,
        first_kind: 8,
    },
    // drivers/perf/apple_m1_cpu_pmu.c
    Driver {
        name: "apple",
        own: &[0x02, 0x8c],
        generic: &[("cycles", 0x02), ("instructions", 0x8c), ("branches", 0x8d), ("branch-misses", 0xcb)],
        format: &[("event", "config:0-7")],
        validates: true,
        first_kind: 8,
    },
    // drivers/perf/riscv_pmu_sbi.c: what the firmware takes is seen when it is
    // to count.
    Driver {
        name: "riscv",
        own: &[CYCLES, INSTRET],
        generic: &[("cycles", CYCLES), ("instructions", INSTRET)],
        format: &[("event", "config:0-47"), ("firmware", "config:63")],
        validates: false,
        first_kind: kernel::RAW,
    },
    Driver { name: "none", own: &[], generic: &[], format: &[], validates: true, first_kind: 0 },
];

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
            leaves_out: !self.quirks.contains("all-modes"),
            interrupts: !self.quirks.contains("no-interrupt"),
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
