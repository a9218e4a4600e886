//! What the kernel would be asked to open for every preset of every x86 family
//! in the map.

use std::collections::HashMap;

use crate::kernel::Opening;
use crate::kernel::linux::{Attr, attr};
use crate::{Definition, Origin, Platform, Refusal};
use events::{Event, FAMILIES, Preset};

/// Family, preset, native event's place, type, config, config1.
type Row = (String, String, usize, u32, u64, u64);

/// The map as it was published, one line per event: made once from PAPI's own
/// table and libpfm's encodings, so that the kit's compact form is compared
/// with it.
fn published() -> Vec<Row> {
    include_str!("../../../tests/data/x86_preset_encodings.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let f: Vec<&str> = line.split(',').collect();
            let hex = |digits| u64::from_str_radix(digits, 16).unwrap();
            (f[0].into(), f[1].into(), f[2].parse().unwrap(), f[3].parse().unwrap(), hex(f[4]), hex(f[5]))
        })
        .collect()
}

fn definition(family: &str, preset: &str) -> Result<Definition, Refusal> {
    let family = FAMILIES.iter().find(|f| f.key == family).unwrap();
    let preset = Event::Preset(Preset::named(preset).unwrap());
    Platform::of_family(family).definitions(&preset).map(|mut ways| ways.remove(0))
}

#[test]
fn every_x86_preset_opens_what_the_map_says() {
    let mut families: HashMap<String, usize> = HashMap::new();
    let mut overridden = 0;
    for (family, preset, place, kind, config, config1) in published() {
        *families.entry(family.clone()).or_default() += 1;
        let Ok(definition) = definition(&family, &preset) else {
            overridden += 1;
            continue;
        };
        if !matches!(definition.origin, Origin::Table(f) if f.key == family) {
            overridden += 1;
            continue;
        }
        let encoding = definition.parts[place].encoding;
        let attr = attr(encoding, Opening::default());
        let name = format!("{family} {preset} {}", definition.parts[place].name);
        // SAFETY: the kit fills this union as config1, and all its parts are plain numbers.
        let attr_config1 = unsafe { attr.__bindgen_anon_3.config1 };
        assert_eq!((attr.type_, attr.config, attr_config1), (kind, config, config1), "{name}");
        assert_eq!((attr.exclude_kernel(), attr.exclude_hv(), attr.exclude_user()), (1, 1, 0), "{name}");
        assert_eq!((attr.exclude_host(), attr.exclude_guest(), attr.exclude_idle()), (0, 0, 0), "{name}");
        assert_eq!((attr.disabled(), attr.precise_ip()), (1, 0), "{name}");
        assert_eq!(attr.size as usize, size_of::<Attr>(), "{name}");
    }
    assert_eq!(families.len(), 16);
    assert!(overridden < published().len() / 4, "{overridden} of PAPI's events are not opened");
}

#[test]
fn a_preset_that_is_not_counted_says_why() {
    let why = definition("amd64_fam17h_zen2", "PAPI_FP_INS").unwrap_err().to_string();
    assert!(why.contains("Zen 2: PAPI's event counts every MMX"), "{why}");
    let why = definition("hsw", "PAPI_FP_OPS").unwrap_err().to_string();
    assert!(why.contains("Intel Haswell: the processor has no floating-point events"), "{why}");
    let why = definition("apple_m3", "PAPI_VEC_INS").unwrap_err().to_string();
    assert!(why.contains("Apple publishes no event table") && why.contains("none of the kernel's"), "{why}");
    let generic = definition("apple_m3", "PAPI_TOT_INS").unwrap();
    assert_eq!(generic.origin, Origin::Generic);
    // Its own events, and the kernel's where they have a counter of their own.
    assert!(matches!(definition("sifive_u74", "PAPI_BR_CN").unwrap().origin, Origin::Kit(_)));
    assert_eq!(definition("sifive_u74", "PAPI_TOT_CYC").unwrap().origin, Origin::Generic);
}
