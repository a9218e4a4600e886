//! Every floating-point preset of every family, computed for a known mix of instructions
//! from the vendors' definitions of their events.

use crate::units::Kind::{Add, Divide, Fused, Multiply, Root};
use crate::units::{Sort, amd_flops, counted, sum};
use events::map::{self, Config};
use events::{FAMILIES, Family, Preset};

/// Scalars and vectors up to `widest` bits, of single and double precision. Each kind has a
/// different number of instructions, so that errors cannot cancel.
fn mix(widest: u64) -> Vec<Sort> {
    let mut count = 1000;
    let mut sorts = Vec::new();
    for bits in [32, 64] {
        for width in [bits, 128, 256, 512].into_iter().filter(|width| *width <= widest) {
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
    entry.formula.evaluate(&counts)
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
fn widest(family: &'static Family) -> u64 {
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
        let mix = mix(widest(family));
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
fn half_precision_is_counted_separately() {
    let half = |lanes, count| Sort { kind: Fused, bits: 16, lanes, count };
    let half = [half(1, 3), half(8, 50), half(16, 700), half(32, 9000)];
    for key in ["spr", "emr", "gnr"] {
        let family = Family::keyed(key).unwrap();
        let operations = half.iter().map(Sort::operations).sum::<u64>();
        assert_eq!(value(family, "PAPI_HP_OPS", &half), Some(operations as f64));
        assert_eq!(value(family, "PAPI_FP_OPS", &half), Some(0.0));
    }
}

/// A product of N by N doubles on vectors of four, with and without fused multiply-adds,
/// gives 2 N^3 operations wherever they can be counted.
#[test]
fn a_product_in_double_precision_gives_the_known_operations() {
    let n = 96;
    let sort = |kind, lanes| Sort { kind, bits: 64, lanes, count: n * n * n / lanes };
    let products = [
        vec![sort(Fused, 4)],
        vec![sort(Multiply, 4), sort(Add, 4)],
        vec![sort(Multiply, 2), sort(Add, 2)],
        vec![sort(Multiply, 1), sort(Add, 1)],
    ];
    let operations = Some((2 * n * n * n) as f64);
    for product in &products {
        for (key, preset) in [
            ("amd64_fam17h_zen1", "PAPI_FP_OPS"),
            ("amd64_fam17h_zen1", "PAPI_DP_OPS"),
            ("amd64_fam17h_zen2", "PAPI_FP_OPS"),
            ("amd64_fam1ah_zen6", "PAPI_FP_OPS"),
            ("skl", "PAPI_FP_OPS"),
            ("skl", "PAPI_DP_OPS"),
            ("lnl", "PAPI_FP_OPS"),
            ("srf", "PAPI_DP_OPS"),
        ] {
            assert_eq!(value(Family::keyed(key).unwrap(), preset, product), operations, "{key} {preset}");
        }
    }
    // On the first Zen, the mask of later ones counts single precision.
    assert_eq!(amd_flops(&products[0], 0x0f, true), 0);
    let haswell = Family::keyed("hsw").unwrap();
    for preset in ["PAPI_FP_OPS", "PAPI_DP_OPS", "PAPI_SP_OPS", "PAPI_FP_INS"] {
        let why = map::lookup(haswell, Preset::named(preset).unwrap()).unwrap_err();
        assert!(why.contains("no floating-point events"), "{why}");
    }
}

#[test]
fn operations_fit_the_counters_of_a_core_with_hyper_threading() {
    for family in FAMILIES.iter() {
        let Ok(entry) = map::lookup(family, Preset::named("PAPI_FP_OPS").unwrap()) else { continue };
        let four = family.counters.starts_with('4') && widest(family) < 512;
        assert!(entry.natives.len() <= if four { 4 } else { 5 }, "{}", family.key);
    }
}
