//! The 110 preset events of PAPI: the names the course texts use.

use std::sync::LazyLock;

/// A preset event, by its number; its code is `0x80000000` plus that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Preset(u8);

/// What the event of a cache level counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheEvent {
    /// Data misses (`DCM`).
    Misses,
    /// Data accesses (`DCA`).
    Accesses,
    /// Data hits (`DCH`).
    Hits,
    /// Data reads (`DCR`).
    Reads,
    /// Data writes (`DCW`).
    Writes,
    /// Load misses (`LDM`).
    LoadMisses,
    /// Store misses (`STM`).
    StoreMisses,
    /// An event of instructions, alone (`IC.`) or together with data (`TC.`).
    Instructions,
}

struct Row {
    name: &'static str,
    long: &'static str,
}

/// Columns: code, name, short and long description; no field is quoted.
static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = include_str!("presets.csv").lines().skip(1);
    rows.filter_map(|line| {
        let mut fields = line.splitn(4, ',');
        Some(Row { name: fields.nth(1)?, long: fields.nth(1)? })
    })
    .collect()
});

impl Preset {
    /// How many presets there are.
    pub const COUNT: u8 = 110;

    pub(crate) const fn numbered(number: u8) -> Preset {
        assert!(number < Preset::COUNT);
        Preset(number)
    }

    /// All of them, in the order of their codes.
    pub fn all() -> impl Iterator<Item = Preset> {
        (0..Preset::COUNT).map(Preset)
    }

    /// The preset called `name`, as in `PAPI_L1_DCM`; case does not matter.
    pub fn named(name: &str) -> Option<Preset> {
        Preset::all().find(|p| p.name().eq_ignore_ascii_case(name))
    }

    /// Level and kind of an event of the caches; `None` for other events.
    pub fn cache_event(self) -> Option<(u8, CacheEvent)> {
        let (level, what) = self.name().strip_prefix("PAPI_L")?.split_once('_')?;
        let what = match what {
            "DCM" => CacheEvent::Misses,
            "DCA" => CacheEvent::Accesses,
            "DCH" => CacheEvent::Hits,
            "DCR" => CacheEvent::Reads,
            "DCW" => CacheEvent::Writes,
            "LDM" => CacheEvent::LoadMisses,
            "STM" => CacheEvent::StoreMisses,
            _ => CacheEvent::Instructions,
        };
        Some((level.parse().ok()?, what))
    }

    fn row(self) -> &'static Row {
        &TABLE[usize::from(self.0)]
    }

    /// Its name, for example `PAPI_L1_DCM`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// PAPI's code, for example `0x80000000`.
    pub fn code(self) -> u32 {
        0x8000_0000 + u32::from(self.0)
    }

    /// The long description.
    pub fn description(self) -> &'static str {
        self.row().long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete_and_its_codes_are_its_row_numbers() {
        assert_eq!(TABLE.len(), usize::from(Preset::COUNT));
        for (line, preset) in include_str!("presets.csv").lines().skip(1).zip(Preset::all()) {
            let code = line.split(',').next().unwrap().trim_start_matches("0x");
            assert_eq!(u32::from_str_radix(code, 16).unwrap(), preset.code(), "{line}");
            assert_eq!(line.split(',').count(), 4, "{line}");
        }
    }

    #[test]
    fn events_of_the_caches_are_sorted_by_level() {
        let of = |name| Preset::named(name).unwrap().cache_event();
        assert_eq!(of("PAPI_L1_DCM"), Some((1, CacheEvent::Misses)));
        assert_eq!(of("PAPI_L3_STM"), Some((3, CacheEvent::StoreMisses)));
        assert_eq!(of("PAPI_LD_INS"), None);
    }
}
