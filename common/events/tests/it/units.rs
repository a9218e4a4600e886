//! What the vendors' floating-point events count for a known mix of instructions, by their
//! documentation.

use events::Family;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Add,
    Multiply,
    Divide,
    Root,
    Fused,
}

use Kind::{Add, Divide, Fused, Multiply, Root};

/// Instructions of one kind; a value has 16, 32 or 64 `bits`.
#[derive(Clone, Copy)]
pub(crate) struct Sort {
    pub(crate) kind: Kind,
    pub(crate) bits: u64,
    pub(crate) lanes: u64,
    pub(crate) count: u64,
}

impl Sort {
    pub(crate) fn operations(&self) -> u64 {
        self.count * self.lanes * if self.kind == Fused { 2 } else { 1 }
    }

    /// Instructions; a fused multiply-add counts as two.
    pub(crate) fn fused_twice(&self) -> u64 {
        self.count * if self.kind == Fused { 2 } else { 1 }
    }

    pub(crate) fn is_vector(&self) -> bool {
        self.lanes > 1
    }
}

pub(crate) fn sum(mix: &[Sort], which: impl Fn(&Sort) -> bool, amount: fn(&Sort) -> u64) -> u64 {
    mix.iter().filter(|sort| which(sort)).map(amount).sum()
}

/// Event 0xc7 of Intel's cores: one bit each for scalar, 128, 256 and 512 bits, alternating
/// between double and single precision; a fused multiply-add counts as two.
pub(crate) fn fp_arith(mix: &[Sort], umask: u64) -> u64 {
    let bit = |sort: &Sort| {
        let width = if sort.is_vector() { (sort.lanes * sort.bits / 128).ilog2() + 1 } else { 0 };
        umask >> (2 * width + u32::from(sort.bits == 32)) & 1 == 1
    };
    sum(mix, |sort| sort.bits > 16 && bit(sort), Sort::fused_twice)
}

/// Event 0xcf: half precision, scalar, 128, 256 and 512 bits at bits 0, 2, 3, 4.
pub(crate) fn fp_arith_half(mix: &[Sort], umask: u64) -> u64 {
    let bit = |sort: &Sort| {
        let width = if sort.is_vector() { (sort.lanes * sort.bits / 128).ilog2() + 2 } else { 0 };
        umask >> width & 1 == 1
    };
    sum(mix, |sort| sort.bits == 16 && bit(sort), Sort::fused_twice)
}

/// Event 0x03 of AMD's cores: operations by kind; on the first Zen single precision in the
/// lower half and double in the upper, on later ones both.
pub(crate) fn amd_flops(mix: &[Sort], umask: u64, halves: bool) -> u64 {
    let bit = |sort: &Sort| {
        let kind = match sort.kind {
            Add => 0,
            Multiply => 1,
            Divide | Root => 2,
            Fused => 3,
        };
        umask >> (kind + if halves && sort.bits == 64 { 4 } else { 0 }) & 1 == 1
    };
    sum(mix, bit, Sort::operations)
}

/// Event 0x0a of AMD's cores: a number for the kind, scalars in the lower half and vectors
/// in the upper; 15 means all.
pub(crate) fn amd_by_type(mix: &[Sort], umask: u64) -> u64 {
    let kind = |sort: &Sort| match sort.kind {
        Add => 1,
        Multiply => 3,
        Fused => 4,
        Divide => 5,
        Root => 6,
    };
    let wanted = |sort: &Sort| if sort.is_vector() { umask >> 4 } else { umask & 15 };
    sum(mix, |sort| wanted(sort) == 15 || wanted(sort) == kind(sort), |sort| sort.count)
}

pub(crate) fn arm(mix: &[Sort], code: u64) -> u64 {
    let all = |sort: &Sort| sort.count;
    match code {
        0x75 => sum(mix, |sort| !sort.is_vector(), all),
        0x74 | 0x8005 => sum(mix, Sort::is_vector, all),
        0x8014 => sum(mix, |sort| sort.bits == 16, all),
        0x8018 => sum(mix, |sort| sort.bits == 32, all),
        0x801c => sum(mix, |sort| sort.bits == 64, all),
        0x80c1 => sum(mix, |_| true, Sort::operations),
        // Vectors of a length that the program does not know: this mix has none.
        0x8006 | 0x80c0 => 0,
        _ => panic!("{code:#x} is no floating-point event"),
    }
}

/// One bit for each kind from bit 21 on.
pub(crate) fn sifive(mix: &[Sort], code: u64) -> u64 {
    let bit = |sort: &Sort| match sort.kind {
        Add => 21,
        Multiply => 22,
        Fused => 23,
        Divide | Root => 24,
    };
    sum(mix, |sort| code >> bit(sort) & 1 == 1, |sort| sort.count)
}

/// The count of the mix by a family's event with that code.
pub(crate) fn counted(family: &'static Family, mix: &[Sort], code: u64) -> u64 {
    let umask = code >> 8 & 0xff;
    match (family.key, code & 0xff) {
        ("sifive_u74", _) => sifive(mix, code),
        ("srf" | "cwf", 0xc8) => {
            sum(mix, |sort| umask >> (usize::from(sort.bits == 32)) & 1 == 1, Sort::operations)
        }
        ("srf" | "cwf", 0xc7) if umask == 0x3f => sum(mix, |_| true, |sort| sort.count),
        (key, _) if key.starts_with("arm") || ["ampere1", "nvidia_olympus"].contains(&key) => arm(mix, code),
        (key, 0x03) if key.starts_with("amd64") => amd_flops(mix, umask, key.ends_with("zen1")),
        (key, 0x0a) if key.starts_with("amd64") => amd_by_type(mix, umask),
        (_, 0xc7) => fp_arith(mix, umask),
        (_, 0xcf) => fp_arith_half(mix, umask),
        (key, event) => panic!("{key}: {event:#x} is no floating-point event"),
    }
}
