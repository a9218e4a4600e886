//! macOS: no affinity, no huge pages on request, facts from `sysctl`.

use std::ffi::CString;

use figures::units::Bytes;

pub(crate) use super::posix::*;
use crate::facts::{Cache, CacheKind, Facts, Teller};

pub(crate) fn facts(_cpu: usize) -> Facts {
    let guest = number("kern.hv_vmm_present") == Some(1);
    Facts {
        name: text("machdep.cpu.brand_string"),
        caches: caches(),
        virtual_machine: guest.then(|| "virtual machine".to_owned()),
        system: text("kern.osrelease").map(|release| format!("Darwin {release}")),
        host_name: text("kern.hostname"),
        ..Facts::default()
    }
}

/// All processors: no process is excluded from any.
pub(crate) fn allowed() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, usize::from)).collect()
}

/// Those of the fast cores, `perflevel0`, if there are two kinds. Ways are not reported.
fn caches() -> Vec<Cache> {
    let line = Bytes(number("hw.cachelinesize").unwrap_or(0));
    let size = |key: &str| number(&format!("hw.perflevel0.{key}")).or_else(|| number(&format!("hw.{key}")));
    let known = [
        ("l1dcachesize", 1, CacheKind::Data),
        ("l1icachesize", 1, CacheKind::Instruction),
        ("l2cachesize", 2, CacheKind::Unified),
        ("l3cachesize", 3, CacheKind::Unified),
    ];
    let cache = |(key, level, kind)| {
        let size = Bytes(size(key).filter(|size| *size > 0)?);
        Some(Cache {
            level,
            kind,
            size,
            line,
            ways: None,
            sets: None,
            shared_by: None,
            teller: Teller::Sysctl,
        })
    };
    known.into_iter().filter_map(cache).collect()
}

fn number(name: &str) -> Option<u64> {
    let bytes = value(name)?;
    match *bytes.as_slice() {
        [a, b, c, d] => Some(u64::from(u32::from_ne_bytes([a, b, c, d]))),
        _ => Some(u64::from_ne_bytes(bytes.try_into().ok()?)),
    }
}

fn text(name: &str) -> Option<String> {
    let bytes = value(name)?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.trim_end_matches('\0').trim().to_owned()).filter(|text| !text.is_empty())
}

/// The value of a name in `sysctlbyname`.
fn value(name: &str) -> Option<Vec<u8>> {
    let name = CString::new(name).ok()?;
    let mut len = 0;
    // SAFETY: without a buffer only the length is written.
    let asked =
        unsafe { libc::sysctlbyname(name.as_ptr(), std::ptr::null_mut(), &mut len, std::ptr::null_mut(), 0) };
    let mut bytes = vec![0u8; len];
    // SAFETY: the system writes at most `len` bytes into the buffer of that length.
    let got = unsafe {
        libc::sysctlbyname(name.as_ptr(), bytes.as_mut_ptr().cast(), &mut len, std::ptr::null_mut(), 0)
    };
    bytes.truncate(len);
    (asked == 0 && got == 0).then_some(bytes)
}
