//! The machine this program runs on, read from `/sys`.

use std::fs;
use std::path::Path;

use ::machine::{
    CacheLevel, Inclusion, Index, LONGEST, Machine, MachineError, Prefetch, Replacement, Write, catalogue,
};
use figures::numbers::listed;
use figures::units::Bytes;

const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// The machine meant by `which`: `host` for the one this runs on, a name of the
/// catalogue, or the path of a description.
///
/// # Errors
///
/// If there is no such machine, or its description is wrong (the error names
/// the key, the line and the reason).
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
///
/// # Errors
///
/// If the file cannot be read or describes no machine.
pub fn read(path: &Path) -> Result<Machine, MachineError> {
    let text = crate::files::read_at_most(path, LONGEST as u64 + 1)
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| std::io::ErrorKind::InvalidData.into()))
        .map_err(|e| MachineError::Unreadable { path: path.to_path_buf(), reason: e.to_string() })?;
    Machine::parse(&text, &path.display().to_string())
}

/// The text of the description of `which`: a catalogue entry with its
/// comments, or the host's, written from what the system says.
///
/// # Errors
///
/// If there is no such machine.
pub fn description(which: &str) -> Result<String, MachineError> {
    match catalogue().iter().find(|entry| entry.name.eq_ignore_ascii_case(which)) {
        Some(entry) => Ok(entry.text.to_string()),
        None => Ok(select(which)?.to_toml()),
    }
}

/// The machine this program runs on, as `/sys` tells it; what `/sys` does not
/// tell is listed in [`unknown`](Machine::unknown).
///
/// # Errors
///
/// If the system does not say what its level 1 data cache is.
pub fn host() -> Result<Machine, MachineError> {
    from_sysfs(Path::new(CACHES), page_size(), processor_name())
}

/// The machine this program runs on, of whose caches the system does not tell:
/// it can be measured, not modelled. `why` becomes what is unknown.
pub fn undescribed_host(why: &MachineError) -> Machine {
    Machine::undescribed(processor_name(), page_size(), vec![why.to_string()])
}

/// The machine whose caches are described under `root`.
fn from_sysfs(root: &Path, page_size: Bytes, processor: Option<String>) -> Result<Machine, MachineError> {
    let mut levels: Vec<CacheLevel> =
        (0..16).filter_map(|index| cache(&root.join(format!("index{index}")))).collect();
    levels.sort_by_key(|cache| cache.level);
    levels.dedup_by_key(|cache| cache.level);
    let in_order = levels.iter().zip(1..).all(|(cache, level)| cache.level == level);
    if levels.is_empty() || !in_order {
        let reason = format!("{} has no complete description of a data cache", root.display());
        return Err(MachineError::HostUnknown { reason });
    }
    let unknown = UNKNOWN.map(str::to_string).to_vec();
    Ok(Machine { levels, ..Machine::undescribed(processor, page_size, unknown) })
}

/// What no system tells.
const UNKNOWN: [&str; 6] = [
    "replacement policy: taken as LRU",
    "write policy: taken as write-back with allocation",
    "inclusion: taken as neither inclusive nor exclusive",
    "prefetchers: none modelled",
    "physical pages: taken as contiguous",
    "latencies, clock and TLBs: not modelled",
];

/// One `index` directory; `None` unless it is a data or unified cache whose
/// geometry is complete.
fn cache(dir: &Path) -> Option<CacheLevel> {
    let word = |name: &str| Some(fs::read_to_string(dir.join(name)).ok()?.trim().to_string());
    let number = |name: &str| word(name)?.parse::<u64>().ok();
    if !matches!(word("type")?.as_str(), "Data" | "Unified") {
        return None;
    }
    let size: Bytes = word("size")?.parse().ok()?;
    let line = Bytes(number("coherency_line_size").filter(|line| line.is_power_of_two())?);
    let lines = size.0 / line.0;
    let ways = match (number("ways_of_associativity"), number("number_of_sets")) {
        (Some(ways), _) if ways > 0 => ways,
        (_, Some(sets)) if sets > 0 => lines / sets,
        _ => return None,
    };
    if ways == 0 || lines == 0 || !lines.is_multiple_of(ways) || !size.0.is_multiple_of(line.0) {
        return None;
    }
    let level = number("level")? as u8;
    Some(CacheLevel {
        level,
        size,
        line,
        ways: ways as usize,
        shared_by: word("shared_cpu_list").map_or(1, |list| listed(&list).len().max(1)),
        replacement: Replacement::Lru,
        write: Write::Back,
        allocate: true,
        inclusion: Inclusion::Neither,
        index: if level == 1 { Index::Virtual } else { Index::Physical },
        prefetch: Prefetch::None,
        latency: None,
    })
}

/// `model name` of the first processor.
fn processor_name() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

#[cfg(unix)]
fn page_size() -> Bytes {
    // SAFETY: `sysconf` reads a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).ok().filter(|size| size.is_power_of_two()).map_or(Bytes::kib(4), Bytes)
}

#[cfg(not(unix))]
fn page_size() -> Bytes {
    Bytes::kib(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_come_from_files_and_from_the_catalogue() {
        let refusal = select("no/such.toml").unwrap_err().to_string();
        assert!(refusal.starts_with("cannot read the machine description no/such.toml"), "{refusal}");
        assert_eq!(select("Zen3").unwrap().name, "zen3");
        assert!(description("sparcstation-1+").unwrap().contains("# LSI"));
        assert!(description("nothing").is_err());
    }

    /// Writes a `/sys`-like cache directory.
    fn index(root: &Path, number: usize, words: &[(&str, &str)]) {
        let dir = root.join(format!("index{number}"));
        fs::create_dir(&dir).unwrap();
        for (name, word) in words {
            fs::write(dir.join(name), format!("{word}\n")).unwrap();
        }
    }

    #[test]
    fn the_host_is_read_from_a_directory_tree() {
        let root = tempfile::tempdir().unwrap();
        let l1 = [("level", "1"), ("type", "Data"), ("size", "48K"), ("coherency_line_size", "64")];
        index(root.path(), 0, &[l1.as_slice(), &[("ways_of_associativity", "12")]].concat());
        let code = [("level", "1"), ("type", "Instruction"), ("size", "32K"), ("coherency_line_size", "64")];
        index(root.path(), 1, &code);
        let l2 = [("level", "2"), ("type", "Unified"), ("size", "1024K"), ("coherency_line_size", "64")];
        let shared = [("number_of_sets", "1024"), ("shared_cpu_list", "0-1,4")];
        index(root.path(), 2, &[l2.as_slice(), &shared].concat());
        let machine = from_sysfs(root.path(), Bytes::kib(4), None).unwrap();
        let geometry: Vec<_> =
            machine.levels.iter().map(|l| (l.level, l.size, l.ways, l.shared_by)).collect();
        assert_eq!(geometry, [(1, Bytes::kib(48), 12, 1), (2, Bytes::mib(1), 16, 3)]);
        assert!(!machine.unknown.is_empty());
    }

    #[test]
    fn a_system_without_descriptions_is_told_to_name_a_machine() {
        let root = tempfile::tempdir().unwrap();
        let refusal = from_sysfs(root.path(), Bytes::kib(4), None).unwrap_err().to_string();
        assert!(refusal.contains("--machine"), "{refusal}");
    }
}
