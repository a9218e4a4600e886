//! Counting a kernel: what can be counted, in which runs, with which result.

use std::collections::HashMap;

use super::definition::Definition;
use super::encoding::{Encoding, Part, Scope};
use super::error::CounterError;
use super::kernel::Count;
use super::platform::Platform;
use super::refusal::Refusal;
use super::schedule;
use super::trials::Trials;
use events::Event;
use figures::value::{Multiplexed, Reading, Source};

/// Whether the hardware can count each event, and why not.
pub fn survey(events: &[Event]) -> Vec<Result<(), Refusal>> {
    definitions(events).into_iter().map(|found| found.map(drop)).collect()
}

/// What would be counted for each event on this machine, and why nothing.
pub fn definitions(events: &[Event]) -> Vec<Result<Definition, Refusal>> {
    let mut trials = Trials::new(Platform::host());
    events.iter().map(|event| trials.choose(event)).collect()
}

/// What would be counted for an event on this machine.
pub fn definition(event: &Event) -> Result<Definition, Refusal> {
    Trials::new(Platform::host()).choose(event)
}

/// Counts `events` while `body` runs. Events that do not fit on the counters
/// together are counted in runs of their own, each after a `prepare`; nothing
/// is multiplexed unless another program takes counters meanwhile, which the
/// reading then says. Without a countable event, nothing is run.
///
/// # Errors
/// When the kernel fails on events that it had opened.
pub fn count(
    events: &[Event],
    prepare: &mut dyn FnMut(),
    body: &mut dyn FnMut(),
) -> Result<Vec<Reading>, CounterError> {
    let mut trials = Trials::new(Platform::host());
    let chosen: Vec<_> = events.iter().map(|event| trials.choose(event)).collect();
    let wanted: Vec<&[Part]> = chosen.iter().flatten().map(|d| d.parts.as_slice()).collect();
    let mut runs = Vec::new();
    for parts in schedule::groups(&wanted, |parts| trials.fits(parts)) {
        prepare();
        let counts = trials.run(&parts, body)?;
        runs.push(parts.into_iter().map(|p| p.encoding).zip(counts).collect());
    }
    let reading = |found: &Result<Definition, Refusal>| match found {
        Ok(definition) => reading(definition, &runs),
        Err(refusal) => Reading::missing(refusal.to_string()),
    };
    Ok(chosen.iter().map(reading).collect())
}

type Run = HashMap<Encoding, Count>;

/// An event's figure from the runs; its parts come from one run if any has all.
fn reading(definition: &Definition, runs: &[Run]) -> Reading {
    let in_run = |run: &Run| -> Option<Vec<Count>> {
        definition.parts.iter().map(|p| run.get(&p.encoding).copied()).collect()
    };
    let anywhere = || -> Option<Vec<Count>> {
        let find = |p: &Part| runs.iter().find_map(|run| run.get(&p.encoding).copied());
        definition.parts.iter().map(find).collect()
    };
    match runs.iter().find_map(in_run).or_else(anywhere) {
        Some(counts) => combine(definition, &counts),
        None => Reading::missing(Refusal::NeverRan { event: definition.names() }.to_string()),
    }
}

/// A figure from the counts of its parts: scaled and labelled where a part was
/// not counted all the time, missing where one was not counted at all.
pub(crate) fn combine(definition: &Definition, counts: &[Count]) -> Reading {
    let mut least: Option<Multiplexed> = None;
    let mut amounts = Vec::with_capacity(counts.len());
    for (count, part) in counts.iter().zip(&definition.parts) {
        if count.running == 0 {
            return Reading::missing(Refusal::NeverRan { event: part.name.clone() }.to_string());
        }
        amounts.push(count.estimate());
        if let Some(shared) = count.multiplexed() {
            least = Some(least.filter(|l| l.share() <= shared.share()).unwrap_or(shared));
        }
    }
    match definition.formula.evaluate(&amounts) {
        Some(amount) if amount >= 0.0 => Reading::new(amount, Source::Hardware).estimated(least),
        Some(amount) => Reading::missing(format!(
            "the difference {} came out as {amount:.0}: its parts do not count the same things on this processor",
            definition.spelt()
        )),
        None => Reading::missing(format!("{} could not be computed", definition.spelt())),
    }
}

impl Definition {
    /// The native events, joined for a message.
    pub fn names(&self) -> String {
        self.parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Whether all that runs meanwhile counts, the kernel's work too: the PMU can
    /// leave nothing out.
    pub fn counts_everything(&self) -> bool {
        self.parts.iter().any(|part| part.encoding.scope == Scope::Everything)
    }

    /// The formula with the native events' names.
    pub fn spelt(&self) -> String {
        self.formula.infix(&self.parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>())
    }
}

impl Count {
    /// The share of the time it counted; `None` if that was all of it. The
    /// kernel's two clocks may differ by their reading alone: a thousandth.
    pub fn multiplexed(self) -> Option<Multiplexed> {
        let all = u128::from(self.running) * 1000 >= u128::from(self.enabled) * 999;
        (!all).then_some(Multiplexed { enabled: self.enabled, running: self.running })
    }

    /// The count, scaled up if it was on a counter only part of the time.
    pub fn estimate(self) -> f64 {
        self.value as f64 / self.multiplexed().map_or(1.0, Multiplexed::share)
    }
}
