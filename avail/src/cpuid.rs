//! Caches and TLBs as an x86 processor describes them itself.

/// A cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) level: u64,
    pub(crate) kind: &'static str,
    pub(crate) size: u64,
    pub(crate) line: u64,
    pub(crate) ways: u64,
}

/// A TLB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tlb {
    pub(crate) name: String,
    pub(crate) entries: u64,
    /// 0: fully associative.
    pub(crate) ways: u64,
}

/// Registers EAX, EBX, ECX and EDX of a leaf.
type Registers = [u32; 4];

/// One subleaf of leaf 4 (Intel) or 0x8000001d (AMD), which are alike.
fn cache(registers: Registers) -> Option<Described> {
    let [a, b, sets, _] = registers.map(u64::from);
    let kind = match a & 0x1f {
        1 => "Data",
        2 => "Instruction",
        3 => "Unified",
        _ => return None,
    };
    let (line, partitions, ways) = ((b & 0xfff) + 1, (b >> 12 & 0x3ff) + 1, (b >> 22) + 1);
    Some(Described { level: a >> 5 & 7, kind, size: line * partitions * ways * (sets + 1), line, ways })
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

#[cfg(target_arch = "x86_64")]
fn leaf(number: u32, sub: u32) -> Registers {
    let got = std::arch::x86_64::__cpuid_count(number, sub);
    [got.eax, got.ebx, got.ecx, got.edx]
}

#[cfg(not(target_arch = "x86_64"))]
fn leaf(_number: u32, _sub: u32) -> Registers {
    [0; 4]
}

fn maker_is_amd() -> bool {
    let [_, b, c, d] = leaf(0, 0);
    [(b, b"Auth"), (d, b"enti"), (c, b"cAMD")].iter().all(|(word, text)| word.to_le_bytes() == **text)
}

/// All caches; none where the processor does not say.
pub(crate) fn caches() -> Vec<Described> {
    let number = if maker_is_amd() { 0x8000_001d } else { 4 };
    let known = leaf(number & 0x8000_0000, 0)[0] >= number;
    (0..16).map_while(|sub| cache(leaf(number, sub)).filter(|_| known)).collect()
}

/// All TLBs; none where the processor does not say.
pub(crate) fn tlbs() -> Vec<Tlb> {
    if maker_is_amd() {
        return amd_tlbs(leaf(0x8000_0005, 0), leaf(0x8000_0006, 0));
    }
    if leaf(0, 0)[0] < 0x18 {
        return Vec::new();
    }
    (0..=leaf(0x18, 0)[0].min(31)).filter_map(|sub| intel_tlb(leaf(0x18, sub))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_of_known_processors_are_read() {
        // A Skylake client's level 1 data cache: 32 KiB, 8-way, 64 sets.
        let found = cache([0x1c00_4121, 0x01c0_003f, 0x3f, 0]).unwrap();
        assert_eq!(found, Described { level: 1, kind: "Data", size: 32 << 10, line: 64, ways: 8 });
        assert_eq!(cache([0; 4]), None);
        // Zen 3: 64 entries, fully associative; 2048 entries, 8-way.
        let found = amd_tlbs([0, 0xff40_ff40, 0, 0], [0, 0x6800_6600, 0, 0]);
        assert_eq!((found[0].entries, found[0].ways), (64, 0));
        assert_eq!((found[1].entries, found[1].ways), (2048, 8));
        let found = intel_tlb([0, 0x0004_0001, 16, 0x21]).unwrap();
        assert_eq!((found.name.as_str(), found.entries, found.ways), ("L1 data, 4K pages", 64, 4));
    }
}
