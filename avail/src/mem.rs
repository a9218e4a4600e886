//! Caches and TLBs, from two sources, and where these disagree.

use common::failure::Failure;
use common::system::facts::{self, CacheKind, Facts, Sharers, cpuid};
use common::system::pages;
use common::units::Bytes;
use serde::Serialize;

use crate::args::Format;
use crate::page::{Page, json};

#[derive(Debug, Serialize)]
struct Memory {
    caches: Vec<Cache>,
    tlbs: Vec<Tlb>,
    page_size: u64,
    /// Whether the sources agree, and descriptions that are impossible or missing.
    remarks: Vec<String>,
}

/// A cache; 0 is what its source does not report.
#[derive(Debug, Serialize)]
struct Cache {
    name: String,
    source: &'static str,
    size: u64,
    line: u64,
    ways: u64,
    sets: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_by: Option<String>,
}

#[derive(Debug, Serialize)]
struct Tlb {
    name: String,
    entries: u64,
    /// 0: fully associative.
    ways: u64,
}

impl Cache {
    fn of(described: &facts::Cache) -> Cache {
        let kind = match described.kind {
            CacheKind::Data => "d",
            CacheKind::Instruction => "i",
            CacheKind::Unified => "",
        };
        Cache {
            name: format!("L{}{kind}", described.level),
            source: described.teller.name(),
            size: described.size.0,
            line: described.line.0,
            ways: described.ways.unwrap_or(0),
            sets: described.sets.unwrap_or(0),
            shared_by: match &described.shared_by {
                Some(Sharers::Listed(list)) => Some(list.clone()),
                _ => None,
            },
        }
    }

    fn geometry(&self) -> String {
        let number = |number: u64| if number == 0 { "?".to_owned() } else { number.to_string() };
        let (ways, line, sets) = (number(self.ways), number(self.line), number(self.sets));
        let size = if self.size == 0 { "? B".to_owned() } else { Bytes(self.size).to_string() };
        format!("{size} {ways}-way, {line} B lines, {sets} sets")
    }

    /// Whether all values that both sources report are equal.
    fn agrees(&self, other: &Cache) -> bool {
        [(self.size, other.size), (self.line, other.line), (self.ways, other.ways)]
            .into_iter()
            .all(|(a, b)| a == b || a == 0 || b == 0)
    }
}

/// Where the system's caches differ from the processor's own description, and the `faults` of both.
fn compared(system: &[Cache], own: &[Cache], faults: Vec<String>) -> Vec<String> {
    let difference = |a: &Cache| {
        let b = own.iter().find(|b| a.name == b.name && !a.agrees(b))?;
        Some(format!("{}: {} says {}, cpuid says {}", a.name, a.source, a.geometry(), b.geometry()))
    };
    let mut lines: Vec<String> = system.iter().filter_map(difference).collect();
    lines.extend(faults.into_iter().map(|fault| fault + "."));
    let sources = match (system.first(), own.is_empty()) {
        (None, _) => "The system does not describe the caches; cpuid alone was read.".to_owned(),
        (Some(first), true) => {
            format!(
                "The processor does not describe its caches to programs; {} alone was read.",
                first.source
            )
        }
        (Some(first), false) if lines.is_empty() => format!("{} and cpuid agree.", first.source),
        _ => return lines,
    };
    lines.push(sources);
    lines
}

pub(crate) fn print(format: Format) -> Result<(), Failure> {
    let facts = Facts::of_host();
    let [system, own] =
        [&facts.caches, &facts.described].map(|all| all.iter().map(Cache::of).collect::<Vec<_>>());
    let tlb = |t: &cpuid::Tlb| Tlb { name: t.name.clone(), entries: t.entries, ways: t.ways };
    let tlbs: Vec<Tlb> = facts.tlbs.iter().map(tlb).collect();
    if system.is_empty() && own.is_empty() && tlbs.is_empty() {
        return Err(Failure::could_not(
            "neither the system nor the processor describes the caches of this machine; measure them with cm1",
        ));
    }
    let remarks = compared(&system, &own, facts.faults());
    let caches = system.into_iter().chain(own).collect();
    let memory = Memory { caches, tlbs, page_size: pages::base().0, remarks };
    match format {
        Format::Json => json(&memory),
        Format::Text => memory.page().print(),
    }
}

impl Memory {
    fn page(&self) -> Page {
        let mut page = Page::default();
        page.say("Memory Cache and TLB Hierarchy Information.");
        page.rule();
        for cache in &self.caches {
            let shared = cache.shared_by.as_ref().map_or(String::new(), |cpus| format!(", CPUs {cpus}"));
            page.say(format_args!("{:<4} {:<6} {}{shared}", cache.name, cache.source, cache.geometry()));
        }
        for tlb in &self.tlbs {
            let ways = if tlb.ways == 0 { "fully associative".into() } else { format!("{}-way", tlb.ways) };
            page.say(format_args!("TLB  cpuid  {}: {} entries, {ways}", tlb.name, tlb.entries));
        }
        page.say(format_args!("Page size {}", Bytes(self.page_size)));
        page.rule();
        self.remarks.iter().for_each(|line| page.say(line));
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_compared_only_where_both_report_a_value() {
        let cache = |source, size| {
            let name = "L1d".to_owned();
            Cache { name, source, size, line: 64, ways: 8, sets: 64, shared_by: None }
        };
        let system = [cache("sysfs", 32768)];
        for (system, own, line) in [
            (&system[..0], &[cache("cpuid", 32768)][..], "The system does not describe the caches"),
            (&system, &[], "The processor does not describe its caches to programs; sysfs alone"),
            (&system, &[cache("cpuid", 32768)], "sysfs and cpuid agree."),
            (&system, &[cache("cpuid", 0)], "sysfs and cpuid agree."),
            (
                &system,
                &[cache("cpuid", 49152)],
                "L1d: sysfs says 32 KiB 8-way, 64 B lines, 64 sets, cpuid says 48",
            ),
        ] {
            let lines = compared(system, own, Vec::new());
            assert!(lines.len() == 1 && lines[0].starts_with(line), "{lines:?}");
        }
        let fault = vec!["L2: sysfs does not say its size".to_owned()];
        assert_eq!(compared(&system, &[cache("cpuid", 32768)], fault), ["L2: sysfs does not say its size."]);
    }
}
