//! Presets counted by the kernel's generic events, for processors that the map does not
//! know. The kernel's choice of event differs between processors, so these figures cannot
//! be compared between machines.

use std::sync::LazyLock;

use super::{Formula, Preset, kernel};

/// A way of counting a preset.
#[derive(Debug, Clone, PartialEq)]
pub struct Generic {
    preset: Preset,
    /// The kernel's events, by its names, types and configs.
    pub events: Vec<(&'static str, u32, u64)>,
    /// How the preset follows from them.
    pub formula: Formula,
    /// Where that differs from the preset's definition; empty if it does not.
    pub includes: &'static str,
}

/// Columns: preset, the kernel's events that add up to it, what they include.
/// Several rows of one preset are ways of counting it, the better first.
pub(crate) const TEXT: &str = include_str!("generic.csv");

static ROWS: LazyLock<Vec<Generic>> = LazyLock::new(|| TEXT.lines().skip(1).filter_map(row).collect());

fn row(line: &'static str) -> Option<Generic> {
    let mut fields = line.splitn(3, ',');
    let preset = Preset::named(fields.next()?)?;
    let event = |name| kernel::lookup(name).map(|(kind, config)| (name, kind, config));
    let events: Vec<_> = fields.next()?.split(' ').map(event).collect::<Option<_>>()?;
    Some(Generic { preset, formula: Formula::sum(events.len()), events, includes: fields.next()? })
}

/// The ways of counting `preset`, the better first; empty if the kernel has no generic
/// event for it.
pub fn ways(preset: Preset) -> impl Iterator<Item = &'static Generic> {
    ROWS.iter().filter(move |row| row.preset == preset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_preset_and_events_of_the_kernel() {
        assert_eq!(ROWS.len(), TEXT.lines().count() - 1);
        let misses: Vec<_> = Preset::named("PAPI_L1_DCM").into_iter().flat_map(ways).collect();
        assert_eq!(misses[0].events[0], ("L1-dcache-load-misses", kernel::HW_CACHE, 0x10000));
        assert_eq!((misses.len(), misses[0].events.len(), misses[1].events.len()), (2, 2, 1));
        assert_eq!(Preset::named("PAPI_FP_OPS").into_iter().flat_map(ways).count(), 0);
    }
}
