//! How much memory a process may still use on Linux: by the free memory of the system, the
//! limits of its control groups, and the limits of its address space.

use std::fs;
use std::path::Path;

use figures::units::Bytes;

/// The minimum of the three, with files below `root` or `/`.
pub(super) fn free(root: &Path) -> Option<Bytes> {
    [available(root), grouped(root), addressable(root)].into_iter().flatten().min().map(Bytes)
}

fn available(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// The remaining memory of the tightest control group around this process; the page cache
/// counts as free.
fn grouped(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mut left = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (kind, group) = (parts.next()?, parts.next()?);
        let (place, limit, used) = match kind {
            "" => ("sys/fs/cgroup", "memory.max", "memory.current"),
            kind if kind.split(',').any(|one| one == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        let top = root.join(place);
        let group = top.join(group.trim_start_matches('/'));
        for folder in group.ancestors().take_while(|folder| folder.starts_with(&top)) {
            let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
            if let (Some(limit), Some(used)) = (number(limit), number(used)) {
                let free = limit.saturating_sub(used).saturating_add(page_cache(folder)).min(limit);
                left = Some(left.map_or(free, |left: u64| left.min(free)));
            }
        }
    }
    left
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

    #[test]
    fn the_tightest_group_around_the_process_counts() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(free(root).is_some(), addressable(root).is_some());
        write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n");
        write("proc/self/cgroup", "0::/user/job\n");
        write("sys/fs/cgroup/user/job/memory.max", "max\n");
        write("sys/fs/cgroup/user/job/memory.current", "1000\n");
        assert_eq!((available(root), grouped(root)), (Some(8_000_000 << 10), None));
        write("sys/fs/cgroup/user/memory.max", "100000000\n");
        write("sys/fs/cgroup/user/memory.current", "70000000\n");
        write("sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 20000000\nactive_file 1000000\n");
        assert_eq!(grouped(root), Some(51_000_000));
        write("proc/self/cgroup", "9:cpuset,memory:/old\n");
        write("sys/fs/cgroup/memory/old/memory.limit_in_bytes", "5000\n");
        write("sys/fs/cgroup/memory/old/memory.usage_in_bytes", "6000\n");
        assert_eq!(grouped(root), Some(0));
        write("proc/self/cgroup", "garbage\n");
        assert_eq!(grouped(root), None);
    }
}
