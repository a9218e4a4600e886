//! Every floating-point preset of every family, computed for a known mix of instructions
//! from the vendors' definitions of their events.

use events::map::{self, Config};
use events::{FAMILIES, Family, Preset};

use Kind::{Add, Divide, Fused, Multiply, Root};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Add,
    Multiply,
    Divide,
    Root,
    Fused,
}

/// Instructions of one kind; a value has 16, 32 or 64 `bits`.
#[derive(Clone, Copy)]
struct Sort {
    kind: Kind,
    bits: u64,
    lanes: u64,
    count: u64,
}

impl Sort {
    fn operations(&self) -> u64 {
        self.count * self.lanes * if self.kind == Fused { 2 } else { 1 }
    }

    /// Instructions; a fused multiply-add counts as two.
    fn fused_twice(&self) -> u64 {
        self.count * if self.kind == Fused { 2 } else { 1 }
    }

    fn is_vector(&self) -> bool {
        self.lanes > 1
    }
}

fn sum(mix: &[Sort], which: impl Fn(&Sort) -> bool, amount: fn(&Sort) -> u64) -> u64 {
    mix.iter().filter(|sort| which(sort)).map(amount).sum()
}

/// Event 0xc7 of Intel's cores: one bit each for scalar, 128, 256 and 512 bits, alternating
/// between double and single precision; a fused multiply-add counts as two.
fn fp_arith(mix: &[Sort], umask: u64) -> u64 {
    let bit = |sort: &Sort| {
        let width = if sort.is_vector() { (sort.lanes * sort.bits / 128).ilog2() + 1 } else { 0 };
        umask >> (2 * width + u32::from(sort.bits == 32)) & 1 == 1
    };
    sum(mix, |sort| sort.bits > 16 && bit(sort), Sort::fused_twice)
}

/// Event 0xcf: half precision, scalar, 128, 256 and 512 bits at bits 0, 2, 3, 4.
fn fp_arith_half(mix: &[Sort], umask: u64) -> u64 {
    let bit = |sort: &Sort| {
        let width = if sort.is_vector() { (sort.lanes * sort.bits / 128).ilog2() + 2 } else { 0 };
        umask >> width & 1 == 1
    };
    sum(mix, |sort| sort.bits == 16 && bit(sort), Sort::fused_twice)
}

/// Event 0x03 of AMD's cores: operations by kind; on the first Zen single precision in the
/// lower half and double in the upper, on later ones both.
fn amd_flops(mix: &[Sort], umask: u64, halves: bool) -> u64 {
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
fn amd_by_type(mix: &[Sort], umask: u64) -> u64 {
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

fn arm(mix: &[Sort], code: u64) -> u64 {
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
fn sifive(mix: &[Sort], code: u64) -> u64 {
    let bit = |sort: &Sort| match sort.kind {
        Add => 21,
        Multiply => 22,
        Fused => 23,
        Divide | Root => 24,
    };
    sum(mix, |sort| code >> bit(sort) & 1 == 1, |sort| sort.count)
}

/// The count of the mix by a family's event with that code.
fn counted(family: &'static Family, mix: &[Sort], code: u64) -> u64 {
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

/// Scalars and vectors of each precision, as wide as the family has them. Each kind has a
/// different number of instructions, so that errors cannot cancel.
fn mix(family: &Family) -> Vec<Sort> {
    let mut count = 1000;
    let mut sorts = Vec::new();
    let has_half = ["spr", "emr", "gnr"].contains(&family.key);
    for bits in [16, 32, 64].into_iter().filter(|bits| *bits > 16 || has_half) {
        for width in [bits, 128, 256, 512].into_iter().filter(|width| *width <= widest(family)) {
            for kind in [Add, Multiply, Divide, Root, Fused] {
                count += 17;
                sorts.push(Sort { kind, bits, lanes: width / bits, count });
            }
        }
    }
    sorts
}

fn value(family: &'static Family, preset: &str, mix: &[Sort]) -> Option<f64> {
    let entry = map::lookup(family, Preset::named(preset).unwrap()).ok()?;
    let counts: Vec<f64> = entry
        .natives
        .iter()
        .map(|native| match native.config {
            Config::Raw(code) => counted(family, mix, code) as f64,
            other => panic!("{other:?}"),
        })
        .collect();
    Some(entry.formula.evaluate(&counts))
}

/// A preset, the kinds of instructions it is about, and how much each adds.
type Meaning = (&'static str, fn(&Sort) -> bool, fn(&Sort) -> u64);

const MEANINGS: &[Meaning] = &[
    ("PAPI_FP_OPS", |sort| sort.bits > 16, Sort::operations),
    ("PAPI_SP_OPS", |sort| sort.bits == 32, Sort::operations),
    ("PAPI_DP_OPS", |sort| sort.bits == 64, Sort::operations),
    ("PAPI_HP_OPS", |sort| sort.bits == 16, Sort::operations),
    ("PAPI_FP_INS", |_| true, |sort| sort.count),
    ("PAPI_VEC_INS", Sort::is_vector, |sort| sort.count),
    ("PAPI_VEC_SP", |sort| sort.is_vector() && sort.bits == 32, |sort| sort.count),
    ("PAPI_VEC_DP", |sort| sort.is_vector() && sort.bits == 64, |sort| sort.count),
    ("PAPI_VEC_HP", |sort| sort.is_vector() && sort.bits == 16, |sort| sort.count),
    ("PAPI_FMA_INS", |sort| sort.kind == Fused, |sort| sort.count),
    ("PAPI_FAD_INS", |sort| sort.kind == Add, |sort| sort.count),
    ("PAPI_FML_INS", |sort| sort.kind == Multiply, |sort| sort.count),
    ("PAPI_FDV_INS", |sort| sort.kind == Divide, |sort| sort.count),
    ("PAPI_FSQ_INS", |sort| sort.kind == Root, |sort| sort.count),
];

/// Ways in which a count may differ from what the preset's name says, and words that `avail
/// -e` must then print about it.
fn excuses(mix: &[Sort], wanted: fn(&Sort) -> bool) -> [(&'static str, u64); 4] {
    let or_root = |sort: &Sort| matches!(sort.kind, Divide | Root);
    [
        ("counts twice", sum(mix, wanted, Sort::fused_twice)),
        ("each vector lane counts", sum(mix, wanted, Sort::operations)),
        ("square roots together", sum(mix, or_root, Sort::operations)),
        ("scalar work only", sum(mix, |sort| !sort.is_vector(), |sort| sort.count)),
    ]
}

/// How wide a family's vectors are, in bits.
fn widest(family: &Family) -> u64 {
    match family.key {
        "sifive_u74" => 64,
        "skx" | "clx" | "icl" | "icx" | "spr" | "emr" | "gnr" => 512,
        key if key.starts_with("arm") || ["ampere1", "nvidia_olympus"].contains(&key) => 128,
        _ => 256,
    }
}

#[test]
fn every_floating_point_preset_counts_what_it_is_called_or_says_what_else() {
    let mut checked = 0;
    for family in FAMILIES.iter() {
        let mix = mix(family);
        for (name, wanted, amount) in MEANINGS {
            let Some(value) = value(family, name, &mix) else { continue };
            checked += 1;
            let expected = sum(&mix, wanted, *amount);
            if value == expected as f64 {
                continue;
            }
            let entry = map::lookup(family, Preset::named(name).unwrap()).unwrap();
            let told = |words| entry.notes(family).iter().any(|note| note.text.contains(words));
            let excused =
                excuses(&mix, *wanted).iter().any(|(words, other)| told(words) && value == *other as f64);
            assert!(excused, "{} {name}: {value} for {expected}", family.key);
        }
    }
    assert!(checked > 150, "{checked}");
}

#[test]
fn operations_fit_the_counters_of_a_core_with_hyper_threading() {
    for family in FAMILIES.iter() {
        let Ok(entry) = map::lookup(family, Preset::named("PAPI_FP_OPS").unwrap()) else { continue };
        let four = family.counters.starts_with('4') && widest(family) < 512;
        assert!(entry.natives.len() <= if four { 4 } else { 5 }, "{}", family.key);
    }
}
