//! Presets by the kernel's generic events, for processors the map does not
//! know. The kernel's choice of event differs between processors, so figures
//! got this way are for one machine only.

use super::definition::{Definition, Origin};
use super::encoding::{Encoding, Part};
use events::{Formula, Preset, kernel};

/// Preset, the kernel's events that add up to it, and where that is not quite
/// what the preset says.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

const BOTH: &str =
    "read and write misses as the kernel names them; what they include is the processor's choice";
const READS_ONLY: &str =
    "read misses alone, as the kernel names them; on most Arm cores writes count under that name too";
const LAST: &str = "the last level of cache, which is taken for level 3";
const ALL_BRANCHES: &str = "mispredicted branches of every kind, not only conditional ones";
const ACCESSES: &str = "accesses of the level 1 data cache, taken for instructions";
const ARM_WRITES: &str = "on most Arm cores the kernel counts writes under its name for reads too";

/// Several rows of one preset are ways of counting it, the better first.
const ROWS: &[Row] = &[
    ("PAPI_TOT_INS", &["instructions"], &[]),
    ("PAPI_TOT_CYC", &["cycles"], &[]),
    ("PAPI_REF_CYC", &["ref-cycles"], &[]),
    ("PAPI_BR_INS", &["branch-instructions"], &[]),
    ("PAPI_BR_MSP", &["branch-misses"], &[ALL_BRANCHES]),
    ("PAPI_RES_STL", &["stalled-cycles-backend"], &[]),
    ("PAPI_L1_DCM", &["L1-dcache-load-misses", "L1-dcache-store-misses"], &[BOTH]),
    ("PAPI_L1_DCM", &["L1-dcache-load-misses"], &[READS_ONLY]),
    ("PAPI_L1_LDM", &["L1-dcache-load-misses"], &[ARM_WRITES]),
    ("PAPI_L1_STM", &["L1-dcache-store-misses"], &[]),
    ("PAPI_L1_DCR", &["L1-dcache-loads"], &[ARM_WRITES]),
    ("PAPI_L1_DCW", &["L1-dcache-stores"], &[]),
    ("PAPI_L1_DCA", &["L1-dcache-loads", "L1-dcache-stores"], &[ARM_WRITES]),
    ("PAPI_LD_INS", &["L1-dcache-loads"], &[ACCESSES, ARM_WRITES]),
    ("PAPI_SR_INS", &["L1-dcache-stores"], &[ACCESSES]),
    ("PAPI_LST_INS", &["L1-dcache-loads", "L1-dcache-stores"], &[ACCESSES, ARM_WRITES]),
    ("PAPI_L1_ICM", &["L1-icache-load-misses"], &[]),
    ("PAPI_L1_ICR", &["L1-icache-loads"], &[]),
    ("PAPI_L1_ICA", &["L1-icache-loads"], &[]),
    ("PAPI_L3_DCM", &["LLC-load-misses", "LLC-store-misses"], &[BOTH, LAST]),
    ("PAPI_L3_LDM", &["LLC-load-misses"], &[LAST]),
    ("PAPI_L3_STM", &["LLC-store-misses"], &[LAST]),
    ("PAPI_L3_DCR", &["LLC-loads"], &[LAST]),
    ("PAPI_L3_DCW", &["LLC-stores"], &[LAST]),
    ("PAPI_TLB_DM", &["dTLB-load-misses", "dTLB-store-misses"], &[BOTH]),
    ("PAPI_TLB_DM", &["dTLB-load-misses"], &[READS_ONLY]),
    ("PAPI_TLB_IM", &["iTLB-load-misses"], &[]),
];

/// Gives the numbers that the kernel is given for a type and a configuration.
type Encode<'p> = &'p dyn Fn(u32, u64) -> Encoding;

pub(super) fn definitions(preset: Preset, encode: Encode) -> Vec<Definition> {
    let rows = ROWS.iter().filter(|(name, ..)| *name == preset.name());
    rows.map(|(_, events, notes)| Definition {
        origin: Origin::Generic,
        parts: events.iter().filter_map(|name| part(encode, name)).collect(),
        formula: Formula::sum(events.len()),
        notes: notes.to_vec(),
    })
    .collect()
}

fn part(encode: Encode, name: &str) -> Option<Part> {
    let (kind, config) = kernel::lookup(name)?;
    Some(Part { name: name.to_owned(), encoding: encode(kind, config) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_preset_and_events_of_the_kernel() {
        for (preset, events, _) in ROWS {
            assert!(Preset::named(preset).is_some(), "{preset}");
            assert!(events.iter().all(|e| kernel::lookup(e).is_some()), "{preset}");
        }
    }
}
