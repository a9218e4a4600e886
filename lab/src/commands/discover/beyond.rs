//! What `lab discover` finds in addition to the caches: memory bandwidth of this core, how
//! many misses it can have in flight, what its prefetchers fetch, and the cost of a load
//! just after a store to the same address.

use common::discover::Settled;
use common::latency::beyond::{
    Ahead, Bandwidth, Parallelism, Span, bandwidth, forwarding, parallelism, prefetch,
};
use common::system::pages::PageBlock;
use common::units::Bytes;
use serde_json::{Value, json};

/// Where no cache was found, a working set of this size certainly misses.
const UNKNOWN: u64 = 2 << 20;

pub(super) struct Beyond {
    bandwidth: Vec<Bandwidth>,
    parallelism: Result<Parallelism, String>,
    forwarding: Span,
    prefetch: Vec<Ahead>,
}

impl Beyond {
    /// `page`: bytes of a page, if known.
    pub(super) fn measure(mut room: PageBlock, settled: &Settled, page: usize) -> Beyond {
        let levels: Vec<u64> = settled.levels.iter().map(|level| level.found.range.0).collect();
        let line = settled.levels.first().and_then(|level| level.found.line).unwrap_or(64);
        let second = levels.get(1).copied().unwrap_or(UNKNOWN);
        let room_len = room.len() as u64;
        let sizes: Vec<u64> = levels.iter().take(2).map(|size| size / 2).chain([room_len]).collect();
        let words = room.words();
        words.fill(0);
        Beyond {
            bandwidth: bandwidth(words, &sizes),
            forwarding: forwarding(),
            parallelism: parallelism(&mut room, second),
            prefetch: prefetch(&mut room, line as usize, page),
        }
    }

    pub(super) fn json(&self) -> Value {
        let span = |span: &Span| json!({"low": span.low, "high": span.high, "samples": span.samples});
        let reads = self.bandwidth.iter().map(|b| json!({"size": b.size, "gb_per_s": span(&b.rate)}));
        let strides =
            self.prefetch.iter().map(|a| json!({"stride": a.stride, "share": a.share, "fetched": a.fetched}));
        json!({
            "bandwidth": reads.collect::<Vec<_>>(),
            "misses_at_once": self.parallelism.as_ref().ok().map(|p| json!({
                "misses": span(&p.misses),
                "at_least": p.at_least,
                "ns_by_chains": p.scan,
            })),
            "misses_at_once_reason": self.parallelism.as_ref().err(),
            "store_to_load_ns": span(&self.forwarding),
            "prefetch": strides.collect::<Vec<_>>(),
        })
    }

    pub(super) fn text(&self, cycles: impl Fn(f64) -> Option<f64>) -> Vec<String> {
        let reads = self
            .bandwidth
            .iter()
            .map(|b| format!("{} in arrays of {}", range(&b.rate, "GB/s"), Bytes(b.size)))
            .collect::<Vec<_>>()
            .join(", ");
        let overlap = match &self.parallelism {
            Ok(p) => format!(
                "{}{} (by 1 to {} parallel chains of dependent accesses)",
                if p.at_least { "at least " } else { "" },
                range(&p.misses, "on average"),
                p.scan.last().map_or(1, |(chains, _)| *chains)
            ),
            Err(reason) => format!("not identifiable: {reason}"),
        };
        let in_cycles = match (cycles(self.forwarding.low), cycles(self.forwarding.high)) {
            (Some(low), Some(high)) => format!(" = {low:.1} to {high:.1} cycles"),
            _ => String::new(),
        };
        vec![
            format!("Reads by one core: {reads}"),
            format!("Misses in flight: {overlap}"),
            format!(
                "Store to load: from a store to the next store of the same word that depends on it, {}{in_cycles}",
                range(&self.forwarding, "ns")
            ),
            format!("Prefetched: {}", strides(&self.prefetch)),
        ]
    }
}

fn range(span: &Span, unit: &str) -> String {
    let digits = if span.low < 10.0 { 2 } else { 1 };
    format!("{:.digits$} to {:.digits$} {unit}", span.low, span.high)
}

/// Which strides were prefetched, which were not, and which are undecided.
fn strides(all: &[Ahead]) -> String {
    let named = |fetched| {
        let names: Vec<String> = all
            .iter()
            .filter(|one| one.fetched == fetched)
            .map(|one| {
                format!("{}{}", if one.stride < 0 { "-" } else { "" }, Bytes(one.stride.unsigned_abs()))
            })
            .collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    format!(
        "strides of {}; not: {}; unknown: {} (each compared with the same lines in random order)",
        named(Some(true)),
        named(Some(false)),
        named(None)
    )
}
