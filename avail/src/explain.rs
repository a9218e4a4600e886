//! One event, explained.

use common::counters::{self, Definition, Origin, Platform};
use common::events::{Event, map, notes};
use common::failure::Failure;
use serde::Serialize;

use crate::args::{Format, json, line};
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
    counts: &'static str,
    includes: Vec<&'static str>,
    comparable: &'static str,
}

pub(crate) fn print(name: &str, format: Format) -> Result<(), Failure> {
    let event = Event::parse(name).map_err(Failure::usage)?;
    let refusal = counters::definition(&event).err();
    // What would be opened is told even if it is refused.
    let chosen = counters::definition(&event).ok();
    let definition = chosen.or_else(|| Platform::host().definitions(&event).ok()?.into_iter().next());
    let explanation = Explanation {
        name: event.name().to_owned(),
        description: event.description(),
        countable: refusal.is_none(),
        reason: refusal.map(|r| r.to_string()),
        defined_by: definition.as_ref().map(|d| origin(d.origin)),
        derivation: definition.as_ref().map(|d| d.formula.derivation().papi_name()),
        formula: definition.as_ref().map(Definition::spelt),
        events: definition.as_ref().map(natives).unwrap_or_default(),
        counts: counts(definition.as_ref()),
        comparable: comparable(&event, definition.as_ref()),
        includes: definition.map(|d| d.notes).unwrap_or_default(),
    };
    match format {
        Format::Json => json(&explanation)?,
        Format::Text => explanation.print(),
    }
    Ok(())
}

fn counts(definition: Option<&Definition>) -> &'static str {
    match definition {
        Some(d) if d.parts.iter().any(|p| p.encoding.kernel) => "the program and the kernel on its behalf",
        _ => "the program's own code; the kernel and the hypervisor are left out",
    }
}

fn comparable(event: &Event, definition: Option<&Definition>) -> &'static str {
    let (Event::Preset(preset), Some(d)) = (event, definition) else {
        return "on machines with the same native event only";
    };
    let limited = match d.origin {
        Origin::Table(family) | Origin::Kit(family) => {
            map::lookup(family, *preset).is_ok_and(|entry| entry.is_limited(family))
        }
        _ => !d.notes.is_empty(),
    };
    notes::comparable(*preset, d.formula.derivation(), limited, d.origin == Origin::Generic)
}

impl Explanation {
    fn print(&self) {
        line("Event", &self.name);
        line("Description", self.description);
        line("Can be counted here", if self.countable { "yes" } else { "no" });
        if let Some(reason) = &self.reason {
            line("Why not", reason);
        }
        if let Some(defined_by) = &self.defined_by {
            line("Defined by", defined_by);
        }
        if let (Some(derivation), Some(formula)) = (self.derivation, &self.formula)
            && self.events.len() > 1
        {
            line("Computed as", format_args!("{formula}  ({derivation})"));
        }
        for native in &self.events {
            line("Opens", format_args!("{}  {}", native.name, native.opened_as));
        }
        line("Counts", self.counts);
        for note in &self.includes {
            line("Includes", note);
        }
        line("Figures can be compared", self.comparable);
    }
}
