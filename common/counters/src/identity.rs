//! What the processor says of itself.

use std::fs;
use std::path::Path;

use events::{Identity, number};

/// Of the processor this runs on.
pub fn of_this() -> Option<Identity> {
    cpuid().or_else(|| of_arm_cpu(Path::new("/sys/devices/system/cpu"), 0)).or_else(of_riscv)
}

/// By the lines of `/proc/cpuinfo`, the only place where RISC-V's are told.
fn of_riscv() -> Option<Identity> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        text.lines().find_map(|l| number(l.strip_prefix(name)?.trim_start().strip_prefix(':')?.trim()))
    };
    Some(Identity::from_riscv(field("mvendorid")?, field("marchid")?))
}

/// Of one processor by its MIDR in sysfs; `cpus` is the directory of all.
pub(crate) fn of_arm_cpu(cpus: &Path, cpu: usize) -> Option<Identity> {
    let path = cpus.join(format!("cpu{cpu}/regs/identification/midr_el1"));
    let midr = number(fs::read_to_string(path).ok()?.trim())?;
    Some(Identity::from_midr(midr))
}

#[cfg(target_arch = "x86_64")]
fn cpuid() -> Option<Identity> {
    use std::arch::x86_64::__cpuid;
    let (zero, one) = (__cpuid(0), __cpuid(1));
    let mut maker = [0; 12];
    for (bytes, register) in maker.chunks_exact_mut(4).zip([zero.ebx, zero.edx, zero.ecx]) {
        bytes.copy_from_slice(&register.to_le_bytes());
    }
    Identity::from_cpuid(&maker, one.eax)
}

#[cfg(not(target_arch = "x86_64"))]
fn cpuid() -> Option<Identity> {
    None
}
