//! Which source counts which event, decided once and reported in one sentence; the events
//! that hardware counts are open from then on.

use std::cell::{RefCell, RefMut};

use crate::cli::Counters;
use crate::failure::Failure;
use cache::Counts;
use counters::{Counting, Definition};
use events::Event;
use figures::value::Reading;
use records::note::Note;

use super::Session;

/// The source of an event's count.
#[derive(Debug, Clone, PartialEq)]
enum CountedBy {
    Hardware,
    /// The model, and why hardware does not count.
    Model(String),
    /// Nothing, and why.
    Nothing(String),
}

/// The source of each event's count in a measurement.
#[derive(Debug)]
pub struct Plan {
    assignments: Vec<(Event, CountedBy)>,
    /// The open events: the requested ones, and cycles; `None` if hardware is not to count.
    counting: Option<RefCell<Counting>>,
    /// Whether this hardware cannot exclude other programs from its counts.
    everything: bool,
    reason: Option<String>,
    model_of: String,
}

impl Session {
    /// Chooses the source of `events`: hardware if it is wanted and counts them, else the
    /// model.
    /// Fails if `--counters hardware` was asked for and none of them can be counted, or a source
    /// that cannot count events at all.
    pub fn plan(&self, events: &[Event]) -> Result<Plan, Failure> {
        let may_count = self.measures_host && matches!(self.counters, Counters::Auto | Counters::Hardware);
        let cycles = (!events.contains(&Event::TOT_CYC)).then_some(Event::TOT_CYC);
        let counting =
            may_count.then(|| Counting::open(&events.iter().cloned().chain(cycles).collect::<Vec<_>>()));
        let found = counting.as_ref().map_or(&[][..], |counting| &counting.definitions()[..events.len()]);
        let everything = found.iter().flatten().any(Definition::counts_everything);
        let refusals: Vec<Option<String>> = if may_count {
            found.iter().map(|answer| answer.as_ref().err().map(ToString::to_string)).collect()
        } else {
            vec![None; events.len()]
        };
        let mut reason = refusals.iter().flatten().next().cloned();
        if self.counters == Counters::Hardware && !events.is_empty() && refusals.iter().all(Option::is_some) {
            let reason = reason.unwrap_or_default();
            let other = "without --counters hardware the cache model counts";
            return Err(Failure::could_not(format!("{reason}; {other}")));
        }
        let idle = if self.measures_host { NOT_ASKED } else { NOTHING_RUNS };
        let by = |refusal: Option<String>| match (self.counters, refusal) {
            (Counters::None, _) => CountedBy::Nothing("--counters none".to_owned()),
            (Counters::Timing, _) => {
                CountedBy::Nothing("measured latency cannot count this event".to_owned())
            }
            (Counters::Hardware, Some(why)) => CountedBy::Nothing(why),
            (Counters::Auto, None) if self.measures_host => CountedBy::Hardware,
            (Counters::Hardware, None) => CountedBy::Hardware,
            (Counters::Auto | Counters::Model, refusal) if self.machine.levels.is_empty() => {
                CountedBy::Nothing(refusal.unwrap_or_else(|| self.machine.unknown.join("; ")))
            }
            (Counters::Auto | Counters::Model, refusal) => {
                CountedBy::Model(refusal.unwrap_or_else(|| idle.to_owned()))
            }
        };
        if self.counters == Counters::Auto && self.machine.levels.is_empty() {
            let both = reason.iter().chain(&self.machine.unknown).map(String::as_str);
            reason = reason.as_ref().map(|_| both.collect::<Vec<_>>().join("; and "));
        }
        let assignments = events.iter().cloned().zip(refusals.into_iter().map(by)).collect();
        let model_of = self.machine.name.clone();
        let counting = counting.map(RefCell::new);
        Ok(Plan { assignments, counting, everything, reason, model_of })
    }
}

/// Why hardware does not count with these options.
const NOT_ASKED: &str = "--counters hardware was not asked for";
/// Why hardware does not count where another machine is described.
const NOTHING_RUNS: &str = "the machine is a description, nothing runs on it";

impl Plan {
    /// The same for a program that has no model of the events, or always shows it next to
    /// the counts: events that hardware does not count have no count.
    #[must_use]
    pub fn without_model(mut self) -> Plan {
        for (_, by) in &mut self.assignments {
            if let CountedBy::Model(why) = by {
                *by = CountedBy::Nothing(std::mem::take(why));
            }
        }
        self
    }

    /// Whether hardware counts a requested event.
    pub fn counts(&self) -> bool {
        self.assignments.iter().any(|(_, by)| *by == CountedBy::Hardware)
    }

    /// The open events and what counts each, if hardware counts any.
    pub(super) fn counting(&self) -> Option<RefMut<'_, Counting>> {
        self.counting.as_ref().map(RefCell::borrow_mut).filter(|counting| counting.passes() > 0)
    }

    /// Whether an event is counted by the model.
    pub fn needs_model(&self) -> bool {
        self.assignments.iter().any(|(_, by)| matches!(by, CountedBy::Model(_)))
    }

    /// Why hardware does not count, if it was tried.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// A sentence on the sources and the reasons, for stderr and the record.
    pub fn note(&self) -> Note {
        let names = |wanted: &dyn Fn(&CountedBy) -> bool| {
            let names: Vec<&str> =
                self.assignments.iter().filter(|(_, d)| wanted(d)).map(|(e, _)| e.name()).collect();
            names.join(", ")
        };
        let mut hardware = names(&|d| *d == CountedBy::Hardware);
        if self.everything && !hardware.is_empty() {
            hardware += " for all programs on this core, as this processor's counters cannot exclude any";
        }
        let model = names(&|d| matches!(d, CountedBy::Model(_)));
        let by_model = format!("the cache model of {} counts {model}", self.model_of);
        let what = match (hardware.is_empty(), model.is_empty()) {
            (true, true) => "nothing is counted, only timed".to_owned(),
            (false, true) => return format!("hardware counts {hardware}").into(),
            (true, false) => by_model,
            (false, false) => format!("hardware counts {hardware}; {by_model}"),
        };
        Note::StandIn { what, since: self.reason.clone() }
    }

    /// A reading for each requested event, in order: from hardware's `counted`, or from the
    /// `model`.
    pub(super) fn complete(
        &self,
        counted: Vec<(Event, Reading)>,
        model: Option<&Counts>,
    ) -> Vec<(Event, Reading)> {
        self.assignments
            .iter()
            .map(|(event, by)| {
                let reading = match by {
                    CountedBy::Hardware => {
                        counted.iter().find(|(it, _)| it == event).map(|(_, reading)| reading.clone())
                    }
                    CountedBy::Model(_) => model.map(|counts| counts.reading(event)),
                    CountedBy::Nothing(why) => Some(Reading::missing(why.clone())),
                };
                (event.clone(), reading.unwrap_or_else(|| Reading::missing("not measured")))
            })
            .collect()
    }
}
