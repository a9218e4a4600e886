//! Explains one event.

use common::counters::{self, Definition, Platform, Scope};
use common::events::{Event, Family, map};
use common::failure::Failure;
use serde::Serialize;

use crate::args::Format;
use crate::page::{Page, json};
use crate::presets::{Native, natives, origin};

#[derive(Debug, Serialize)]
struct Explanation {
    name: String,
    description: &'static str,
    countable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    defined_by: Option<String>,
    derivation: Option<&'static str>,
    formula: Option<String>,
    events: Vec<Native>,
    /// PAPI's own definition, if the kit's is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    papi: Option<Papi>,
    counts: &'static str,
    includes: Vec<&'static str>,
}

/// PAPI's native events, and why this kit does not use them.
#[derive(Debug, Serialize)]
struct Papi {
    formula: String,
    events: Vec<String>,
    why_not: &'static str,
}

/// Explains the event on this machine.
pub(crate) fn print(name: &str, format: Format) -> Result<(), Failure> {
    let event = counters::event(name).map_err(Failure::usage)?;
    let platform = Platform::host();
    let (definition, refusal) = match counters::definition(&event) {
        Ok(definition) => (Some(definition), None),
        // The native events are shown even if they are refused.
        Err(why) => (platform.definitions(&event).ok().and_then(|ways| ways.into_iter().next()), Some(why)),
    };
    let explanation = Explanation {
        name: event.name().to_owned(),
        description: event.description(),
        countable: refusal.is_none(),
        reason: refusal.map(|r| r.to_string()),
        defined_by: definition.as_ref().map(|d| origin(d.origin)),
        derivation: definition.as_ref().map(|d| d.formula.derivation().papi_name()),
        formula: definition.as_ref().map(Definition::spelt),
        events: definition.as_ref().map(natives).unwrap_or_default(),
        papi: papi(&event, platform.family),
        counts: counts(definition.as_ref()),
        includes: definition.map(|d| d.notes).unwrap_or_default(),
    };
    match format {
        Format::Json => json(&explanation),
        Format::Text => explanation.page().print(),
    }
}

fn papi(event: &Event, family: Option<&'static Family>) -> Option<Papi> {
    let (Event::Preset(preset), Some(family)) = (event, family) else { return None };
    let (papi, why_not) = map::replaced(family, *preset)?;
    Some(Papi {
        formula: papi.spelt(),
        events: papi.natives.iter().map(|native| format!("{} {}", native.name, native.config)).collect(),
        why_not,
    })
}

fn counts(definition: Option<&Definition>) -> &'static str {
    let kernel = |d: &Definition| d.parts.iter().any(|p| p.encoding.scope == Scope::ProgramAndKernel);
    if definition.is_some_and(Definition::counts_everything) {
        "everything that runs on the core: this processor's counters cannot exclude anything"
    } else if definition.is_some_and(kernel) {
        "the program and the kernel on its behalf"
    } else {
        "the program's own code; the kernel and the hypervisor are excluded"
    }
}

impl Explanation {
    fn page(&self) -> Page {
        let mut page = Page::default();
        page.line("Event", &self.name);
        page.line("Description", self.description);
        page.line("Can be counted", if self.countable { "yes" } else { "no" });
        if let Some(reason) = &self.reason {
            page.line("Why not", reason);
        }
        if let Some(defined_by) = &self.defined_by {
            page.line("Defined by", defined_by);
        }
        if let (Some(derivation), Some(formula)) = (self.derivation, &self.formula)
            && self.events.len() > 1
        {
            page.line("Computed as", format_args!("{formula}  ({derivation})"));
        }
        for native in &self.events {
            page.line("Opens", format_args!("{}  {}", native.name, native.opened_as));
        }
        if let Some(papi) = &self.papi {
            page.line("PAPI has instead", &papi.formula);
            papi.events.iter().for_each(|event| page.line("  with", event));
            page.line("  not used because", papi.why_not);
        }
        page.line("Counts", self.counts);
        for note in &self.includes {
            page.line("Includes", note);
        }
        page
    }
}
