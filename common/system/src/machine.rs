//! Machines by name, and this one.

use std::path::Path;

use ::machine::{CacheLevel, Index, LONGEST, Machine, MachineError, Tlb, TlbIndex, Walk, catalogue};

use figures::encoding;
use figures::units::Bytes;

use crate::facts::{Cache, Facts, Teller};
use crate::pages;

/// The machine called `which`: `host` for this one, a name in the catalogue, or the path of
/// a description.
/// Fails if there is no such machine, or its description is wrong (the error names the key, the
/// line and the reason).
pub fn select(which: &str) -> Result<Machine, MachineError> {
    if which.eq_ignore_ascii_case("host") {
        return host();
    }
    let path = Path::new(which);
    let named = catalogue().iter().any(|entry| entry.name.eq_ignore_ascii_case(which));
    if !named && (which.ends_with(".toml") || which.contains('/') || path.is_file()) {
        return read(path);
    }
    Machine::named(which)
}

/// The machine described in the file at `path`.
/// Fails if the file cannot be read, or is not the description of a machine.
pub fn read(path: &Path) -> Result<Machine, MachineError> {
    // in UTF-16 a character takes two bytes
    let text = crate::files::read_at_most(path, 2 * LONGEST as u64 + 4)
        .map_err(|error| error.to_string())
        .and_then(|bytes| encoding::decode(&bytes).map_err(|why| why.to_string()))
        .map_err(|reason| {
            MachineError::Refused(format!(
                "cannot read the machine description {}: {reason}; `lab machines` names those that the kit has",
                path.display()
            ))
        })?;
    Machine::parse(&text, &path.display().to_string())
}

/// The description of `which` as text: a catalogue entry with its comments, or the host's,
/// from what the system reports.
/// Fails if there is no such machine.
pub fn description(which: &str) -> Result<String, MachineError> {
    match catalogue().iter().find(|entry| entry.name.eq_ignore_ascii_case(which)) {
        Some(entry) => Ok(entry.text.to_string()),
        None => Ok(select(which)?.to_toml()),
    }
}

/// This machine, as described by the calling thread's processor (pin the thread first if
/// cores differ). What neither the system nor the processor reports is listed in
/// [`unknown`](Machine::unknown).
/// Fails if neither reports the level 1 data cache.
pub fn host() -> Result<Machine, MachineError> {
    from_facts(&Facts::of_host())
}

/// This machine without a description of its caches: it can be measured, not modelled.
/// `why` is stored as the reason.
pub fn undescribed_host(why: &MachineError) -> Machine {
    Machine::undescribed(Facts::of_host().name, pages::base(), vec![why.to_string()])
}

fn from_facts(facts: &Facts) -> Result<Machine, MachineError> {
    let caches = facts.data_caches();
    let mut unknown = facts.faults();
    // the model needs every level above a level
    let (caches, below): (Vec<_>, Vec<_>) =
        (1..).zip(caches).partition(|(place, cache)| cache.level == *place);
    if caches.is_empty() {
        let mut reason =
            "neither the system nor the processor gives a complete description of the level 1 data cache"
                .to_owned();
        unknown.iter().for_each(|fault| reason += &format!("; {fault}"));
        return Err(MachineError::HostUnknown(reason));
    }
    unknown.extend(
        below
            .iter()
            .map(|(_, cache)| format!("L{}: not modelled, as the level above it is not known", cache.level)),
    );
    let tlbs = tlbs(facts);
    unknown.extend(UNKNOWN.map(str::to_string));
    unknown.extend(if tlbs.is_empty() { &NO_TLBS[..] } else { &TLBS }.iter().map(ToString::to_string));
    let mut machine = Machine::undescribed(facts.name.clone(), pages::base(), unknown);
    let own = caches.iter().filter(|(_, cache)| cache.teller == Teller::Cpuid);
    let own: Vec<String> = own.map(|(_, cache)| format!("L{}", cache.level)).collect();
    if !own.is_empty() {
        machine.description += &format!(", {} as reported by CPUID", own.join(" and "));
    }
    Ok(Machine {
        levels: caches.iter().map(|(_, cache)| level(cache)).collect(),
        walk: (!tlbs.is_empty()).then_some(Walk { cache: 1, levels: 1 }),
        tlbs,
        ..machine
    })
}

/// The TLBs of loads, level by level from the first on, as CPUID reports them for pages of 4 KiB.
fn tlbs(facts: &Facts) -> Vec<Tlb> {
    let reported = |level| {
        facts.tlbs.iter().find(|tlb| tlb.loads_4k && tlb.level == level && pages::base() == Bytes::kib(4))
    };
    (1..)
        .map_while(reported)
        .map(|tlb| Tlb {
            level: tlb.level,
            entries: tlb.entries as usize,
            ways: if tlb.ways == 0 { tlb.entries } else { tlb.ways } as usize,
            index: TlbIndex::Modulo,
            penalty: None,
        })
        .take_while(|tlb| tlb.entries > 0 && tlb.entries.is_multiple_of(tlb.ways))
        .collect()
}

/// Properties that no system reports.
const UNKNOWN: [&str; 5] = [
    "replacement policy: taken as LRU",
    "write policy: taken as write-back with allocation",
    "inclusion: taken as neither inclusive nor exclusive",
    "prefetchers: none modelled",
    "physical pages: taken as contiguous",
];
const NO_TLBS: [&str; 1] = ["latencies, clock and TLBs: not modelled"];
const TLBS: [&str; 3] = [
    "latencies and clock: not modelled",
    "TLBs as CPUID reports them; their index: taken as modulo",
    "page walks: taken to read the last table through L1",
];

/// The model's form of a cache that [is possible](Cache::is_possible).
fn level(cache: &Cache) -> CacheLevel {
    CacheLevel {
        size: cache.size,
        line: cache.line,
        ways: cache.ways.unwrap_or(1) as usize,
        shared_by: cache.sharers(),
        index: if cache.level == 1 { Index::Virtual } else { Index::Physical },
        ..CacheLevel::plain(cache.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{CacheKind, cpuid};

    #[test]
    fn machines_come_from_files_and_from_the_catalogue() {
        let refusal = select("no/such.toml").unwrap_err().to_string();
        assert!(refusal.starts_with("cannot read the machine description no/such.toml"), "{refusal}");
        assert_eq!(select("Zen3").unwrap().name, "zen3");
        assert!(description("sparcstation-1+").unwrap().contains("# LSI"));
        assert!(description("nothing").is_err());
    }

    /// The files of processor 2's caches as Linux has them: level, type, size, ways, sets.
    fn caches(described: &[[&str; 5]]) -> tempfile::TempDir {
        let mut files = Vec::new();
        for (number, words) in described.iter().enumerate() {
            let names = ["level", "type", "size", "ways_of_associativity", "number_of_sets"];
            let words = names
                .iter()
                .zip(words)
                .chain([(&"coherency_line_size", &"64"), (&"shared_cpu_list", &"0-1,4")]);
            for (name, word) in words.filter(|(_, word)| !word.is_empty()) {
                files.push((format!("sys/devices/system/cpu/cpu2/cache/index{number}/{name}"), *word));
            }
        }
        crate::tree(&files.iter().map(|(path, word)| (path.as_str(), *word)).collect::<Vec<_>>())
    }

    #[test]
    fn the_host_is_described_by_what_its_system_says() {
        let root = caches(&[
            ["1", "Data", "48K", "12", ""],
            ["1", "Instruction", "32K", "", ""],
            ["2", "Unified", "1024K", "", "1024"],
        ]);
        let machine = from_facts(&Facts::below(root.path(), 2)).unwrap();
        let geometry: Vec<_> =
            machine.levels.iter().map(|l| (l.level, l.size, l.ways, l.shared_by)).collect();
        assert_eq!(geometry, [(1, Bytes::kib(48), 12, 3), (2, Bytes::mib(1), 16, 3)]);
        assert!(!machine.unknown.is_empty() && !machine.description.contains("CPUID"));
    }

    #[test]
    fn levels_below_one_that_is_not_known_are_named_and_not_modelled() {
        let root = caches(&[
            ["1", "Data", "32K", "8", "64"],
            ["2", "Unified", "512K", "9", "1024"],
            ["3", "Unified", "16384K", "16", "16384"],
        ]);
        let machine = from_facts(&Facts::below(root.path(), 2)).unwrap();
        let unknown = machine.unknown[..2].join("; ");
        assert!(
            unknown.contains("L2: sysfs says 512 KiB in 1024 sets of 9 ways") && unknown.contains("L3: not"),
            "{unknown}"
        );
        assert_eq!(machine.levels.len(), 1);
        Machine::parse(&machine.to_toml(), "again").unwrap();
    }

    #[test]
    fn tlbs_are_those_of_loads_in_small_pages_as_the_processor_reports_them() {
        let root = caches(&[["1", "Data", "32K", "8", "64"]]);
        let below = Facts::below(root.path(), 2);
        assert!(from_facts(&below).unwrap().tlbs.is_empty());
        let tlb = |name: &str, level, loads_4k, entries, ways| cpuid::Tlb {
            name: name.to_owned(),
            level,
            loads_4k,
            entries,
            ways,
        };
        let tlbs = vec![
            tlb("L1 instruction", 1, false, 128, 8),
            tlb("L1 data", 1, true, 64, 0),
            tlb("L2 unified", 2, true, 1536, 12),
        ];
        let machine = from_facts(&Facts { tlbs, ..below.clone() }).unwrap();
        if pages::base() != Bytes::kib(4) {
            assert!(machine.tlbs.is_empty());
            return;
        }
        let found: Vec<_> = machine.tlbs.iter().map(|tlb| (tlb.level, tlb.entries, tlb.ways)).collect();
        assert_eq!(found, [(1, 64, 64), (2, 1536, 12)]);
        assert!(machine.walks() && machine.unknown.iter().any(|what| what.contains("CPUID")));
        Machine::parse(&machine.to_toml(), "again").unwrap();
        // A level that is not reported, or is odd, ends the list.
        let odd = vec![tlb("L1 data", 1, true, 60, 8), tlb("L2 data", 2, true, 2048, 8)];
        assert!(from_facts(&Facts { tlbs: odd, ..below }).unwrap().tlbs.is_empty());
    }

    #[test]
    fn where_files_are_hidden_the_processor_is_asked_and_named_as_the_source() {
        let root = tempfile::tempdir().unwrap();
        let hidden = Facts::below(root.path(), 0);
        let refusal = from_facts(&hidden).unwrap_err().to_string();
        assert!(refusal.contains("--machine"), "{refusal}");
        let described = vec![Cache {
            level: 1,
            kind: CacheKind::Data,
            size: Bytes::kib(32),
            line: Bytes(64),
            ways: Some(8),
            sets: Some(64),
            shared_by: None,
            teller: Teller::Cpuid,
        }];
        let machine = from_facts(&Facts { described, ..hidden }).unwrap();
        assert_eq!(machine.levels[0].size, Bytes::kib(32));
        assert!(machine.description.ends_with("L1 as reported by CPUID"), "{}", machine.description);
    }
}
