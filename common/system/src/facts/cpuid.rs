//! What an x86 processor reports about itself in the instruction CPUID (Intel's Software
//! Developer's Manual, volume 2; AMD's volume 3, appendix E).

use events::Identity;
use figures::units::Bytes;
use raw_cpuid::{Associativity, CacheParameter, CacheType, CpuId, CpuIdReader, DatInfo, DatType, Hypervisor};

use super::{Cache, CacheKind, Sharers, Teller};

/// A virtual machine whose hypervisor is unknown.
const VIRTUAL_MACHINE: &str = "virtual machine";

/// Vendors that describe TLBs in AMD's leaves.
const AMD: [&str; 2] = ["AuthenticAMD", "HygonGenuine"];
/// The family of AMD's Zen 5.
const ZEN5: u16 = 0x1a;

/// What a processor reported.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Own {
    pub(super) vendor: String,
    pub(super) name: Option<String>,
    pub(super) identity: Option<Identity>,
    pub(super) caches: Vec<Cache>,
    pub(super) tlbs: Vec<Tlb>,
    pub(super) hypervisor: Option<String>,
}

/// A TLB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tlb {
    /// Level, kind of accesses, and page sizes.
    pub name: String,
    /// The level; 1 for the one next to the core.
    pub level: u8,
    /// Whether it translates the addresses of loads in pages of 4 KiB.
    pub loads_4k: bool,
    /// Number of entries.
    pub entries: u64,
    /// Entries per set; 0: fully associative.
    pub ways: u64,
}

/// What the calling thread's processor reports; `None` on other architectures.
pub(crate) fn read() -> Option<Own> {
    #[cfg(target_arch = "x86_64")]
    return own(raw_cpuid::native_cpuid::cpuid_count);
    #[cfg(not(target_arch = "x86_64"))]
    return None;
}

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
fn own(leaf: impl CpuIdReader) -> Option<Own> {
    let cpuid = CpuId::with_cpuid_reader(leaf.clone());
    let vendor = cpuid.get_vendor_info()?.as_str().to_owned();
    let maker: &[u8; 12] = vendor.as_bytes().try_into().ok()?;
    let is_virtual = cpuid.get_feature_info().is_some_and(|features| features.has_hypervisor());
    Some(Own {
        name: cpuid.get_processor_brand_string().map(|name| name.as_str().trim().to_owned()),
        identity: Identity::from_cpuid(maker, leaf.cpuid1(1).eax),
        caches: cpuid.get_cache_parameters().into_iter().flatten().filter_map(cache).collect(),
        tlbs: tlbs(leaf),
        hypervisor: is_virtual.then(|| hypervisor(&cpuid)),
        vendor,
    })
}

fn hypervisor(cpuid: &CpuId<impl CpuIdReader>) -> String {
    match cpuid.get_hypervisor_info().map(|info| info.identify()) {
        None | Some(Hypervisor::Unknown(..)) => VIRTUAL_MACHINE.to_owned(),
        Some(Hypervisor::HyperV) => "Hyper-V".to_owned(),
        Some(known) => format!("{known:?}"),
    }
}

fn cache(found: CacheParameter) -> Option<Cache> {
    let kind = match found.cache_type() {
        CacheType::Data => CacheKind::Data,
        CacheType::Instruction => CacheKind::Instruction,
        CacheType::Unified => CacheKind::Unified,
        CacheType::Null | CacheType::Reserved => return None,
    };
    let [line, partitions, ways, sets] =
        [found.coherency_line_size(), found.physical_line_partitions(), found.associativity(), found.sets()]
            .map(|number| number as u64);
    Some(Cache {
        level: found.level(),
        kind,
        size: Bytes(line * partitions * ways * sets),
        line: Bytes(line),
        ways: Some(ways),
        sets: Some(sets),
        shared_by: Some(Sharers::AtMost(found.max_cores_for_cache())),
        teller: Teller::Cpuid,
    })
}

/// All TLBs; none if the processor does not describe them.
fn tlbs(leaf: impl CpuIdReader) -> Vec<Tlb> {
    let cpuid = CpuId::with_cpuid_reader(leaf.clone());
    let intel =
        cpuid.get_deterministic_address_translation_info().into_iter().flatten().filter_map(intel_tlb);
    let is_amd = cpuid.get_vendor_info().is_some_and(|vendor| AMD.contains(&vendor.as_str()));
    let first = cpuid.get_l1_cache_and_tlb_info().filter(|_| is_amd);
    let first = first.map(|tlb| (1, u64::from(tlb.dtlb_4k_size()), tlb.dtlb_4k_associativity()));
    // L2TlbSizeX32: from Zen 5 on, the field counts in units of 32. Hypervisors clear the bit that says so.
    let family = cpuid.get_feature_info().map_or(0, |features| u16::from(features.family_id()));
    let unit = if family >= ZEN5 || leaf.cpuid1(0x8000_0021).eax & 1 << 14 != 0 { 32 } else { 1 };
    let second = cpuid.get_l2_l3_cache_and_tlb_info().filter(|_| is_amd);
    let second = second.map(|tlb| (2, unit * u64::from(tlb.dtlb_4k_size()), tlb.dtlb_4k_associativity()));
    let amd = [first, second].into_iter().flatten().filter(|(_, entries, _)| *entries > 0);
    let amd = amd.map(|(level, entries, ways)| Tlb {
        name: format!("L{level} data, 4K pages"),
        level,
        loads_4k: true,
        entries,
        ways: match ways {
            Associativity::DirectMapped => 1,
            Associativity::NWay(ways) => ways.into(),
            Associativity::FullyAssociative | Associativity::Disabled | Associativity::Unknown => 0,
        },
    });
    intel.chain(amd).collect()
}

fn intel_tlb(found: DatInfo) -> Option<Tlb> {
    let (kind, loads) = match found.cache_type() {
        DatType::DataTLB => ("data", true),
        DatType::InstructionTLB => ("instruction", false),
        DatType::UnifiedTLB => ("unified", true),
        DatType::LoadOnly => ("load", true),
        DatType::StoreOnly => ("store", false),
        DatType::Null | DatType::Unknown => return None,
    };
    let sizes = [
        ("4K", found.has_4k_entries()),
        ("2M", found.has_2mb_entries()),
        ("4M", found.has_4mb_entries()),
        ("1G", found.has_1gb_entries()),
    ];
    let sizes: Vec<&str> = sizes.into_iter().filter_map(|(size, held)| held.then_some(size)).collect();
    let ways = u64::from(found.ways());
    Some(Tlb {
        name: format!("L{} {kind}, {} pages", found.cache_level(), sizes.join("/")),
        level: found.cache_level(),
        loads_4k: loads && found.has_4k_entries(),
        entries: ways * u64::from(found.sets()),
        ways: if found.is_fully_associative() { 0 } else { ways },
    })
}

#[cfg(test)]
mod tests {
    use raw_cpuid::CpuIdResult;

    use super::*;

    fn registers([eax, ebx, ecx, edx]: [u32; 4]) -> CpuIdResult {
        CpuIdResult { eax, ebx, ecx, edx }
    }

    fn word(text: &[u8]) -> u32 {
        u32::from_le_bytes(text.try_into().unwrap())
    }

    /// A Skylake client in a KVM guest.
    fn skylake(number: u32, sub: u32) -> CpuIdResult {
        registers(match (number, sub) {
            (0, _) => [0x18, word(b"Genu"), word(b"ntel"), word(b"ineI")],
            (1, _) => [0x0005_06e3, 0, 1 << 31, 0],
            // 32 KiB, 8-way, 64 sets.
            (4, 0) => [0x1c00_4121, 0x01c0_003f, 0x3f, 0],
            (0x18, 0) => [1, 0, 0, 0],
            (0x18, 1) => [0, 0x0004_0001, 16, 0x21],
            (0x4000_0000, _) => [0x4000_0001, word(b"KVMK"), word(b"VMKV"), word(b"M\0\0\0")],
            (0x8000_0000, _) => [0x8000_0008, 0, 0, 0],
            (0x8000_0002, _) => [word(b"Inte"), word(b"l(R)"), word(b" Cor"), word(b"e   ")],
            _ => [0; 4],
        })
    }

    /// A Zen 3: 64 entries, fully associative; 2048 entries, 8-way.
    fn zen3(number: u32, _: u32) -> CpuIdResult {
        registers(match number {
            0 => [0x10, word(b"Auth"), word(b"cAMD"), word(b"enti")],
            0x8000_0000 => [0x8000_0023, 0, 0, 0],
            0x8000_0005 => [0, 0xff40_ff40, 0, 0],
            0x8000_0006 => [0, 0x6800_6600, 0, 0],
            _ => [0; 4],
        })
    }

    /// A Zen 5 in a KVM guest, which hides the unit of the second TLB's entries: 96; 128 x 32.
    fn zen5(number: u32, sub: u32) -> CpuIdResult {
        match number {
            1 => registers([0x00b0_0f21, 0, 1 << 31, 0]),
            0x8000_0005 => registers([0, 0xff60_ff40, 0, 0]),
            0x8000_0006 => registers([0, 0x6080_4040, 0, 0]),
            _ => zen3(number, sub),
        }
    }

    #[test]
    fn caches_and_tlbs_of_known_processors_are_read() {
        let found = &own(skylake).unwrap().caches[..];
        let [found] = found else { panic!("{found:?}") };
        assert_eq!((found.level, found.kind, found.size), (1, CacheKind::Data, Bytes::kib(32)));
        assert_eq!((found.line, found.ways, found.sets, found.sharers()), (Bytes(64), Some(8), Some(64), 2));
        let tlb = |level, entries, ways| Tlb {
            name: format!("L{level} data, 4K pages"),
            level,
            loads_4k: true,
            entries,
            ways,
        };
        assert_eq!(tlbs(skylake), [tlb(1, 64, 4)]);
        assert_eq!(tlbs(zen3), [tlb(1, 64, 0), tlb(2, 2048, 8)]);
        assert_eq!(tlbs(zen5), [tlb(1, 96, 0), tlb(2, 4096, 8)]);
        let bare = |number, sub| match number {
            0x8000_0021 => registers([1 << 14, 0, 0, 0]),
            _ => zen3(number, sub),
        };
        assert_eq!(tlbs(bare)[1].entries, 32 * 2048);
    }

    #[test]
    fn a_guest_on_kvm_says_who_it_is() {
        let found = own(skylake).unwrap();
        assert_eq!((found.vendor.as_str(), found.name.as_deref()), ("GenuineIntel", Some("Intel(R) Core")));
        assert_eq!(found.identity, Identity::from_cpuid(b"GenuineIntel", 0x0005_06e3));
        assert_eq!(found.hypervisor.as_deref(), Some("KVM"));
    }
}
