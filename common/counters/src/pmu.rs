//! The PMUs of a machine, from `/sys/bus/event_source/devices`.

use std::fs;
use std::path::{Path, PathBuf};

use super::definition::Encoding;
use super::error::{Code, CounterError};
use events::number;
use figures::text::listed;

/// One performance monitoring unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pmu {
    /// The directory's name: `cpu`, `cpu_core`, `armv8_cortex_a72`.
    pub name: String,
    /// Its `type`, which events name it by.
    pub kind: u32,
    /// The processors whose events it counts, as in `0-15`; `None`: all.
    pub cpus: Option<String>,
    /// Counts for the whole chip instead of for one program.
    pub uncore: bool,
    /// How fast its processors are: 1024 is the fastest of the machine; `None` where
    /// the kernel does not report (`cpu_capacity`).
    pub capacity: Option<u64>,
    dir: PathBuf,
}

/// Where Linux lists them, below `/sys`.
pub(crate) const DEVICES: &str = "bus/event_source/devices";

/// Whether one of the PMUs below `sys` is that of the cores; `None` if the kernel lists none
/// at all.
pub(crate) fn of_cores(sys: &Path) -> Option<bool> {
    sys.join(DEVICES).is_dir().then(|| all(sys).iter().any(Pmu::is_core))
}

/// The place among `pmus` of the one whose cores presets are counted on, by a program that may run on
/// `allowed` (empty: not reported) and runs on `now`: an event counts on one kind of core alone. It is
/// the fastest kind that the program may use or, if the system reports no speeds, the present one;
/// `None` where all cores are the same.
pub(crate) fn chosen(pmus: &[Pmu], allowed: &[usize], now: usize) -> Option<usize> {
    let cpus = |pmu: &Pmu| listed(pmu.cpus.as_deref().unwrap_or_default());
    let is_used = |pmu: &Pmu| allowed.is_empty() || cpus(pmu).iter().any(|cpu| allowed.contains(cpu));
    let speed = |(_, pmu): &(usize, &Pmu)| (pmu.name == "cpu_core", pmu.capacity, cpus(pmu).contains(&now));
    let cores = || pmus.iter().enumerate().filter(|(_, pmu)| pmu.is_core());
    let differ = cores().count() > 1;
    cores().filter(|(_, pmu)| differ && is_used(pmu)).max_by_key(speed).map(|(place, _)| place)
}

/// All PMUs of a system whose `/sys` is at `sys`, by name.
pub(crate) fn all(sys: &Path) -> Vec<Pmu> {
    let Ok(entries) = fs::read_dir(sys.join(DEVICES)) else { return Vec::new() };
    let mut pmus: Vec<Pmu> = entries.flatten().filter_map(|entry| Pmu::at(sys, entry.path())).collect();
    pmus.sort_by(|a, b| a.name.cmp(&b.name));
    pmus
}

impl Pmu {
    fn at(sys: &Path, dir: PathBuf) -> Option<Pmu> {
        let text = |file: &str| fs::read_to_string(dir.join(file)).ok().map(|t| t.trim().to_owned());
        let first = text("cpus").and_then(|list| listed(&list).first().copied());
        let capacity = |cpu| sys.join(format!("devices/system/cpu/cpu{cpu}/cpu_capacity"));
        Some(Pmu {
            name: dir.file_name()?.to_str()?.to_owned(),
            kind: text("type")?.parse().ok()?,
            cpus: text("cpus"),
            // Such a PMU names the one processor that reads it for all others.
            uncore: text("cpumask").is_some(),
            capacity: first.and_then(|cpu| fs::read_to_string(capacity(cpu)).ok()?.trim().parse().ok()),
            dir,
        })
    }

    /// Whether it belongs to the cores and counts what programs do on them.
    pub fn is_core(&self) -> bool {
        let named = ["cpu", "cpu_core", "cpu_atom", "cpu_lowpower"].contains(&self.name.as_str())
            || ["armv", "apple_"].iter().any(|start| self.name.starts_with(start));
        !self.uncore && (named || self.cpus.is_some())
    }

    /// Names of the events it lists.
    pub fn events(&self) -> Vec<String> {
        self.names("events").into_iter().filter(|n| !n.contains('.')).collect()
    }

    fn names(&self, what: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.dir.join(what)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// What a listed event means, as in `event=0x3c,umask=0x00`.
    pub fn event(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.dir.join("events").join(name)).ok()?;
        Some(text.trim().to_owned())
    }

    /// The numbers of `term=value,..` by this PMU's format.
    pub(crate) fn encode(&self, terms: &[(String, Option<u64>)]) -> Result<Encoding, CounterError> {
        let mut encoding = Encoding { kind: self.kind, ..Encoding::default() };
        for (term, value) in terms {
            self.place(&mut encoding, term, *value, true)?;
        }
        Ok(encoding)
    }

    fn place(
        &self,
        to: &mut Encoding,
        term: &str,
        value: Option<u64>,
        aliases: bool,
    ) -> Result<(), CounterError> {
        if let Some(listed) = self.event(term).filter(|_| value.is_none() && aliases) {
            for (term, value) in terms(&listed) {
                self.place(to, &term, value, false)?;
            }
            return Ok(());
        }
        let value = value.unwrap_or(1);
        match term {
            "config" => to.config = value,
            "config1" => to.config1 = value,
            "config2" => to.config2 = value,
            _ => {
                let format = fs::read_to_string(self.dir.join("format").join(term)).unwrap_or_default();
                let word = match format.trim().split_once(':') {
                    Some(("config", bits)) => Some((&mut to.config, bits)),
                    Some(("config1", bits)) => Some((&mut to.config1, bits)),
                    Some(("config2", bits)) => Some((&mut to.config2, bits)),
                    _ => None,
                };
                let Some((word, bits)) = word else { return Err(self.lacks(term)) };
                *word |= spread(value, bits).ok_or_else(|| {
                    let why = format!("the value does not fit in the term's bits {bits}");
                    let event = format!("{}/{term}={value:#x}/", self.name);
                    CounterError::new(Code::Einval, format!("the kernel refuses {event}: {why}"))
                })?;
            }
        }
        Ok(())
    }

    fn lacks(&self, term: &str) -> CounterError {
        let mut has = self.names("format");
        has.extend(self.events());
        let sentence = format!("PMU '{}' has no term or event '{term}'; it has {}", self.name, some(&has));
        CounterError::new(Code::Enoevnt, sentence)
    }
}

/// A list for a message, cut where it gets long.
pub(crate) fn some(names: &[String]) -> String {
    match names {
        [] => "none".into(),
        _ if names.len() > 12 => format!("{} and {} more", names[..12].join(", "), names.len() - 12),
        _ => names.join(", "),
    }
}

/// `a=1,b` as terms; a value that is no number cannot come from the kernel.
fn terms(text: &str) -> Vec<(String, Option<u64>)> {
    text.split(',')
        .map(|term| match term.split_once('=') {
            Some((key, value)) => (key.to_owned(), number(value)),
            None => (term.to_owned(), None),
        })
        .collect()
}

/// Puts the low bits of `value` where `ranges` (`0-7,32-35`) says; `None` if
/// bits are left over.
fn spread(mut value: u64, ranges: &str) -> Option<u64> {
    let mut word = 0;
    for range in ranges.split(',') {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        let width = to.checked_sub(from)? + 1;
        let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        word |= (value & mask).checked_shl(from)?;
        value = value.checked_shr(width).unwrap_or(0);
    }
    (value == 0).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_a_pmu_of_its_cores_or_not() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(of_cores(dir.path()), None);
        for (name, number, expected) in [("software", "1\n", false), ("cpu", "4\n", true)] {
            let pmu = dir.path().join(DEVICES).join(name);
            fs::create_dir_all(&pmu).unwrap();
            fs::write(pmu.join("type"), number).unwrap();
            assert_eq!(of_cores(dir.path()), Some(expected), "{name}");
        }
    }

    #[test]
    fn of_several_kinds_of_cores_the_fastest_or_the_present_one_is_counted() {
        let taken = |pmus: &[(&str, &str, Option<u64>)], allowed: &[usize]| {
            let pmu = |(name, cpus, capacity): &(&str, &str, Option<u64>)| Pmu {
                name: (*name).into(),
                kind: 0,
                cpus: Some((*cpus).into()),
                uncore: false,
                capacity: *capacity,
                dir: PathBuf::new(),
            };
            chosen(&pmus.iter().map(pmu).collect::<Vec<Pmu>>(), allowed, 0)
                .map(|place| pmus[place].0.to_owned())
        };
        let arm = [("a55", "0-3", Some(300)), ("a76", "4-6", Some(800)), ("x1", "7", Some(1024))];
        let x86 = [("cpu_atom", "8-15", None), ("cpu_core", "0-7", None)];
        let silent = arm.map(|(name, cpus, _)| (name, cpus, None));
        let all: Vec<usize> = (0..16).collect();
        for (pmus, allowed, expected) in [
            (&arm[..], &all[..], "x1"),
            (&arm, &[], "x1"),
            (&arm, &all[..6], "a76"),
            (&arm, &[1, 2], "a55"),
            (&silent, &all, "a55"),
            (&silent, &[5], "a76"),
            (&x86, &all, "cpu_core"),
            (&x86, &[12], "cpu_atom"),
        ] {
            assert_eq!(taken(pmus, allowed).as_deref(), Some(expected), "{allowed:?}");
        }
        assert_eq!(taken(&arm[..1], &[2]), None);
    }

    #[test]
    fn a_value_is_spread_over_the_formats_bits() {
        assert_eq!(spread(0x1c9, "0-7,32-35"), Some(0x1_0000_00c9));
        assert_eq!(spread(0x3c, "0-7"), Some(0x3c));
        assert_eq!(spread(1, "23"), Some(1 << 23));
        assert_eq!(spread(0x100, "0-7"), None);
        assert_eq!(spread(u64::MAX, "0-63"), Some(u64::MAX));
        assert_eq!(spread(1, "what"), None);
    }
}
