//! What native events include without saying so.

use super::{Derivation, Preset};

/// How an event's name shows that a note holds for it.
enum Mark {
    Starts(&'static str),
    Contains(&'static str),
}

use Mark::{Contains, Starts};

/// From the makers' manuals and their errata.
const NOTES: &[(Mark, &str)] = &[
    (
        Starts("L1D:REPLACEMENT"),
        "lines brought into the cache, by loads, stores and the level 1 prefetchers alike",
    ),
    (
        Starts("ix86arch::LLC_"),
        "requests that went past level 2, those of the hardware prefetchers among them: the figure can exceed the \
         program's own accesses",
    ),
    (Starts("OFFCORE_REQUESTS:DATA_RD"), "reads that left level 2, those of the prefetchers among them"),
    (Starts("OFFCORE_REQUESTS:ALL_DATA_RD"), "reads that left level 2, those of the prefetchers among them"),
    (
        Starts("OFFCORE_RESPONSE"),
        "requests of every kind that left level 2, those of the prefetchers among them",
    ),
    (Starts("L2_RQSTS:ALL_DEMAND"), "the program's own requests, without prefetches"),
    (Starts("MEM_UOPS_RETIRED"), "retired work only: wrong guesses do not count"),
    (Starts("MEM_INST_RETIRED"), "retired work only: wrong guesses do not count"),
    (Starts("FP_ARITH"), "a fused multiply-add counts twice; masked lanes count as well"),
    (Starts("RETIRED_SSE_AVX"), "operations, vector lanes counted; a fused multiply-add counts as two"),
    (Starts("REQUESTS_TO_L2_GROUP1"), "requests of level 1 to level 2, those of its prefetchers among them"),
    (
        Starts("CORE_TO_L2_CACHEABLE_REQUEST"),
        "level 1's requests that missed level 2; level 2's own prefetches are left out",
    ),
    (Starts("L1_DTLB_MISS"), "misses of the first TLB level, most of which the second serves at little cost"),
    (Starts("DTLB_LOAD_MISSES"), "misses that caused a walk of the page table"),
    (Starts("L1D_CACHE_REFILL"), "refills by loads, stores and prefetches, also on behalf of wrong guesses"),
    (Starts("L1D_READ_REFILL"), "refills, also on behalf of wrong guesses"),
    (Starts("L2D_CACHE_REFILL"), "refills of level 2 for data and instructions, prefetches among them"),
    (Starts("DATA_MEM_READ_ACCESS"), "accesses rather than instructions, also on behalf of wrong guesses"),
    (
        Contains("_SPEC"),
        "operations executed on speculation: wrong guesses that are thrown away count as well",
    ),
    (
        Contains("SPEC_EXEC"),
        "operations executed on speculation: wrong guesses that are thrown away count as well",
    ),
];

/// What holds for a native event of that name.
pub fn of_native(name: &str) -> impl Iterator<Item = &'static str> {
    let holds = move |mark: &Mark| match mark {
        Starts(text) => name.starts_with(text),
        Contains(text) => name.contains(text),
    };
    NOTES.iter().filter(move |(mark, _)| holds(mark)).map(|(_, note)| *note)
}

/// Presets that count what the program's text says, on any machine whose
/// compiler made the same instructions.
const ARCHITECTURAL: &[&str] =
    &["PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_LST_INS", "PAPI_BR_INS", "PAPI_BR_CN"];

/// Whether a preset's figures can be set beside those of another machine.
pub fn comparable(preset: Preset, derivation: Derivation, noted: bool, generic: bool) -> &'static str {
    if generic {
        return "on this machine only: the kernel chose the event behind its generic name";
    }
    match (ARCHITECTURAL.contains(&preset.name()), noted) {
        (true, false) => "between machines that run the same instructions",
        (true, true) => "roughly, between machines that run the same instructions: see what it includes",
        (false, true) => "within one processor family only: others include different things",
        (false, false) if derivation != Derivation::Direct => {
            "within one processor family only: it is derived from that family's events"
        }
        (false, false) => {
            "within one processor family; elsewhere only where the event's definition is the same"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefetches_and_speculation_are_told() {
        assert!(of_native("ix86arch::LLC_REFERENCES").any(|n| n.contains("prefetch")));
        assert!(of_native("LD_SPEC").any(|n| n.contains("speculation")));
        assert_eq!(of_native("INST_RETIRED").count(), 0);
    }
}
