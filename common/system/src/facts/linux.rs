//! What Linux reports in files, below `/` or a copy of its tree.

use std::fs;
use std::path::{Path, PathBuf};

use events::{Identity, number};
use figures::units::{Bytes, Hertz};

use super::{Cache, CacheKind, Facts, Sharers, Teller};

impl Facts {
    /// The facts of processor `cpu`, only from the files below `root`.
    pub fn below(root: &Path, cpu: usize) -> Facts {
        let tree = Tree { root: root.to_owned(), cpu };
        let khz = |file: &str| {
            let khz: f64 = tree.of_cpu(&format!("cpufreq/{file}"))?.parse().ok()?;
            Some(Hertz(khz * 1e3))
        };
        Facts {
            cpu,
            name: tree.name(),
            vendor: tree.cpuinfo("vendor_id").or_else(|| tree.cpuinfo("CPU implementer")),
            identity: tree.identity(),
            caches: (0..16).filter_map(|index| tree.cache(index)).collect(),
            described: Vec::new(),
            tlbs: Vec::new(),
            clock: (khz("cpuinfo_min_freq"), khz("cpuinfo_max_freq")),
            governor: tree.of_cpu("cpufreq/scaling_governor"),
            huge_pages: tree.huge_pages(),
            topology: tree.topology(),
            virtual_machine: tree.virtual_machine(),
            container: tree.container(),
            system: tree.word("proc/sys/kernel/osrelease").map(|release| format!("Linux {release}")),
            host_name: tree.word("proc/sys/kernel/hostname"),
        }
    }
}

/// The processors of a mask such as `00000000,00000103`, as a list.
fn listed_in(mask: &str) -> Option<String> {
    let mut cpus = Vec::new();
    for (at, word) in mask.rsplit(',').enumerate() {
        let word = u32::from_str_radix(word, 16).ok()?;
        cpus.extend((0..32).filter(|bit| word >> bit & 1 == 1).map(|bit| (32 * at + bit).to_string()));
    }
    Some(cpus.join(","))
}

struct Tree {
    root: PathBuf,
    cpu: usize,
}

const CPUS: &str = "sys/devices/system/cpu";

impl Tree {
    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    fn word(&self, path: &str) -> Option<String> {
        let text = self.text(path);
        let word = text.trim_end_matches('\0').trim();
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// The chosen word of `always [madvise] never`.
    fn huge_pages(&self) -> Option<String> {
        let all = self.word("sys/kernel/mm/transparent_hugepage/enabled")?;
        Some(all.split_once('[')?.1.split_once(']')?.0.to_owned())
    }

    fn of_cpu(&self, path: &str) -> Option<String> {
        self.word(&format!("{CPUS}/cpu{}/{path}", self.cpu))
    }

    /// A field of the processor's own block of `/proc/cpuinfo`, or else of any.
    fn cpuinfo(&self, name: &str) -> Option<String> {
        let text = self.text("proc/cpuinfo");
        let field = |block: &str, name: &str| {
            block.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                (key.trim() == name).then(|| value.trim().to_owned())
            })
        };
        let cpu = self.cpu.to_string();
        let own = text.split("\n\n").find(|block| field(block, "processor").as_ref() == Some(&cpu));
        own.and_then(|block| field(block, name))
            .or_else(|| field(&text, name))
            .filter(|word| !word.is_empty())
    }

    /// x86, old Arm, RISC-V; a board reports its own name.
    fn name(&self) -> Option<String> {
        let model = ["model name", "Hardware", "uarch", "isa"].iter().find_map(|field| self.cpuinfo(field));
        model.or_else(|| self.word("proc/device-tree/model"))
    }

    /// Arm: from a register's file; RISC-V: only from `/proc/cpuinfo`.
    fn identity(&self) -> Option<Identity> {
        let arm = || Some(Identity::from_midr(number(&self.of_cpu("regs/identification/midr_el1")?)?));
        let field = |name: &str| number(&self.cpuinfo(name)?);
        arm().or_else(|| Some(Identity::from_riscv(field("mvendorid")?, field("marchid")?)))
    }

    fn cache(&self, index: usize) -> Option<Cache> {
        let word = |file: &str| self.of_cpu(&format!("cache/index{index}/{file}"));
        let number = |file: &str| word(file)?.parse::<u64>().ok().filter(|number| *number > 0);
        let size = word("size").and_then(|size| size.parse().ok()).unwrap_or(Bytes(0));
        let line = number("coherency_line_size").unwrap_or(0);
        let lines = size.0.checked_div(line);
        let sets = number("number_of_sets");
        let by_sets = || Some(lines? / sets?).filter(|ways| *ways > 0);
        Some(Cache {
            level: number("level")?.try_into().ok()?,
            kind: match word("type")?.as_str() {
                "Data" => CacheKind::Data,
                "Instruction" => CacheKind::Instruction,
                "Unified" => CacheKind::Unified,
                _ => return None,
            },
            size,
            line: Bytes(line),
            ways: number("ways_of_associativity").or_else(by_sets),
            sets,
            shared_by: word("shared_cpu_list")
                .or_else(|| listed_in(&word("shared_cpu_map")?))
                .map(Sharers::Listed),
            teller: Teller::Sysfs,
        })
    }

    fn topology(&self) -> Vec<(u64, u64)> {
        let Ok(entries) = fs::read_dir(self.root.join(CPUS)) else { return Vec::new() };
        let place = |dir: PathBuf| {
            let number = |file: &str| -> Option<i64> {
                fs::read_to_string(dir.join("topology").join(file)).ok()?.trim().parse().ok()
            };
            // A board that does not know its package reports -1.
            Some((number("physical_package_id")?.max(0) as u64, number("core_id")?.max(0) as u64))
        };
        entries.flatten().filter_map(|entry| place(entry.path())).collect()
    }

    fn container(&self) -> Option<String> {
        if self.root.join(".dockerenv").exists() {
            return Some("docker".into());
        }
        if self.root.join("run/.containerenv").exists() {
            return Some("podman".into());
        }
        let groups = self.text("proc/1/cgroup");
        ["docker", "kubepods", "lxc"].into_iter().find(|name| groups.contains(name)).map(str::to_owned)
    }

    fn virtual_machine(&self) -> Option<String> {
        if self.text("proc/version").to_lowercase().contains("microsoft") {
            return Some("WSL2".into());
        }
        let maker =
            ["sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name", "proc/device-tree/compatible"]
                .map(|path| self.text(path))
                .join(" ");
        VENDORS.iter().find(|(mark, _)| maker.contains(mark)).map(|(_, name)| (*name).to_owned())
    }
}

/// Names in the firmware of virtual machines, and the hypervisors' usual names.
const VENDORS: [(&str, &str); 11] = [
    ("QEMU", "QEMU"),
    ("linux,dummy-virt", "QEMU"),
    ("riscv-virtio", "QEMU"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("Parallels", "Parallels"),
    ("Virtual Machine", "Hyper-V"),
    ("Xen", "Xen"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("Amazon EC2", "Amazon EC2"),
    ("Firecracker", "Firecracker"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    #[test]
    fn a_mask_of_processors_is_read_as_their_list() {
        assert_eq!(listed_in("00000001,00000103").as_deref(), Some("0,1,8,32"));
        assert_eq!(listed_in("x"), None);
    }

    /// A little core (0) and a big one (4).
    #[test]
    fn a_big_core_is_not_described_by_the_little_one() {
        let names = "processor\t: 0\nmodel name\t: A55\n\nprocessor\t: 4\nmodel name\t: A76\n";
        let mut files =
            vec![("proc/cpuinfo".to_owned(), names), ("proc/sys/kernel/hostname".into(), "board\n")];
        for (n, size, sets, midr, governor) in
            [(0, "32K", "128", "0x412fd050", "powersave"), (4, "64K", "256", "0x414fd0b1", "performance")]
        {
            for (file, word) in [
                ("cache/index0/level", "1"),
                ("cache/index0/type", "Data"),
                ("cache/index0/size", size),
                ("cache/index0/coherency_line_size", "64"),
                ("cache/index0/number_of_sets", sets),
                ("cache/index0/shared_cpu_list", "0-1,4\n"),
                ("regs/identification/midr_el1", midr),
                ("cpufreq/scaling_governor", governor),
                ("cpufreq/cpuinfo_max_freq", "1800000\n"),
                ("topology/physical_package_id", "-1"),
                ("topology/core_id", if n == 0 { "0" } else { "4" }),
            ] {
                files.push((format!("{CPUS}/cpu{n}/{file}"), word));
            }
        }
        let root = tree(&files.iter().map(|(path, text)| (path.as_str(), *text)).collect::<Vec<_>>());
        for (cpu, name, size, midr, governor) in
            [(0, "A55", 32, 0x412f_d050, "powersave"), (4, "A76", 64, 0x414f_d0b1, "performance")]
        {
            let facts = Facts::below(root.path(), cpu);
            let cache = &facts.caches[0];
            assert_eq!((cache.size, cache.ways, cache.sharers()), (Bytes::kib(size), Some(4), 3));
            assert_eq!((facts.name.as_deref(), facts.governor.as_deref()), (Some(name), Some(governor)));
            assert_eq!(facts.identity, Some(Identity::from_midr(midr)));
            assert_eq!((facts.clock, facts.counts()), ((None, Some(Hertz(1.8e9))), (2, 2, 1)));
            assert_eq!(facts.host_name.as_deref(), Some("board"));
        }
    }

    #[test]
    fn a_risc_v_core_is_known_by_its_own_block() {
        let block = |cpu: usize, arch: &str| {
            format!("processor\t: {cpu}\nuarch\t: u74\nmvendorid\t: 0x489\nmarchid\t: {arch}\n\n")
        };
        let text = block(0, "0x1") + &block(1, "0x8000000000000007");
        let root = tree(&[("proc/cpuinfo", &text)]);
        let facts = Facts::below(root.path(), 1);
        assert_eq!(facts.identity, Some(Identity::from_riscv(0x489, 0x8000_0000_0000_0007)));
        assert_eq!(facts.name.as_deref(), Some("u74"));
    }

    #[test]
    fn machines_in_machines_are_known() {
        let seen = |files: &[(&str, &str)]| {
            let facts = Facts::below(tree(files).path(), 0);
            (facts.virtual_machine, facts.container)
        };
        let qemu = [("sys/class/dmi/id/sys_vendor", "QEMU\n"), (".dockerenv", "")];
        assert_eq!(seen(&qemu), (Some("QEMU".into()), Some("docker".into())));
        let wsl = [("proc/version", "Linux version 5.15 (Microsoft@Microsoft.com)")];
        assert_eq!(seen(&wsl), (Some("WSL2".into()), None));
        assert_eq!(seen(&[]), (None, None));
    }
}
