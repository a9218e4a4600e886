//! Caches and TLBs, from two sources, and where they disagree.

use std::fs;

use common::failure::Failure;
use common::units::Bytes;
use serde::Serialize;

use crate::args::{Format, json, rule};
use crate::cpuid::{self, Described};

#[derive(Debug, Serialize)]
struct Memory {
    caches: Vec<Cache>,
    tlbs: Vec<Tlb>,
    page_size: u64,
    disagreements: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Cache {
    level: u64,
    kind: String,
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

fn sysfs() -> Vec<Cache> {
    let cache = |index: usize| -> Option<Cache> {
        let word = |file: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}");
            fs::read_to_string(path).ok().map(|t| t.trim().to_owned())
        };
        let number = |file: &str| word(file)?.parse::<u64>().ok();
        let size: Bytes = word("size")?.parse().ok()?;
        Some(Cache {
            level: number("level")?,
            kind: word("type")?,
            source: "sysfs",
            size: size.0,
            line: number("coherency_line_size").unwrap_or(0),
            ways: number("ways_of_associativity").unwrap_or(0),
            sets: number("number_of_sets").unwrap_or(0),
            shared_by: word("shared_cpu_list"),
        })
    };
    (0..16).filter_map(cache).collect()
}

fn cpuid_caches() -> Vec<Cache> {
    let cache = |d: Described| Cache {
        level: d.level,
        kind: d.kind.into(),
        source: "cpuid",
        size: d.size,
        line: d.line,
        ways: d.ways,
        sets: d.size / (d.line * d.ways),
        shared_by: None,
    };
    cpuid::caches().into_iter().map(cache).collect()
}

impl Cache {
    fn name(&self) -> String {
        let kind = match self.kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        format!("L{}{kind}", self.level)
    }

    fn geometry(&self) -> String {
        format!("{} {}-way, {} B lines, {} sets", Bytes(self.size), self.ways, self.line, self.sets)
    }

    fn same_place(&self, other: &Cache) -> bool {
        self.level == other.level && self.kind == other.kind
    }

    fn same_geometry(&self, other: &Cache) -> bool {
        (self.size, self.line, self.ways) == (other.size, other.line, other.ways)
    }
}

fn disagreements(sysfs: &[Cache], cpuid: &[Cache]) -> Vec<String> {
    let differs = |a: &Cache| {
        let b = cpuid.iter().find(|b| a.same_place(b))?;
        let told = || format!("{}: sysfs says {}, cpuid says {}", a.name(), a.geometry(), b.geometry());
        (!a.same_geometry(b)).then(told)
    };
    sysfs.iter().filter_map(differs).collect()
}

pub(crate) fn print(format: Format) -> Result<(), Failure> {
    let (mut caches, cpuid) = (sysfs(), cpuid_caches());
    let disagreements = disagreements(&caches, &cpuid);
    caches.extend(cpuid);
    let tlb = |t: cpuid::Tlb| Tlb { name: t.name, entries: t.entries, ways: t.ways, source: "cpuid" };
    let tlbs: Vec<Tlb> = cpuid::tlbs().into_iter().map(tlb).collect();
    if caches.is_empty() && tlbs.is_empty() {
        return Err(Failure::could_not(
            "neither sysfs nor the processor describes the caches of this machine; measure them with `lab discover`",
        ));
    }
    // SAFETY: asks for a number.
    let page_size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(0) as u64;
    let memory = Memory { caches, tlbs, page_size, disagreements };
    if format == Format::Json {
        return json(&memory);
    }
    memory.print();
    Ok(())
}

impl Memory {
    fn print(&self) {
        println!("Memory Cache and TLB Hierarchy Information.");
        rule();
        for cache in &self.caches {
            let shared = cache.shared_by.as_ref().map_or(String::new(), |cpus| format!(", CPUs {cpus}"));
            println!("{:<4} {:<6} {}{shared}", cache.name(), cache.source, cache.geometry());
        }
        for tlb in &self.tlbs {
            let ways = if tlb.ways == 0 { "fully associative".into() } else { format!("{}-way", tlb.ways) };
            println!("TLB  {:<6} {}: {} entries, {ways}", tlb.source, tlb.name, tlb.entries);
        }
        println!("Page size {}", Bytes(self.page_size));
        rule();
        match self.disagreements.as_slice() {
            [] if self.caches.iter().any(|c| c.source == "cpuid") => println!("sysfs and cpuid agree."),
            [] => println!("The processor does not describe its caches to programs; sysfs alone was read."),
            told => told.iter().for_each(|d| println!("{d}")),
        }
    }
}
