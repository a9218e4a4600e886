//! What an x86 processor reports about itself in the instruction CPUID (Intel's Software
//! Developer's Manual, volume 2; AMD's volume 3, appendix E).

use events::Identity;
use figures::units::Bytes;

use super::{Cache, CacheKind, Sharers, Teller};

/// A virtual machine whose hypervisor is unknown.
pub(super) const VIRTUAL_MACHINE: &str = "virtual machine";

/// What a processor reported.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Own {
    pub(super) vendor: String,
    pub(super) name: Option<String>,
    pub(super) identity: Option<Identity>,
    pub(super) caches: Vec<Cache>,
    pub(super) hypervisor: Option<String>,
}

/// A TLB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tlb {
    /// Level, kind of accesses, and page sizes.
    pub name: String,
    /// Number of entries.
    pub entries: u64,
    /// Entries per set; 0: fully associative.
    pub ways: u64,
}

/// Registers EAX, EBX, ECX and EDX of a leaf.
type Registers = [u32; 4];

/// A processor's leaves: the host's, or in tests those of a known processor.
type Leaves<'a> = &'a dyn Fn(u32, u32) -> Registers;

/// What the calling thread's processor reports; `None` on other architectures.
pub(crate) fn read() -> Option<Own> {
    own(&leaf)
}

/// All TLBs of the calling thread's processor; empty if it does not report them.
pub fn tlbs() -> Vec<Tlb> {
    if vendor(&leaf) == *b"AuthenticAMD" {
        return amd_tlbs(leaf(0x8000_0005, 0), leaf(0x8000_0006, 0));
    }
    if leaf(0, 0)[0] < 0x18 {
        return Vec::new();
    }
    (0..=leaf(0x18, 0)[0].min(31)).filter_map(|sub| intel_tlb(leaf(0x18, sub))).collect()
}

#[cfg(target_arch = "x86_64")]
fn leaf(number: u32, sub: u32) -> Registers {
    let got = std::arch::x86_64::__cpuid_count(number, sub);
    [got.eax, got.ebx, got.ecx, got.edx]
}

#[cfg(not(target_arch = "x86_64"))]
fn leaf(_number: u32, _sub: u32) -> Registers {
    [0; 4]
}

/// The bytes of registers, one after the other.
fn bytes<const N: usize>(registers: &[u32]) -> [u8; N] {
    let mut bytes = [0; N];
    for (four, register) in bytes.chunks_exact_mut(4).zip(registers) {
        four.copy_from_slice(&register.to_le_bytes());
    }
    bytes
}

fn vendor(leaf: Leaves) -> [u8; 12] {
    let [_, b, c, d] = leaf(0, 0);
    bytes(&[b, d, c])
}

fn own(leaf: Leaves) -> Option<Own> {
    let maker = vendor(leaf);
    if maker == [0; 12] {
        return None;
    }
    let [features, _, flags, _] = leaf(1, 0);
    Some(Own {
        vendor: text(&maker).unwrap_or_default(),
        name: brand(leaf),
        identity: Identity::from_cpuid(&maker, features),
        caches: caches(leaf, maker == *b"AuthenticAMD"),
        hypervisor: (flags >> 31 == 1).then(|| hypervisor(leaf)),
    })
}

fn text(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    (!text.is_empty()).then(|| text.to_owned())
}

fn brand(leaf: Leaves) -> Option<String> {
    if leaf(0x8000_0000, 0)[0] < 0x8000_0004 {
        return None;
    }
    let registers: Vec<u32> = (0x8000_0002..=0x8000_0004).flat_map(|number| leaf(number, 0)).collect();
    text(&bytes::<48>(&registers))
}

fn hypervisor(leaf: Leaves) -> String {
    let [_, b, c, d] = leaf(0x4000_0000, 0);
    let known = match &bytes::<12>(&[b, c, d]) {
        b"KVMKVMKVM\0\0\0" => "KVM",
        b"Microsoft Hv" => "Hyper-V",
        b"VMwareVMware" => "VMware",
        b"XenVMMXenVMM" => "Xen",
        b"TCGTCGTCGTCG" => "QEMU",
        b"VBoxVBoxVBox" => "VirtualBox",
        b"bhyve bhyve " => "bhyve",
        _ => VIRTUAL_MACHINE,
    };
    known.to_owned()
}

/// From leaf 4 (Intel) or 0x8000001d (AMD), which have the same format.
fn caches(leaf: Leaves, amd: bool) -> Vec<Cache> {
    let number = if amd { 0x8000_001d } else { 4 };
    if leaf(number & 0x8000_0000, 0)[0] < number {
        return Vec::new();
    }
    (0..16).map_while(|sub| cache(leaf(number, sub))).collect()
}

fn cache(registers: Registers) -> Option<Cache> {
    let [a, b, sets, _] = registers.map(u64::from);
    let kind = match a & 0x1f {
        1 => CacheKind::Data,
        2 => CacheKind::Instruction,
        3 => CacheKind::Unified,
        _ => return None,
    };
    let (line, partitions, ways, sets) = ((b & 0xfff) + 1, (b >> 12 & 0x3ff) + 1, (b >> 22) + 1, sets + 1);
    Some(Cache {
        level: (a >> 5 & 7) as u8,
        kind,
        size: Bytes(line * partitions * ways * sets),
        line: Bytes(line),
        ways: Some(ways),
        sets: Some(sets),
        shared_by: Some(Sharers::AtMost((a >> 14 & 0xfff) as usize + 1)),
        teller: Teller::Cpuid,
    })
}

/// One subleaf of leaf 0x18 (Intel).
fn intel_tlb(registers: Registers) -> Option<Tlb> {
    let [_, b, sets, d] = registers.map(u64::from);
    let kind = match d & 0x1f {
        1 => "data",
        2 => "instruction",
        3 => "unified",
        4 => "load",
        5 => "store",
        _ => return None,
    };
    let sizes: Vec<&str> = (0..4).filter(|i| b >> i & 1 == 1).map(|i| ["4K", "2M", "4M", "1G"][i]).collect();
    let (ways, full) = (b >> 16, d >> 8 & 1 == 1);
    let name = format!("L{} {kind}, {} pages", d >> 5 & 7, sizes.join("/"));
    Some(Tlb { name, entries: ways * sets, ways: if full { 0 } else { ways } })
}

/// The data TLBs for 4 KiB pages in leaves 0x80000005 and 0x80000006 (AMD).
fn amd_tlbs(five: Registers, six: Registers) -> Vec<Tlb> {
    let ways = |code: u64| [0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0][code as usize & 15];
    let first = u64::from(five[1] >> 16);
    let second = u64::from(six[1] >> 16);
    let full = |ways: u64| if ways == 0xff { 0 } else { ways };
    [
        Tlb { name: "L1 data, 4K pages".into(), entries: first & 0xff, ways: full(first >> 8) },
        Tlb { name: "L2 data, 4K pages".into(), entries: second & 0xfff, ways: ways(second >> 12) },
    ]
    .into_iter()
    .filter(|tlb| tlb.entries > 0)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_of_known_processors_are_read() {
        // A Skylake client's level 1 data cache: 32 KiB, 8-way, 64 sets.
        let found = cache([0x1c00_4121, 0x01c0_003f, 0x3f, 0]).unwrap();
        assert_eq!((found.level, found.kind, found.size), (1, CacheKind::Data, Bytes::kib(32)));
        assert_eq!((found.line, found.ways, found.sets, found.sharers()), (Bytes(64), Some(8), Some(64), 2));
        assert_eq!(cache([0; 4]), None);
        // Zen 3: 64 entries, fully associative; 2048 entries, 8-way.
        let found = amd_tlbs([0, 0xff40_ff40, 0, 0], [0, 0x6800_6600, 0, 0]);
        assert_eq!((found[0].entries, found[0].ways), (64, 0));
        assert_eq!((found[1].entries, found[1].ways), (2048, 8));
        let found = intel_tlb([0, 0x0004_0001, 16, 0x21]).unwrap();
        assert_eq!((found.name.as_str(), found.entries, found.ways), ("L1 data, 4K pages", 64, 4));
    }

    #[test]
    fn a_guest_on_kvm_says_who_it_is() {
        let word = |text: &[u8]| u32::from_le_bytes(text.try_into().unwrap());
        let skylake = |number: u32, sub: u32| match (number, sub) {
            (0, _) => [0x16, word(b"Genu"), word(b"ntel"), word(b"ineI")],
            (1, _) => [0x0005_06e3, 0, 1 << 31, 0],
            (4, 0) => [0x1c00_4121, 0x01c0_003f, 0x3f, 0],
            (0x4000_0000, _) => [0, word(b"KVMK"), word(b"VMKV"), word(b"M\0\0\0")],
            (0x8000_0000, _) => [0x8000_0008, 0, 0, 0],
            (0x8000_0002, _) => [word(b"Inte"), word(b"l(R)"), word(b" Cor"), word(b"e   ")],
            _ => [0; 4],
        };
        let found = own(&skylake).unwrap();
        assert_eq!((found.vendor.as_str(), found.name.as_deref()), ("GenuineIntel", Some("Intel(R) Core")));
        assert_eq!(found.identity, Identity::from_cpuid(b"GenuineIntel", 0x0005_06e3));
        assert_eq!((found.hypervisor.as_deref(), found.caches.len()), (Some("KVM"), 1));
        assert_eq!(own(&|_, _| [0; 4]), None);
    }
}
