//! Which source counts which event, decided once and reported in one sentence.

use std::cell::OnceCell;

use crate::cli::Counters;
use crate::failure::Failure;
use cache::Counts;
use counters::{self, Definition};
use events::Event;
use figures::value::Reading;
use records::note::Note;

use super::Session;

/// Who counts an event.
#[derive(Debug, Clone, PartialEq)]
enum Duty {
    Hardware,
    /// And why hardware does not.
    Model(String),
    Nobody(String),
}

/// Who counts each event of a measurement.
#[derive(Debug, Clone)]
pub struct Plan {
    duties: Vec<(Event, Duty)>,
    /// Whether hardware counts cycles, where it may: asked when somebody reads them.
    cycles: OnceCell<bool>,
    may_count: bool,
    /// Whether hardware can leave nothing out of what it counts.
    everything: bool,
    reason: Option<String>,
    model_of: String,
}

impl Session {
    /// Decides who counts `events`: hardware where it is asked for and counts,
    /// else the model.
    ///
    /// # Errors
    ///
    /// If `--counters hardware` was asked for and none of them can be counted,
    /// or a source that cannot count events at all.
    pub fn plan(&self, events: &[Event]) -> Result<Plan, Failure> {
        let may_count = self.here && matches!(self.counters, Counters::Auto | Counters::Hardware);
        let mut everything = false;
        let refusals: Vec<Option<String>> = if may_count {
            let found = counters::definitions(events);
            everything = found.iter().flatten().any(Definition::counts_everything);
            found.into_iter().map(|answer| answer.err().map(|refusal| refusal.to_string())).collect()
        } else {
            vec![None; events.len()]
        };
        let mut reason = refusals.iter().flatten().next().cloned();
        if self.counters == Counters::Hardware && !events.is_empty() && refusals.iter().all(Option::is_some) {
            return Err(Failure::could_not(reason.unwrap_or_default()));
        }
        let idle = if self.here { NOT_ASKED } else { NOTHING_RUNS };
        let duty = |refusal: Option<String>| match (self.counters, refusal) {
            (Counters::None, _) => Duty::Nobody("--counters none".to_owned()),
            (Counters::Timing, _) => Duty::Nobody("measured latency cannot count this event".to_owned()),
            (Counters::Hardware, Some(why)) => Duty::Nobody(why),
            (Counters::Auto, None) if self.here => Duty::Hardware,
            (Counters::Hardware, None) => Duty::Hardware,
            (Counters::Auto | Counters::Model, refusal) if self.machine.levels.is_empty() => {
                Duty::Nobody(refusal.unwrap_or_else(|| self.machine.unknown.join("; ")))
            }
            (Counters::Auto | Counters::Model, refusal) => {
                Duty::Model(refusal.unwrap_or_else(|| idle.to_owned()))
            }
        };
        if self.counters == Counters::Auto && self.machine.levels.is_empty() {
            let both = reason.iter().chain(&self.machine.unknown).map(String::as_str);
            reason = reason.as_ref().map(|_| both.collect::<Vec<_>>().join("; and "));
        }
        let duties = events.iter().cloned().zip(refusals.into_iter().map(duty)).collect();
        let model_of = self.machine.name.clone();
        Ok(Plan { duties, cycles: OnceCell::new(), may_count, everything, reason, model_of })
    }
}

/// Why hardware does not count where nobody asked it to.
const NOT_ASKED: &str = "--counters hardware was not asked for";
/// The same where another machine is described.
const NOTHING_RUNS: &str = "the machine is a description, nothing runs on it";

impl Plan {
    /// The same for a program that has no model of the events, or shows it next to
    /// them: what hardware does not count, nobody does.
    #[must_use]
    pub fn without_model(mut self) -> Plan {
        for (_, duty) in &mut self.duties {
            if let Duty::Model(why) = duty {
                *duty = Duty::Nobody(std::mem::take(why));
            }
        }
        self
    }

    /// The events that hardware counts, of those asked for.
    pub fn hardware(&self) -> Vec<Event> {
        let asked = self.duties.iter().filter(|(_, duty)| *duty == Duty::Hardware);
        asked.map(|(event, _)| event.clone()).collect()
    }

    /// Whether hardware counts cycles next to them.
    pub(super) fn counts_cycles(&self) -> bool {
        let counted = || counters::survey(&[Event::TOT_CYC]).iter().all(Result::is_ok);
        self.may_count && *self.cycles.get_or_init(counted)
    }

    /// Whether an event is counted by the model.
    pub fn needs_model(&self) -> bool {
        self.duties.iter().any(|(_, duty)| matches!(duty, Duty::Model(_)))
    }

    /// Why hardware does not count, if it was asked.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Who counts what, and why: for stderr and the record.
    pub fn note(&self) -> Note {
        let names = |wanted: &dyn Fn(&Duty) -> bool| {
            let names: Vec<&str> =
                self.duties.iter().filter(|(_, d)| wanted(d)).map(|(e, _)| e.name()).collect();
            names.join(", ")
        };
        let mut hardware = names(&|d| *d == Duty::Hardware);
        if self.everything && !hardware.is_empty() {
            hardware += " for all programs on this core, as this processor's counters cannot exclude any";
        }
        let model = names(&|d| matches!(d, Duty::Model(_)));
        let by_model = format!("the cache model of {} counts {model}", self.model_of);
        let what = match (hardware.is_empty(), model.is_empty()) {
            (true, true) => "nothing is counted, only timed".to_owned(),
            (false, true) => return Note::Hardware(format!("hardware counts {hardware}")),
            (true, false) => by_model,
            (false, false) => format!("hardware counts {hardware}; {by_model}"),
        };
        Note::StandIn { what, since: self.reason.clone() }
    }

    /// A reading for each event in the order asked for, from what hardware
    /// `counted` and what the `model` saw.
    pub(super) fn complete(
        &self,
        counted: Vec<(Event, Reading)>,
        model: Option<&Counts>,
    ) -> Vec<(Event, Reading)> {
        self.duties
            .iter()
            .map(|(event, duty)| {
                let reading = match duty {
                    Duty::Hardware => {
                        counted.iter().find(|(it, _)| it == event).map(|(_, reading)| reading.clone())
                    }
                    Duty::Model(_) => model.map(|counts| counts.reading(event)),
                    Duty::Nobody(why) => Some(Reading::missing(why.clone())),
                };
                (event.clone(), reading.unwrap_or_else(|| Reading::missing("not measured")))
            })
            .collect()
    }
}
