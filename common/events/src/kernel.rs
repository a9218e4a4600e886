//! The events every Linux kernel knows by name: generic hardware events,
//! hardware cache events, software events. Numbers from `linux/perf_event.h`.

/// `PERF_TYPE_HARDWARE`.
pub const HARDWARE: u32 = 0;
/// `PERF_TYPE_SOFTWARE`.
pub const SOFTWARE: u32 = 1;
/// `PERF_TYPE_HW_CACHE`.
pub const HW_CACHE: u32 = 3;
/// `PERF_TYPE_RAW`.
pub const RAW: u32 = 4;

const GENERIC: &[(&str, u64)] = &[
    ("cycles", 0),
    ("cpu-cycles", 0),
    ("instructions", 1),
    ("cache-references", 2),
    ("cache-misses", 3),
    ("branch-instructions", 4),
    ("branches", 4),
    ("branch-misses", 5),
    ("bus-cycles", 6),
    ("stalled-cycles-frontend", 7),
    ("stalled-cycles-backend", 8),
    ("ref-cycles", 9),
];

const BY_SOFTWARE: &[(&str, u64)] = &[
    ("cpu-clock", 0),
    ("task-clock", 1),
    ("page-faults", 2),
    ("faults", 2),
    ("context-switches", 3),
    ("cs", 3),
    ("cpu-migrations", 4),
    ("migrations", 4),
    ("minor-faults", 5),
    ("major-faults", 6),
    ("alignment-faults", 7),
    ("emulation-faults", 8),
];

const CACHES: &[&str] = &["L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"];

/// Suffix, operation (read, write, prefetch), result (access, miss).
const ACCESSES: &[(&str, u64, u64)] = &[
    ("loads", 0, 0),
    ("load-misses", 0, 1),
    ("stores", 1, 0),
    ("store-misses", 1, 1),
    ("prefetches", 2, 0),
    ("prefetch-misses", 2, 1),
];

/// Software events that occur inside the kernel: counted in user mode only, they are always
/// 0.
pub const INSIDE_THE_KERNEL: &[&str] = &["context-switches", "cs", "cpu-migrations", "migrations"];

/// Type and config of a kernel event; `None` for an unknown name.
pub fn lookup(name: &str) -> Option<(u32, u64)> {
    let find = |table: &[(&str, u64)]| table.iter().find(|(n, _)| *n == name).map(|(_, config)| *config);
    find(GENERIC)
        .map(|config| (HARDWARE, config))
        .or_else(|| find(BY_SOFTWARE).map(|config| (SOFTWARE, config)))
        .or_else(|| hw_cache(name).map(|config| (HW_CACHE, config)))
}

/// `cache | operation << 8 | result << 16`.
fn hw_cache(name: &str) -> Option<u64> {
    let (cache, rest) =
        (0..).zip(CACHES).find_map(|(i, cache)| Some((i, name.strip_prefix(cache)?.strip_prefix('-')?)))?;
    let (_, operation, result) = ACCESSES.iter().find(|(suffix, ..)| *suffix == rest)?;
    Some(cache | operation << 8 | result << 16)
}

/// Every name that [`lookup`] knows.
pub fn names() -> impl Iterator<Item = String> {
    let plain = GENERIC.iter().chain(BY_SOFTWARE).map(|(name, _)| name.to_string());
    let cached = CACHES.iter().flat_map(|c| ACCESSES.iter().map(move |(access, ..)| format!("{c}-{access}")));
    plain.chain(cached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_kernels_numbers() {
        assert_eq!(lookup("instructions"), Some((HARDWARE, 1)));
        assert_eq!(lookup("task-clock"), Some((SOFTWARE, 1)));
        assert_eq!(lookup("L1-dcache-load-misses"), Some((HW_CACHE, 0x10000)));
        assert_eq!(lookup("dTLB-store-misses"), Some((HW_CACHE, 0x10103)));
        assert_eq!(lookup("L1-dcache-walks"), None);
        assert!(names().all(|name| lookup(&name).is_some()));
    }
}
