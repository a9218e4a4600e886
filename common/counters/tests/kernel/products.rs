//! Floating-point work that is known, on machines that count it as their vendors
//! say.

use super::units::Kind::{Add, Divide, Fused, Multiply, Root};
use super::units::{Sort, counted};
use super::{count, described, preset};
use crate::event;
use crate::kernel::replayed::Settings;
use events::Event;

const N: u64 = 96;

/// A product of N by N doubles, on vectors of four with and without fused
/// multiply-adds, on vectors of two and on scalars.
fn products() -> [Vec<Sort>; 4] {
    let sort = |kind, lanes| Sort { kind, bits: 64, lanes, count: N * N * N / lanes };
    [
        vec![sort(Fused, 4)],
        vec![sort(Multiply, 4), sort(Add, 4)],
        vec![sort(Multiply, 2), sort(Add, 2)],
        vec![sort(Multiply, 1), sort(Add, 1)],
    ]
}

/// What `events` count of the product, on a machine of that family whose cores
/// do nothing else.
fn counts(key: &str, product: Vec<Sort>, events: &[Event]) -> Vec<Result<f64, String>> {
    let described = described(key);
    let (family, floating) = (described.family, [0x02, 0x03, 0xc7, 0xc8]);
    let rate = move |code: u64, _| match floating.contains(&(code & 0xff)) {
        // No x87 instruction is in it.
        true if code & 0xff == 0x02 => 0,
        true => counted(family, &product, code),
        false => 0,
    };
    let machine = described.machine(Settings::default(), rate);
    let readings = machine.play(|| count(events, || machine.work(1)));
    readings.iter().map(|reading| reading.amount().ok_or_else(|| reading.to_string())).collect()
}

#[test]
fn a_double_precision_product_gives_the_known_operations() {
    let known = (2 * N * N * N) as f64;
    let operations = [preset("PAPI_FP_OPS"), preset("PAPI_DP_OPS")];
    for product in products() {
        for key in ["amd64_fam17h_zen1", "skl", "skx", "adl_glc", "lnl", "srf"] {
            let found = counts(key, product.clone(), &operations);
            assert_eq!(found, [Ok(known), Ok(known)], "{key}");
        }
        // From Zen 2 on single and double precision are one event.
        for key in ["amd64_fam17h_zen2", "amd64_fam19h_zen3", "amd64_fam19h_zen4", "amd64_fam1ah_zen6"] {
            assert_eq!(counts(key, product.clone(), &operations[..1]), [Ok(known)], "{key}");
        }
    }
}

#[test]
fn on_haswell_the_kit_says_that_there_are_no_such_events() {
    let names = ["PAPI_FP_OPS", "PAPI_DP_OPS", "PAPI_SP_OPS", "PAPI_FP_INS", "PAPI_VEC_DP"];
    let [product, ..] = products();
    for found in counts("hsw", product, &names.map(preset)) {
        let why = found.unwrap_err();
        assert!(why.contains("Intel Haswell: the processor has no floating-point events"), "{why}");
    }
}

#[test]
fn divisions_and_roots_are_operations_too() {
    let sort = |kind, count| Sort { kind, bits: 64, lanes: 2, count };
    for key in ["amd64_fam17h_zen1", "amd64_fam19h_zen4", "skl"] {
        let work = vec![sort(Divide, 300), sort(Root, 7)];
        assert_eq!(counts(key, work, &[preset("PAPI_FP_OPS")]), [Ok(614.0)], "{key}");
    }
}

/// What flops opens, by the name that is everybody's for the cores' PMU.
#[test]
fn the_cores_pmu_is_meant_whatever_it_is_called() {
    for (key, pmu) in [
        ("arm_n1", "armv8_pmuv3_0"),
        ("arm_ac72", "armv8_cortex_a72"),
        ("arm_ac76", "armv8_cortex_a76"),
        ("qcom_oryon", "armv8_pmuv3"),
    ] {
        let described = described(key);
        let machine = described.machine(Settings::default(), |code, _| code);
        let events = ["cpu/event=0x75/".to_owned(), "r75".to_owned(), format!("{pmu}/event=0x74/")];
        machine.play(|| {
            let events = events.map(|text| event(&text).unwrap());
            let readings = count(&events, || machine.work(1));
            let amounts: Vec<Option<f64>> = readings.iter().map(|reading| reading.amount()).collect();
            assert_eq!(amounts, [Some(117.0), Some(117.0), Some(116.0)], "{key}: {readings:?}");
        });
    }
}
