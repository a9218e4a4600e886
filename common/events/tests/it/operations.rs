//! Operations, of which a vector instruction makes as many as it has lanes.

use events::map::{self, Config};
use events::{FAMILIES, Preset};

/// Lanes of each bit of the unit mask of Intel's event 0xc7: double and single precision, in scalars
/// and in vectors of 128, 256 and 512 bits.
const LANES: [f64; 8] = [1.0, 1.0, 2.0, 4.0, 4.0, 8.0, 8.0, 16.0];

#[test]
fn operations_are_instructions_of_all_widths_times_their_lanes() {
    let mut checked = 0;
    for family in FAMILIES.iter() {
        for (name, wanted) in [("PAPI_FP_OPS", 0xff), ("PAPI_SP_OPS", 0xaa), ("PAPI_DP_OPS", 0x55)] {
            let Ok(entry) = map::lookup(family, Preset::named(name).unwrap()) else { continue };
            let masks = entry.natives.iter().filter_map(|native| match native.config {
                Config::Raw(code) if code & 0xff == 0xc7 => Some(code >> 8),
                _ => None,
            });
            let masks: Vec<u64> = masks.collect();
            for (at, mask) in masks.iter().enumerate() {
                let one: Vec<f64> = (0..masks.len()).map(|other| f64::from(u8::from(other == at))).collect();
                let weight = entry.formula.evaluate(&one);
                let lanes = (0..8).filter(|bit| mask >> bit & 1 == 1).map(|bit| LANES[bit]);
                assert!(
                    lanes.eq(std::iter::repeat_n(weight, mask.count_ones() as usize)),
                    "{} {name}",
                    family.key
                );
            }
            let all = masks.iter().fold(0, |all, mask| all | mask);
            assert!([0, wanted, wanted & 0x3f].contains(&all), "{} {name}: {all:#x}", family.key);
            checked += usize::from(all > 0);
        }
    }
    assert!(checked > 30, "{checked}");
}

#[test]
fn operations_fit_the_counters_of_a_core_with_hyper_threading() {
    for family in FAMILIES.iter() {
        let Ok(entry) = map::lookup(family, Preset::named("PAPI_FP_OPS").unwrap()) else { continue };
        assert!(entry.natives.len() <= 5, "{}", family.key);
    }
}
