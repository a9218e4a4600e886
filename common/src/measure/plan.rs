//! Which source counts which event, decided once and reported in one sentence; the events
//! that hardware counts are open from then on.

use std::cell::{RefCell, RefMut};

use crate::cli::Counters;
use crate::failure::Failure;
use cache::Counts;
use counters::{Counting, Definition};
use events::Event;
use figures::value::{Reading, Source};
use records::note::Note;

use super::Session;

/// The source of each event's count in a measurement.
#[derive(Debug)]
pub struct Plan {
    /// The events, and hardware or the model; or why neither counts them.
    sources: Vec<(Event, Result<Source, String>)>,
    /// The open events: the requested ones, and cycles; `None` if hardware is not to count.
    counting: Option<RefCell<Counting>>,
    /// Whether this hardware cannot exclude other programs from its counts.
    everything: bool,
    reason: Option<String>,
    model_of: String,
}

impl Session {
    /// Chooses the source of `events`: hardware if it is wanted and counts them, else the
    /// model if they are `modelled` and not always shown next to hardware's counts.
    /// Fails if `--counters hardware` was asked for and none of them can be counted, or a source
    /// that cannot count events at all.
    pub fn plan(&self, events: &[Event], modelled: bool) -> Result<Plan, Failure> {
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
            (Counters::None, _) => Err("--counters none".to_owned()),
            (Counters::Timing, _) => Err("measured latency cannot count this event".to_owned()),
            (Counters::Hardware, Some(why)) => Err(why),
            (Counters::Auto, None) if self.measures_host => Ok(Source::Hardware),
            (Counters::Hardware, None) => Ok(Source::Hardware),
            (Counters::Auto | Counters::Model, refusal) if self.machine.levels.is_empty() => {
                Err(refusal.unwrap_or_else(|| self.machine.unknown.join("; ")))
            }
            (Counters::Auto | Counters::Model, refusal) if !modelled => {
                Err(refusal.unwrap_or_else(|| idle.to_owned()))
            }
            (Counters::Auto | Counters::Model, _) => Ok(Source::Model),
        };
        if self.counters == Counters::Auto && self.machine.levels.is_empty() {
            let both = reason.iter().chain(&self.machine.unknown).map(String::as_str);
            reason = reason.as_ref().map(|_| both.collect::<Vec<_>>().join("; and "));
        }
        let sources = events.iter().cloned().zip(refusals.into_iter().map(by)).collect();
        let model_of = self.machine.name.clone();
        let counting = counting.map(RefCell::new);
        Ok(Plan { sources, counting, everything, reason, model_of })
    }
}

/// Why hardware does not count with these options.
const NOT_ASKED: &str = "--counters hardware was not asked for";
/// Why hardware does not count where another machine is described.
const NOTHING_RUNS: &str = "the machine is a description, nothing runs on it";

impl Plan {
    /// Whether hardware counts a requested event.
    pub fn counts(&self) -> bool {
        !self.names(Source::Hardware).is_empty()
    }

    /// The names of the events that `source` counts.
    fn names(&self, source: Source) -> String {
        let counted = self.sources.iter().filter(|(_, by)| *by == Ok(source));
        counted.map(|(event, _)| event.name()).collect::<Vec<_>>().join(", ")
    }

    /// The open events and what counts each, if hardware counts any.
    pub(super) fn counting(&self) -> Option<RefMut<'_, Counting>> {
        self.counting.as_ref().map(RefCell::borrow_mut).filter(|counting| counting.passes() > 0)
    }

    /// Whether an event is counted by the model.
    pub fn needs_model(&self) -> bool {
        !self.names(Source::Model).is_empty()
    }

    /// Why hardware does not count, if it was tried.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// A sentence on the sources and the reasons, for stderr and the record.
    pub fn note(&self) -> Note {
        let [mut hardware, model] = [Source::Hardware, Source::Model].map(|source| self.names(source));
        if self.everything && !hardware.is_empty() {
            hardware += " for all programs on this core, as this processor's counters cannot exclude any";
        }
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
        let reading = |event: &Event, by: &Result<Source, String>| match by {
            Ok(Source::Hardware) => reading_of(&counted, event),
            Ok(_) => model.map_or_else(|| reading_of(&[], event), |counts| counts.reading(event)),
            Err(why) => Reading::missing(why),
        };
        self.sources.iter().map(|(event, by)| (event.clone(), reading(event, by))).collect()
    }
}

/// The reading of `event` among `counted`; missing if it is not there.
pub fn reading_of(counted: &[(Event, Reading)], event: &Event) -> Reading {
    let found = counted.iter().find(|(it, _)| it == event);
    found.map_or_else(|| Reading::missing("not measured"), |(_, reading)| reading.clone())
}
