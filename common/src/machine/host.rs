//! The machine this program runs on, read from `/sys`.

use std::fs;
use std::path::Path;

use super::{
    CacheLevel, Core, Inclusion, Index, Machine, MachineError, Mapping, Prefetch, Replacement, Write,
};
use crate::units::{Bytes, Seconds};

const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

pub(super) fn host() -> Result<Machine, MachineError> {
    from_sysfs(Path::new(CACHES), page_size(), processor_name())
}

/// The machine whose caches are described under `root`.
pub(super) fn from_sysfs(
    root: &Path,
    page_size: Bytes,
    processor: Option<String>,
) -> Result<Machine, MachineError> {
    let mut levels: Vec<CacheLevel> =
        (0..16).filter_map(|index| cache(&root.join(format!("index{index}")))).collect();
    levels.sort_by_key(|cache| cache.level);
    levels.dedup_by_key(|cache| cache.level);
    let in_order = levels.iter().zip(1..).all(|(cache, level)| cache.level == level);
    if levels.is_empty() || !in_order {
        let reason = format!("{} has no complete description of a data cache", root.display());
        return Err(MachineError::HostUnknown { reason });
    }
    Ok(Machine { page_size, levels, unknown: UNKNOWN.map(str::to_string).to_vec(), ..bare(processor) })
}

/// A host of which only the processor's name is known: it can be measured, not
/// modelled.
pub(super) fn bare(processor: Option<String>) -> Machine {
    Machine {
        name: "host".to_string(),
        description: processor.unwrap_or_else(|| "this machine".to_string()),
        clock: None,
        page_size: Bytes(4096),
        mapping: Mapping::Identity,
        levels: Vec::new(),
        tlbs: Vec::new(),
        memory_latency: None,
        core: Core { in_flight: 1.0, store: Seconds(0.0), step: Seconds(0.0), pass: Seconds(0.0) },
        unknown: Vec::new(),
        sealed: false,
    }
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
        shared_by: word("shared_cpu_list").map_or(1, |list| members(&list)),
        replacement: Replacement::Lru,
        write: Write::Back,
        allocate: true,
        inclusion: Inclusion::Neither,
        index: if level == 1 { Index::Virtual } else { Index::Physical },
        prefetch: Prefetch::None,
        latency: None,
    })
}

/// How many processors a list such as `0-3,8` names.
fn members(list: &str) -> usize {
    let count = |part: &str| match part.split_once('-') {
        Some((first, last)) => {
            let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
            Some((last + 1).saturating_sub(first))
        }
        None => part.parse::<usize>().ok().map(|_| 1),
    };
    list.split(',').filter_map(|part| count(part.trim())).sum::<usize>().max(1)
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
