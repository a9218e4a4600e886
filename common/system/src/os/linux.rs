//! Linux.

use std::fs;
use std::path::Path;
use std::ptr::NonNull;

use figures::units::Bytes;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use super::portable::trace;
pub(crate) use super::posix::*;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use super::ptrace::trace;
use super::{PageKind, limits, posix};
use crate::facts::Facts;

pub(crate) fn facts(cpu: usize) -> Facts {
    Facts::below(Path::new("/"), cpu)
}

pub(crate) fn advise(start: NonNull<u8>, bytes: usize, kind: PageKind) {
    if cfg!(miri) {
        return;
    }
    let advice = match kind {
        PageKind::Huge => libc::MADV_HUGEPAGE,
        PageKind::Base => libc::MADV_NOHUGEPAGE,
    };
    // SAFETY: advice on the size of pages changes no content; the kernel
    // checks the range.
    unsafe { libc::madvise(start.as_ptr().cast(), bytes, advice) };
}

pub(crate) fn huge_bytes(address: usize) -> usize {
    fs::read_to_string("/proc/self/smaps").map_or(0, |maps| huge_bytes_in(&maps, address))
}

/// Bits of a word of a set of processors.
const BITS: usize = libc::c_ulong::BITS as usize;

pub(crate) fn allowed() -> Vec<usize> {
    // The kernel refuses a set that is smaller than its own: a `cpu_set_t` has 1,024 processors.
    for words in [16, 64, 256, 1024, 4096] {
        let mut set = vec![0 as libc::c_ulong; words];
        // SAFETY: the kernel writes no more bytes than the set has.
        let status = unsafe { libc::sched_getaffinity(0, size_of_val(&set[..]), set.as_mut_ptr().cast()) };
        if status == 0 {
            return (0..words * BITS).filter(|cpu| set[cpu / BITS] >> (cpu % BITS) & 1 == 1).collect();
        }
    }
    // SAFETY: a number that the C library knows.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    (0..usize::try_from(online).unwrap_or(0)).collect()
}

pub(crate) fn current() -> Option<usize> {
    // SAFETY: has no arguments and touches no memory of ours.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

pub(crate) fn pin(cpus: &[usize]) -> bool {
    let words = cpus.iter().max().map_or(1, |last| last / BITS + 1);
    let mut set = vec![0 as libc::c_ulong; words];
    cpus.iter().for_each(|cpu| set[cpu / BITS] |= 1 << (cpu % BITS));
    // SAFETY: the kernel reads no more bytes than the set has.
    unsafe { libc::sched_setaffinity(0, size_of_val(&set[..]), set.as_ptr().cast()) == 0 }
}

pub(crate) fn free_memory() -> Option<Bytes> {
    limits::free_memory(Path::new("/"))
}

pub(crate) fn cpu_quota() -> Option<f64> {
    limits::cpu_quota(Path::new("/"))
}

pub(crate) fn set_up() {
    posix::set_up();
    #[cfg(target_env = "gnu")]
    // SAFETY: sets an option of the allocator, before any thread is started.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Bytes of huge pages in the mapping that contains `address`, from the text of
/// `/proc/PID/smaps`.
fn huge_bytes_in(smaps: &str, address: usize) -> usize {
    let mut inside = false;
    for line in smaps.lines() {
        let first = line.split_whitespace().next().unwrap_or("");
        if let Some((low, high)) = first.split_once('-') {
            let range = (usize::from_str_radix(low, 16), usize::from_str_radix(high, 16));
            if let (Ok(low), Ok(high)) = range {
                inside = (low..high).contains(&address);
            }
        } else if inside && let Some(kib) = line.strip_prefix("AnonHugePages:") {
            return kib.trim().trim_end_matches("kB").trim().parse::<usize>().unwrap_or(0) << 10;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaps_says_what_was_granted() {
        let text =
            "1000-3000 rw-p 0\nRss: 8 kB\nAnonHugePages:      4 kB\n3000-5000 rw-p\nAnonHugePages: 2048 kB\n";
        assert_eq!(huge_bytes_in(text, 0x1800), 4096);
        assert_eq!(huge_bytes_in(text, 0x3000), 2 << 20);
        assert_eq!(huge_bytes_in(text, 0x9000), 0);
    }
}
