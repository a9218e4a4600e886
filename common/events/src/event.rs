//! Something that can be counted.

use std::fmt;

use figures::text::edit_distance;
use serde::{Deserialize, Serialize};

use crate::kernel;
use crate::native::{EventError, Native};
use crate::preset::Preset;

/// Something that can be counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Event {
    /// One of PAPI's 110 presets; its native events depend on the processor.
    Preset(Preset),
    /// An event of this machine.
    Native(Native),
}

impl Event {
    /// Level 1 data cache misses.
    pub const L1_DCM: Event = Event::numbered(0x00);
    /// Level 2 data cache misses.
    pub const L2_DCM: Event = Event::numbered(0x02);
    /// Data TLB misses.
    pub const TLB_DM: Event = Event::numbered(0x14);
    /// Level 1 load misses.
    pub const L1_LDM: Event = Event::numbered(0x17);
    /// Completed instructions.
    pub const TOT_INS: Event = Event::numbered(0x32);
    /// Floating-point instructions.
    pub const FP_INS: Event = Event::numbered(0x34);
    /// Load instructions.
    pub const LD_INS: Event = Event::numbered(0x35);
    /// Store instructions.
    pub const SR_INS: Event = Event::numbered(0x36);
    /// Load and store instructions.
    pub const LST_INS: Event = Event::numbered(0x3c);
    /// Unhalted cycles of the core.
    pub const TOT_CYC: Event = Event::numbered(0x3b);
    /// Floating-point operations.
    pub const FP_OPS: Event = Event::numbered(0x66);

    const fn numbered(number: u8) -> Event {
        Event::Preset(Preset::numbered(number))
    }

    /// Reads a preset's name, `pmu/term=value/`, `rNNNN`, or a name known to the
    /// kernel.
    /// Fails if the text names no event.
    pub fn parse(text: &str) -> Result<Event, EventError> {
        Event::parse_with(text, |_| false)
    }

    /// The same, and names that a PMU of this machine has, according to `in_sysfs`.
    /// Fails if the text names no event.
    pub fn parse_with(text: &str, in_sysfs: impl Fn(&str) -> bool) -> Result<Event, EventError> {
        let text = text.trim();
        if let Some(preset) = Preset::named(text) {
            return Ok(Event::Preset(preset));
        }
        match Native::parse(text, in_sysfs)? {
            Some(native) => Ok(Event::Native(native)),
            None => Err(EventError::Unknown { name: text.to_owned(), close: close_to(text) }),
        }
    }

    /// The 110 presets, in the order of their codes.
    pub fn presets() -> impl Iterator<Item = Event> {
        Preset::all().map(Event::Preset)
    }

    /// As it is written: `PAPI_L1_DCM`, `cpu/event=0x3c/`.
    pub fn name(&self) -> &str {
        match self {
            Event::Preset(preset) => preset.name(),
            Event::Native(native) => native.text(),
        }
    }

    /// What is counted, in a few words.
    pub fn description(&self) -> &'static str {
        match self {
            Event::Preset(preset) => preset.description(),
            Event::Native(native) => native.description(),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl TryFrom<String> for Event {
    type Error = EventError;

    fn try_from(text: String) -> Result<Event, EventError> {
        // A record may come from another machine, whose sysfs had the name.
        Event::parse_with(&text, |_| true)
    }
}

impl From<Event> for String {
    fn from(event: Event) -> String {
        event.name().to_owned()
    }
}

/// At most three known names that `text` may have meant, the closest first.
fn close_to(text: &str) -> Vec<String> {
    let wanted = text.to_uppercase();
    if wanted.len() < 3 || wanted.len() > 60 {
        return Vec::new();
    }
    let most = 1 + wanted.len() / 6;
    let distance = |name: &str| {
        let reachable = name.chars().count().abs_diff(wanted.chars().count()) <= most;
        reachable.then(|| edit_distance(&wanted, name)).filter(|far| *far <= most)
    };
    let presets = Preset::all().map(|p| p.name().to_owned());
    let mut near: Vec<(usize, String)> = presets
        .chain(kernel::names())
        .filter_map(|name| {
            let upper = name.to_uppercase();
            let tail = upper.strip_prefix("PAPI_").unwrap_or(&upper);
            [&*upper, tail].into_iter().filter_map(distance).min().map(|far| (far, name))
        })
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_presets_are_what_they_say() {
        for (event, name) in [
            (Event::L1_DCM, "L1_DCM"),
            (Event::L2_DCM, "L2_DCM"),
            (Event::TLB_DM, "TLB_DM"),
            (Event::TOT_INS, "TOT_INS"),
            (Event::FP_INS, "FP_INS"),
            (Event::LD_INS, "LD_INS"),
            (Event::SR_INS, "SR_INS"),
            (Event::LST_INS, "LST_INS"),
            (Event::L1_LDM, "L1_LDM"),
            (Event::TOT_CYC, "TOT_CYC"),
            (Event::FP_OPS, "FP_OPS"),
        ] {
            assert_eq!(Event::parse(&format!("PAPI_{name}")), Ok(event));
        }
        assert_eq!(Event::presets().count(), 110);
        assert_eq!(Event::parse(" papi_l1_dcm "), Ok(Event::L1_DCM));
    }

    #[test]
    fn an_unknown_name_suggests_the_one_that_was_meant() {
        for (given, meant) in [
            ("PAPI_L1_DMC", "PAPI_L1_DCM"),
            ("L1_DCM", "PAPI_L1_DCM"),
            ("PAPI_TOTINS", "PAPI_TOT_INS"),
            ("instruction", "instructions"),
            ("L1-dcache-load-miss", "L1-dcache-load-misses"),
        ] {
            let error = Event::parse(given).unwrap_err().to_string();
            assert!(error.contains(&format!("'{given}'")) && error.contains(meant), "{error}");
        }
        for nonsense in ["", "completely different"] {
            let error = Event::parse(nonsense).unwrap_err().to_string();
            assert!(error.contains("avail -a"), "{error}");
        }
    }

    #[test]
    fn a_record_retains_events_of_other_machines() {
        let text = serde_json::to_string(&vec![Event::L1_DCM]).unwrap();
        assert_eq!(text, r#"["PAPI_L1_DCM"]"#);
        let events: Vec<Event> =
            serde_json::from_str(r#"["PAPI_TOT_CYC","r1a8","topdown-retiring"]"#).unwrap();
        assert_eq!(events[0], Event::TOT_CYC);
        assert_eq!(events[2].name(), "topdown-retiring");
    }
}
