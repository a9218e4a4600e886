//! Which source counts which event, decided once and told in one sentence.

use crate::cli::Counters;
use crate::failure::Failure;
use cache::Counts;
use counters::{self, Definition};
use events::Event;
use figures::value::Reading;

use super::Session;

/// Who counts an event.
#[derive(Debug, Clone, PartialEq)]
enum Duty {
    Hardware,
    Model,
    Nobody(String),
}

/// Who counts each event of a measurement.
#[derive(Debug, Clone)]
pub struct Plan {
    duties: Vec<(Event, Duty)>,
    /// Whether hardware counts cycles beside the events asked for.
    cycles: bool,
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
        let cycles = may_count && counters::survey(&[Event::TOT_CYC]).iter().all(Result::is_ok);
        let mut reason = refusals.iter().flatten().next().cloned();
        if self.counters == Counters::Hardware && !events.is_empty() && refusals.iter().all(Option::is_some) {
            return Err(Failure::could_not(reason.unwrap_or_default()));
        }
        let duty = |refusal: Option<String>| match (self.counters, refusal) {
            (Counters::None, _) => Duty::Nobody("--counters none".to_owned()),
            (Counters::Timing, _) => Duty::Nobody("measured latency does not tell this event".to_owned()),
            (Counters::Hardware, Some(why)) => Duty::Nobody(why),
            (Counters::Auto, None) if self.here => Duty::Hardware,
            (Counters::Hardware, None) => Duty::Hardware,
            (Counters::Auto | Counters::Model, refusal) if self.machine.levels.is_empty() => {
                Duty::Nobody(refusal.unwrap_or_else(|| self.machine.unknown.join("; ")))
            }
            (Counters::Auto | Counters::Model, _) => Duty::Model,
        };
        if self.counters == Counters::Auto && self.machine.levels.is_empty() {
            let both = reason.iter().chain(&self.machine.unknown).map(String::as_str);
            reason = reason.as_ref().map(|_| both.collect::<Vec<_>>().join("; and "));
        }
        let duties = events.iter().cloned().zip(refusals.into_iter().map(duty)).collect();
        Ok(Plan { duties, cycles, everything, reason, model_of: self.machine.name.clone() })
    }
}

impl Plan {
    /// The events hardware counts: of those asked for, then cycles, if it does.
    pub(super) fn hardware(&self) -> Vec<Event> {
        let asked = self.duties.iter().filter(|(_, duty)| *duty == Duty::Hardware);
        asked.map(|(event, _)| event.clone()).chain(self.cycles.then_some(Event::TOT_CYC)).collect()
    }

    /// Whether [`Plan::hardware`] ends with cycles that nobody asked for.
    pub(super) fn counts_cycles(&self) -> bool {
        self.cycles
    }

    /// Whether an event is counted by the model.
    pub fn needs_model(&self) -> bool {
        self.duties.iter().any(|(_, duty)| *duty == Duty::Model)
    }

    /// Why hardware does not count, if it was asked.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Who counts what, and why: one sentence for stderr and the record.
    pub fn sentence(&self) -> String {
        let names = |wanted: &dyn Fn(&Duty) -> bool| {
            let names: Vec<&str> =
                self.duties.iter().filter(|(_, d)| wanted(d)).map(|(e, _)| e.name()).collect();
            names.join(", ")
        };
        let mut hardware = names(&|d| *d == Duty::Hardware);
        if self.everything && !hardware.is_empty() {
            hardware += " of all that runs meanwhile, as this processor's counters can leave nothing out";
        }
        let model = names(&|d| *d == Duty::Model);
        let because = self.reason.as_ref().map(|why| format!(", since {why}")).unwrap_or_default();
        match (hardware.is_empty(), model.is_empty()) {
            (true, true) => format!("nothing is counted, only timed{because}"),
            (false, true) => format!("hardware counts {hardware}"),
            (true, false) => format!("the cache model of {} counts {model}{because}", self.model_of),
            (false, false) => {
                format!(
                    "hardware counts {hardware}; the cache model of {} counts {model}{because}",
                    self.model_of
                )
            }
        }
    }

    /// A reading for each event in the order asked for, from what hardware
    /// `counted` and what the `model` saw.
    pub(super) fn complete(
        &self,
        counted: Vec<(Event, Reading)>,
        model: Option<&Counts>,
    ) -> Vec<(Event, Reading)> {
        let mut counted = counted.into_iter();
        self.duties
            .iter()
            .map(|(event, duty)| {
                let reading = match duty {
                    Duty::Hardware => counted.next().map(|(_, reading)| reading),
                    Duty::Model => model.map(|counts| counts.reading(event)),
                    Duty::Nobody(why) => Some(Reading::missing(why.clone())),
                };
                (event.clone(), reading.unwrap_or_else(|| Reading::missing("not measured")))
            })
            .collect()
    }
}
