//! What was found, as JSON and as a chart.

use chart::{Axis, Chart};
use common::machine::Machine;
use discover::{Exploration, Plateau};
use latency::Translation;
use serde_json::{Value, json};

use crate::policy::PolicyFound;

/// The findings, and the conditions of the experiments.
pub struct Findings {
    /// The levels, and what several experiments show of each.
    pub settled: Exploration,
    /// Which line of a full L1 set is evicted, or why that is not reported.
    pub(crate) policy: Result<PolicyFound, String>,
    pub(crate) translation: Option<Translation>,
    /// Bytes of the largest level that the system reports or the description has.
    pub(crate) largest: Option<u64>,
    pub(crate) batches: (usize, usize),
    pub(crate) huge: bool,
    /// Whether the TLB splits huge pages into smaller ones.
    pub(crate) split: bool,
    pub(crate) clock: Option<(f64, f64)>,
    pub(crate) source: &'static str,
}

impl Findings {
    pub(crate) fn cycles(&self, nanos: f64) -> Option<f64> {
        self.clock.map(|(before, _)| nanos * 1e-9 * before)
    }

    /// What memory costs, if it was reached.
    pub(crate) fn memory(&self) -> Option<Plateau> {
        self.settled.beyond.filter(|beyond| beyond.is_memory(self.largest))
    }

    /// Bytes of the largest working set that was measured.
    pub(crate) fn looked_at(&self) -> Option<u64> {
        self.settled.scan.last().map(|point| point.0)
    }

    pub(crate) fn drift(&self) -> Option<f64> {
        self.clock.map(|(before, after)| (after / before - 1.0).abs())
    }

    /// The findings as one object, with what the system reports of the `known` machine.
    pub fn json(&self, known: Option<&Machine>) -> Value {
        let levels: Vec<Value> = self
            .settled
            .levels
            .iter()
            .map(|l| {
                json!({
                    "level": l.level,
                    "size": l.exact_size(),
                    "size_low": l.range.0,
                    "size_high": Some(l.range.1).filter(|high| *high < u64::MAX),
                    "line": l.line,
                    "ways": l.ways.as_ref().ok(),
                    "ways_reason": l.ways.as_ref().err(),
                    "latency_ns": l.latency,
                    "latency_ns_low": l.latencies.0,
                    "latency_ns_high": l.latencies.1,
                    "latency_cycles": self.cycles(l.latency),
                    "penalty_ns": l.penalty,
                    "confidence": l.confidence,
                    "runs_that_agree": l.agree,
                    "runs": self.settled.runs,
                    "why": l.why,
                    "system_says": reported_by_system(known, l.level).map(|(size, line, ways)| json!({"size": size, "line": line, "ways": ways})),
                })
            })
            .collect();
        json!({
            "levels": levels,
            "first_level_only": self.settled.first_only,
            "beyond_ns": self.memory().map(|memory| memory.cost),
            "largest_working_set": self.looked_at(),
            "l1_replacement": self.policy.as_ref().ok().map(|p| json!({
                "names": p.names,
                "odds": p.odds,
                "misses_off": p.off,
                "sequences": p.sequences,
                "confidence": p.confidence,
            })),
            "l1_replacement_reason": self.policy.as_ref().err(),
            "tlb": self.translation.as_ref().map(|t| json!({
                "entries_low": t.entries.map(|e| e.0),
                "entries_high": t.entries.map(|e| e.1),
                "second_level_low": t.second.map(|e| e.0),
                "second_level_high": t.second.map(|e| e.1),
                "page_walk_ns": t.walk,
            })),
            "source": self.source,
            "huge_pages": self.huge,
            "huge_pages_split": self.split,
            "batches_kept": self.batches.0,
            "batches_dropped": self.batches.1,
            "clock_hz": self.clock.map(|c| c.0),
            "clock_drift": self.drift(),
        })
    }

    pub(crate) fn chart(&self) -> Chart {
        let points = |scan: &[(u64, f64)]| scan.iter().map(|p| (p.0 as f64, p.1)).collect::<Vec<_>>();
        let mut chart = Chart::new(
            "Time of dependent accesses by working set",
            Axis::bytes("working set"),
            Axis::log("ns per access"),
        )
        .caption(format!("Random order, one access per line; source: {}.", self.source))
        .curve("all levels", points(&self.settled.scan));
        let [smallest, largest] =
            [self.settled.scan.first(), self.settled.scan.last()].map(|end| end.map_or(0, |point| point.0));
        for l in &self.settled.levels {
            chart = chart.curve(format!("near the end of L{}", l.level), points(&l.knee));
            let name = format!("L{} {}", l.level, l.size_text());
            let (low, high) = (l.range.0.max(smallest), l.range.1.min(largest));
            chart = chart.mark(low as f64, high as f64, name);
        }
        chart
    }
}

/// What the system reports for a level: size, line, ways.
pub(crate) fn reported_by_system(known: Option<&Machine>, level: usize) -> Option<(u64, u64, usize)> {
    let cache = known?.level(u8::try_from(level).ok()?)?;
    Some((cache.size.0, cache.line.0, cache.ways))
}
