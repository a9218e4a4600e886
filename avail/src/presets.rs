//! The table of presets, in the layout of papi_avail.

use common::counters::{self, Code, CounterError, Definition, Origin, Platform};
use common::events::{Derivation, Event, Preset};
use common::failure::Failure;
use serde::Serialize;

use crate::args::Format;
use crate::hardware::Hardware;
use crate::page::{Page, json};

#[derive(Debug, Serialize)]
struct Report {
    hardware: Hardware,
    presets: Vec<Row>,
    available: usize,
    derived: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    code: String,
    available: bool,
    derived: bool,
    derivation: Option<&'static str>,
    source: Option<String>,
    description: &'static str,
    events: Vec<Native>,
    includes: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A native event of a preset.
#[derive(Debug, Serialize)]
pub(crate) struct Native {
    pub(crate) name: String,
    pub(crate) opened_as: String,
}

pub(crate) fn natives(definition: &Definition) -> Vec<Native> {
    let native = |p: &counters::Part| Native { name: p.name.clone(), opened_as: p.encoding.to_string() };
    definition.parts.iter().map(native).collect()
}

/// The source of a definition, for people.
pub(crate) fn origin(origin: Origin) -> String {
    match origin {
        Origin::Table(family) => {
            let mapped = family.tables().find(|f| f.source.starts_with("PAPI")).unwrap_or(family);
            let shared = (mapped != family)
                .then(|| format!(", and {} has the same codes for {}", family.source, family.title));
            format!("PAPI's map for {}{}", mapped.title, shared.unwrap_or_default())
        }
        Origin::Kit(family) => format!("this kit, for {}", family.title),
        Origin::Generic => "the kernel's generic event, for a processor whose own is not known".into(),
        Origin::Native => "given by its own numbers".into(),
    }
}

fn row(preset: Preset) -> (Row, Option<CounterError>) {
    let event = Event::Preset(preset);
    let found = counters::definition(&event);
    let refusal = found.as_ref().err().cloned();
    // The native events are shown even if they are refused.
    let definition = found.ok().or_else(|| Platform::host().definitions(&event).ok()?.into_iter().next());
    let derivation = definition.as_ref().map(|d| d.formula.derivation());
    let row = Row {
        name: preset.name(),
        code: format!("{:#x}", preset.code()),
        available: refusal.is_none(),
        derived: derivation.is_some_and(|d| d != Derivation::Direct),
        derivation: derivation.map(Derivation::papi_name),
        source: definition.as_ref().map(|d| origin(d.origin)),
        description: preset.description(),
        events: definition.as_ref().map(natives).unwrap_or_default(),
        includes: definition.map(|d| d.notes).unwrap_or_default(),
        reason: refusal.as_ref().map(CounterError::to_string),
    };
    (row, refusal)
}

/// Prints the header and the table; fails if nothing can be counted.
pub(crate) fn print(only_available: bool, detailed: bool, format: Format) -> Result<(), Failure> {
    let (mut rows, refusals): (Vec<Row>, Vec<Option<CounterError>>) = Preset::all().map(row).unzip();
    let available = rows.iter().filter(|r| r.available).count();
    let derived = rows.iter().filter(|r| r.available && r.derived).count();
    let reason = (available == 0).then(|| why_nothing(refusals));
    if only_available {
        rows.retain(|r| r.available);
    }
    let hardware = Hardware::host();
    if format == Format::Json {
        json(&Report { hardware, presets: rows, available, derived, reason: reason.clone() })?;
    } else {
        let mut page = Page::default();
        page.say("Available PAPI preset events plus hardware information.");
        hardware.write_to(&mut page);
        if let Some(reason) = &reason {
            page.say(format_args!("\nNothing can be counted: {reason}"));
        }
        page.say(format_args!("\n{}\n  PAPI Preset Events\n{}", "=".repeat(80), "=".repeat(80)));
        if detailed {
            details(&mut page, &rows, reason.as_deref())
        } else {
            table(&mut page, &rows)
        }
        page.rule();
        page.say(format_args!(
            "Of {} possible events, {available} are available, of which {derived} are derived.",
            Preset::COUNT
        ));
        page.print()?;
    }
    reason.map_or(Ok(()), |reason| Err(Failure::could_not(format!("nothing can be counted: {reason}"))))
}

/// The most fundamental reason: a missing PMU explains every missing event.
fn why_nothing(refusals: Vec<Option<CounterError>>) -> String {
    let refusals: Vec<CounterError> = refusals.into_iter().flatten().collect();
    let deepest = refusals.iter().find(|refusal| refusal.code != Code::Enoevnt).or(refusals.first());
    deepest.map(CounterError::to_string).unwrap_or_default()
}

fn table(page: &mut Page, rows: &[Row]) {
    page.say("    Name        Code    Avail Deriv Description (Note)");
    for row in rows {
        let yes = |is: bool| if is { "Yes" } else { "No " };
        page.say(format_args!(
            "{:<12} {}  {}   {}  {}",
            row.name,
            row.code,
            yes(row.available),
            yes(row.derived),
            row.description
        ));
    }
}

/// `nothing`: why no event at all can be counted; it is printed once, not for each event.
fn details(page: &mut Page, rows: &[Row], nothing: Option<&str>) {
    for row in rows {
        page.say(format_args!("Symbol           {}", row.name));
        page.say(format_args!("Code             {}", row.code));
        page.say(format_args!("Description      {}", row.description));
        match row.reason.as_deref() {
            Some(reason) if nothing == Some(reason) => page.say("Not available    for the reason at the end"),
            Some(reason) => page.say(format_args!("Not available    {reason}")),
            None => {}
        }
        if row.derived {
            page.say(format_args!("Derived          {}", row.derivation.unwrap_or("unknown")));
        }
        if let Some(source) = &row.source {
            page.say(format_args!("Defined by       {source}"));
        }
        for native in &row.events {
            page.say(format_args!("Native event     {}  {}", native.name, native.opened_as));
        }
        for note in &row.includes {
            page.say(format_args!("Includes         {note}"));
        }
        page.say("");
    }
}
