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
    disagreements: Vec<String>,
    /// Descriptions that are impossible or missing.
    faults: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Cache {
    level: u8,
    kind: &'static str,
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
    source: &'static str,
}

impl Cache {
    fn of(told: &facts::Cache) -> Cache {
        Cache {
            level: told.level,
            kind: match told.kind {
                CacheKind::Data => "Data",
                CacheKind::Instruction => "Instruction",
                CacheKind::Unified => "Unified",
            },
            source: told.teller.name(),
            size: told.size.0,
            line: told.line.0,
            ways: told.ways.unwrap_or(0),
            sets: told.sets.unwrap_or(0),
            shared_by: match &told.shared_by {
                Some(Sharers::Listed(list)) => Some(list.clone()),
                _ => None,
            },
        }
    }
}

impl Cache {
    fn name(&self) -> String {
        let kind = match self.kind {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        format!("L{}{kind}", self.level)
    }

    fn geometry(&self) -> String {
        let told = |number: u64| if number == 0 { "?".to_owned() } else { number.to_string() };
        let (ways, line, sets) = (told(self.ways), told(self.line), told(self.sets));
        let size = if self.size == 0 { "? B".to_owned() } else { Bytes(self.size).to_string() };
        format!("{size} {ways}-way, {line} B lines, {sets} sets")
    }

    fn same_place(&self, other: &Cache) -> bool {
        self.level == other.level && self.kind == other.kind
    }

    fn figures(&self) -> [u64; 3] {
        [self.size, self.line, self.ways]
    }

    /// Whether all values that both sources report are equal.
    fn agrees(&self, other: &Cache) -> bool {
        self.figures().into_iter().zip(other.figures()).all(|(a, b)| a == b || a == 0 || b == 0)
    }

    fn is_complete(&self) -> bool {
        self.figures().into_iter().all(|figure| figure > 0)
    }
}

/// The differences between the system's and the processor's values.
fn disagreements(system: &[Cache], own: &[Cache]) -> Vec<String> {
    let differs = |a: &Cache| {
        let b = own.iter().find(|b| a.same_place(b))?;
        let told = || {
            format!("{}: {} says {}, {} says {}", a.name(), a.source, a.geometry(), b.source, b.geometry())
        };
        (!a.agrees(b)).then(told)
    };
    system.iter().filter_map(differs).collect()
}

/// The results of the comparison, one line each.
fn verdict(caches: &[Cache], disagreements: &[String]) -> Vec<String> {
    let by_cpuid = |cache: &&Cache| cache.source == "cpuid";
    let (own, system): (Vec<_>, Vec<_>) = caches.iter().partition(by_cpuid);
    match (system.first(), own.is_empty()) {
        (None, _) => vec!["The system does not describe the caches; cpuid alone was read.".to_owned()],
        (Some(told), true) => {
            vec![format!(
                "The processor does not describe its caches to programs; {} alone was read.",
                told.source
            )]
        }
        (Some(told), false) => {
            let mut lines = disagreements.to_vec();
            lines.extend(agreement(told.source, &system, &own));
            lines
        }
    }
}

/// What two sources agree on, and what only one of them reports.
fn agreement(source: &str, system: &[&Cache], own: &[&Cache]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut agreed = Vec::new();
    for told in system {
        match own.iter().find(|other| told.same_place(other)) {
            None => lines.push(format!("{}: only {source} describes it.", told.name())),
            Some(other) if !told.is_complete() || !other.is_complete() => {
                let silent = if told.is_complete() { "cpuid" } else { source };
                lines.push(format!("{}: {silent} does not say all of size, line and ways.", told.name()));
            }
            Some(other) if told.agrees(other) => agreed.push(told.name()),
            Some(_) => {}
        }
    }
    for other in own.iter().filter(|other| !system.iter().any(|told| told.same_place(other))) {
        lines.push(format!("{}: only cpuid describes it.", other.name()));
    }
    if agreed.len() == system.len() && system.len() == own.len() {
        lines.push(format!("{source} and cpuid agree."));
    } else if !agreed.is_empty() {
        lines.push(format!("{source} and cpuid agree on {}.", agreed.join(", ")));
    }
    lines
}

pub(crate) fn print(format: Format) -> Result<(), Failure> {
    let facts = Facts::of_host();
    let told: Vec<Cache> = facts.caches.iter().map(Cache::of).collect();
    let own: Vec<Cache> = facts.described.iter().map(Cache::of).collect();
    let disagreements = disagreements(&told, &own);
    let caches: Vec<Cache> = told.into_iter().chain(own).collect();
    let tlb = |t: cpuid::Tlb| Tlb { name: t.name, entries: t.entries, ways: t.ways, source: "cpuid" };
    let tlbs: Vec<Tlb> = cpuid::tlbs().into_iter().map(tlb).collect();
    if caches.is_empty() && tlbs.is_empty() {
        return Err(Failure::could_not(
            "neither the system nor the processor describes the caches of this machine; measure them with cm1",
        ));
    }
    let page_size = pages::base().0;
    let memory = Memory { caches, tlbs, page_size, disagreements, faults: facts.faults() };
    if format == Format::Json {
        return json(&memory);
    }
    memory.page().print()
}

impl Memory {
    fn page(&self) -> Page {
        let mut page = Page::default();
        page.say("Memory Cache and TLB Hierarchy Information.");
        page.rule();
        for cache in &self.caches {
            let shared = cache.shared_by.as_ref().map_or(String::new(), |cpus| format!(", CPUs {cpus}"));
            page.say(format_args!("{:<4} {:<6} {}{shared}", cache.name(), cache.source, cache.geometry()));
        }
        for tlb in &self.tlbs {
            let ways = if tlb.ways == 0 { "fully associative".into() } else { format!("{}-way", tlb.ways) };
            page.say(format_args!("TLB  {:<6} {}: {} entries, {ways}", tlb.source, tlb.name, tlb.entries));
        }
        page.say(format_args!("Page size {}", Bytes(self.page_size)));
        page.rule();
        verdict(&self.caches, &self.disagreements).iter().for_each(|line| page.say(line));
        self.faults.iter().for_each(|fault| page.say(format_args!("{fault}.")));
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(source: &'static str, size: u64) -> Cache {
        Cache { level: 1, kind: "Data", source, size, line: 64, ways: 8, sets: 64, shared_by: None }
    }

    #[test]
    fn sources_are_compared_only_where_both_report_a_value() {
        let told = |caches: &[Cache]| {
            let (own, system): (Vec<Cache>, Vec<Cache>) = caches
                .iter()
                .map(|c| Cache { level: c.level, ..cache(c.source, c.size) })
                .partition(|c| c.source == "cpuid");
            verdict(caches, &disagreements(&system, &own)).join("\n")
        };
        let (sysfs, cpuid) = (cache("sysfs", 32768), cache("cpuid", 32768));
        assert_eq!(told(&[cpuid]), "The system does not describe the caches; cpuid alone was read.");
        assert!(told(&[sysfs]).ends_with("sysfs alone was read."));
        assert_eq!(told(&[cache("sysfs", 32768), cache("cpuid", 32768)]), "sysfs and cpuid agree.");
        let second = |source, size| Cache { level: 2, ..cache(source, size) };
        let both = [cache("sysfs", 32768), cache("cpuid", 32768)];
        for (more, line) in [
            (vec![second("cpuid", 1 << 20)], "L2d: only cpuid describes it.\nsysfs and cpuid agree on L1d."),
            (vec![second("sysfs", 1 << 20)], "L2d: only sysfs describes it.\nsysfs and cpuid agree on L1d."),
            (
                vec![second("sysfs", 0), second("cpuid", 1 << 20)],
                "L2d: sysfs does not say all of size, line and ways.\nsysfs and cpuid agree on L1d.",
            ),
        ] {
            let caches: Vec<Cache> = both
                .iter()
                .chain(&more)
                .map(|c| Cache { level: c.level, ..cache(c.source, c.size) })
                .collect();
            assert_eq!(told(&caches), line);
        }
        let differ = told(&[cache("sysfs", 32768), cache("cpuid", 49152)]);
        assert!(
            differ.starts_with("L1d: sysfs says 32 KiB 8-way") && differ.contains("cpuid says 48 KiB"),
            "{differ}"
        );
    }
}
