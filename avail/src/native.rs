//! The native events in sysfs.

use common::counters::{Platform, Pmu};
use common::events::kernel;
use common::failure::Failure;
use serde::Serialize;

use crate::args::Format;
use crate::page::{Page, json};

#[derive(Debug, Serialize)]
struct Unit {
    pmu: String,
    #[serde(rename = "type")]
    kind: u32,
    cpus: Option<String>,
    /// Counts for the whole chip, so it cannot count for one program.
    uncore: bool,
    events: Vec<Listed>,
}

#[derive(Debug, Serialize)]
struct Listed {
    name: String,
    stands_for: Option<String>,
}

fn unit(pmu: &Pmu) -> Unit {
    let listed = |name: String| Listed { stands_for: pmu.event(&name), name };
    Unit {
        pmu: pmu.name.clone(),
        kind: pmu.kind,
        cpus: pmu.cpus.clone(),
        uncore: pmu.uncore,
        events: pmu.events().into_iter().map(listed).collect(),
    }
}

pub(crate) fn print(format: Format) -> Result<(), Failure> {
    let units: Vec<Unit> = Platform::host().pmus.iter().map(unit).collect();
    if format == Format::Json {
        return json(&units);
    }
    let mut page = Page::default();
    page.say("Named by the kernel on every machine:");
    for name in kernel::names() {
        page.say(format_args!("    {name}"));
    }
    for unit in &units {
        let cpus = unit.cpus.as_ref().map_or(String::new(), |cpus| format!(", CPUs {cpus}"));
        let uncore = if unit.uncore { ", for the whole chip: cannot be counted for one program" } else { "" };
        page.say(format_args!("\nPMU {} (type {}{cpus}{uncore}):", unit.pmu, unit.kind));
        if unit.events.is_empty() {
            page.say("    lists no events");
        }
        for event in &unit.events {
            page.say(format_args!(
                "    {}/{}/  {}",
                unit.pmu,
                event.name,
                event.stands_for.as_deref().unwrap_or("unreadable")
            ));
        }
    }
    page.say("\nAny other: PMU/TERM=VALUE,TERM=VALUE/ with the terms of the PMU's format, or rNNNN.");
    page.print()
}
