//! What a process may use on Linux: memory and processor time. All functions read files below
//! `root`, which is `/` or a copy of its tree.

use std::fs;
use std::path::{Path, PathBuf};

use figures::units::Bytes;

/// Memory that this process may still use: the minimum of the system's free memory, the limits of
/// its control groups, and those of its address space.
pub(super) fn free_memory(root: &Path) -> Option<Bytes> {
    [available(root), grouped(root), addressable(root)].into_iter().flatten().min().map(Bytes)
}

/// How many processors' time the control groups of this process grant it, if they set a limit.
pub(super) fn cpu_quota(root: &Path) -> Option<f64> {
    let quota = |folder: &PathBuf| {
        let text = fs::read_to_string(folder.join("cpu.max")).ok()?;
        // Without a limit, the quota is "max".
        let (quota, period) = text.trim().split_once(' ')?;
        let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
        (quota > 0.0 && period > 0.0).then(|| quota / period)
    };
    groups(root).iter().filter_map(quota).min_by(f64::total_cmp)
}

/// The folders of the control groups (version 2) around this process, innermost first.
fn groups(root: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    // cgroups(7): the line without controllers is that of version 2.
    let Some(group) = text.lines().find_map(|line| line.strip_prefix("0::/")) else { return Vec::new() };
    let top = root.join("sys/fs/cgroup");
    let innermost = top.join(group);
    innermost.ancestors().take_while(|folder| folder.starts_with(&top)).map(Path::to_owned).collect()
}

fn number(folder: &Path, file: &str) -> Option<u64> {
    fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()
}

fn available(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// The remaining memory of the tightest control group; the page cache counts as free.
fn grouped(root: &Path) -> Option<u64> {
    let free = |folder: &PathBuf| {
        let (limit, used) = (number(folder, "memory.max")?, number(folder, "memory.current")?);
        Some(limit.saturating_sub(used).saturating_add(page_cache(folder)).min(limit))
    };
    groups(root).iter().filter_map(free).min()
}

fn page_cache(group: &Path) -> u64 {
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let of = |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    [of("inactive_file "), of("active_file ")].into_iter().flatten().sum()
}

/// What the limits of this process (`ulimit -v`, `ulimit -d`) leave for its address space
/// and its data.
fn addressable(root: &Path) -> Option<u64> {
    let pages = fs::read_to_string(root.join("proc/self/statm")).unwrap_or_default();
    let pages: Vec<u64> = pages.split_whitespace().filter_map(|pages| pages.parse().ok()).collect();
    let page = super::posix::page_size().map_or(4096, |size| size.0);
    // proc(5): the first field of statm is the total size, the sixth data and stack.
    let limits = [(libc::RLIMIT_AS, 0), (libc::RLIMIT_DATA, 5)];
    let left = limits.into_iter().filter_map(|(which, field)| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the kernel writes the struct behind this valid pointer.
        let status = unsafe { libc::getrlimit(which, &mut limit) };
        let used = pages.get(field).copied().unwrap_or(0).saturating_mul(page);
        (status == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then(|| limit.rlim_cur.saturating_sub(used))
    });
    left.min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    #[test]
    fn the_tightest_group_around_the_process_counts() {
        let two = ("proc/self/cgroup", "0::/user/job\n");
        let inner = [
            ("sys/fs/cgroup/user/job/memory.max", "max\n"),
            ("sys/fs/cgroup/user/job/memory.current", "1000\n"),
        ];
        let outer = [
            ("sys/fs/cgroup/user/memory.max", "100000000\n"),
            ("sys/fs/cgroup/user/memory.current", "70000000\n"),
            ("sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 20000000\nactive_file 1000000\n"),
        ];
        for (files, free) in [
            (vec![], None),
            ([&inner[..], &[two]].concat(), None),
            ([&inner[..], &outer, &[two]].concat(), Some(51_000_000)),
            (vec![("proc/self/cgroup", "garbage\n")], None),
        ] {
            assert_eq!(grouped(tree(&files).path()), free, "{files:?}");
        }
        let meminfo = tree(&[("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n")]);
        assert_eq!(available(meminfo.path()), Some(8_000_000 << 10));
        assert_eq!(free_memory(tree(&[]).path()).is_some(), addressable(Path::new("/none")).is_some());
    }

    #[test]
    fn the_smallest_cpu_quota_counts() {
        let two = ("proc/self/cgroup", "3:misc:/other\n0::/a/b\n");
        let [inner, outer, top] =
            ["sys/fs/cgroup/a/b/cpu.max", "sys/fs/cgroup/a/cpu.max", "sys/fs/cgroup/cpu.max"];
        for (files, expected) in [
            (vec![two], None),
            (vec![two, (inner, "50000 100000\n")], Some(0.5)),
            (
                vec![two, (inner, "max 100000\n"), (outer, "150000 100000\n"), (top, "400000 100000")],
                Some(1.5),
            ),
            (vec![two, (inner, "max 100000\n")], None),
            (vec![two, (inner, "nonsense\n"), (outer, "0 0\n")], None),
        ] {
            assert_eq!(cpu_quota(tree(&files).path()), expected, "{files:?}");
        }
    }
}
