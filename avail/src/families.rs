//! The processor families that the preset map has.

use common::events::{FAMILIES, Family, Preset, map};
use common::failure::Failure;
use serde::Serialize;

use crate::args::Format;
use crate::page::{Page, json};

/// A line of the table.
#[derive(Debug, Serialize)]
struct Row {
    key: &'static str,
    processors: &'static str,
    /// Presets counted by its own events.
    presets: usize,
    /// Of these, defined by this kit instead of PAPI.
    by_the_kit: usize,
    counters: &'static str,
    source: &'static str,
    /// Why the kernel's generic events are used, for all presets or for the others.
    generic: &'static str,
    known_by: Vec<&'static str>,
}

fn row(family: &'static Family) -> Row {
    let mapped: Vec<_> = Preset::all().filter_map(|preset| map::lookup(family, preset).ok()).collect();
    Row {
        key: family.key,
        processors: family.title,
        presets: mapped.len(),
        by_the_kit: mapped.iter().filter(|entry| entry.origin == map::Origin::Kit).count(),
        counters: family.counters,
        source: family.source,
        generic: family.generic,
        known_by: family.detected_by().collect(),
    }
}

pub(crate) fn print(format: Format) -> Result<(), Failure> {
    let rows: Vec<Row> = FAMILIES.iter().map(row).collect();
    if format == Format::Json {
        return json(&rows);
    }
    let mut page = Page::default();
    page.say(format_args!("{:<18} presets (kit's)  {:<25}  counters, source", "key", "processors"));
    for row in rows {
        page.say(format_args!(
            "{:<18} {:>7} {:>8}  {}",
            row.key,
            row.presets,
            format!("({})", row.by_the_kit),
            row.processors
        ));
        let source = if row.source.is_empty() { "no table" } else { row.source };
        page.say(format_args!("{:37}{} counters; {source}", "", row.counters));
        if !row.generic.is_empty() {
            page.say(format_args!("{:37}the kernel's generic events: {}", "", row.generic));
        }
    }
    page.print()
}

/// The family of that key, if one is given.
pub(crate) fn named(key: Option<&str>) -> Result<Option<&'static Family>, Failure> {
    let Some(key) = key else { return Ok(None) };
    match Family::keyed(key) {
        None => {
            Err(Failure::usage(format!("there is no family '{key}'; `avail --families` lists their keys")))
        }
        family => Ok(family),
    }
}
