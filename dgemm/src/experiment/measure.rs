//! Times and counts of products, and figures derived from them.

use common::cache::Counts;
use common::cli::{self, Counters};
use common::clock;
use common::cpu::AffinityGuard;
use common::events::Event;
use common::failure::Failure;
use common::machine::{CacheLevel, Machine};
use common::measure::{self, Session, reading_of};
use common::memory::Arena;
use common::value::Reading;
use ladder::{LEFT_OUT, Setup};

use crate::counting::model;
use crate::counting::theory::{self, ClosedForm, Misses};
use crate::problem::{Blocks, Problem};
use crate::rungs::widest::tile;
use crate::variants::{Kernel, Variant};

/// The events of the derived metrics. The model's counts are shown next to hardware's.
pub(super) const EVENTS: [Event; 9] = [
    Event::TOT_INS,
    Event::TOT_CYC,
    Event::LST_INS,
    Event::LD_INS,
    Event::SR_INS,
    Event::L1_DCM,
    Event::L1_LDM,
    Event::L2_DCM,
    Event::TLB_DM,
];

/// Seconds of one operation of a rung in the middle of the ladder.
const OPERATION: f64 = 0.5e-9;

/// Seconds of work before a product is timed, unless it takes ten times as long: a core that begins to use wide registers
/// is slower at first (Zen 5: `tiled 256` takes 0.39 ms, then 0.36, then 0.30).
const WARM_UP_S: f64 = 0.001;

/// Largest relative error of a right product, with a margin.
const LARGEST_ERROR: f64 = 1e-9;

/// The blocks for `machine`'s caches; for usual caches if it is sealed.
pub fn blocks_for(machine: &Machine, threads: usize) -> Blocks {
    let cache = |level| machine.visible_levels().iter().find(|cache| cache.level == level);
    let size = |level| cache(level).map_or(0, |cache| cache.size.0);
    Blocks::for_caches(size(1), size(2), threads)
}

/// `--counters` of the programs that measure this ladder.
pub fn sources(option: clap::Arg) -> clap::Arg {
    cli::sources(&[Counters::Auto, Counters::Hardware, Counters::Model, Counters::None])(option)
}

/// All results for one rung and one product.
#[derive(Debug)]
pub(super) struct Outcome<'a> {
    pub(super) rung: &'static Variant,
    pub(super) p: Problem<'a>,
    machine: &'a Machine,
    /// Wall-clock seconds.
    pub(super) seconds: Reading,
    /// Largest relative error of the check, if the product was computed.
    pub(super) check: Option<f64>,
    /// The model's counts, or why there are none.
    pub(super) model: Result<Counts, String>,
    /// The model's L1 misses with the arrays at several places, if these differ.
    pub(super) placements: Option<Reading>,
    /// Hardware's counts, or why there are none.
    hardware: Vec<(Event, Reading)>,
}

/// The results of `rungs`, in turns: their times, and their counts by the model and by hardware.
/// A rung that cannot run has the reason, if there are others.
/// Fails if `arena` is too small, the only rung cannot run, because the system does not start enough
/// threads, a product is wrong, or a counter fails while it counts.
pub(super) fn outcomes<'a>(
    Setup { session, plan }: &'a Setup,
    rungs: &[&'static Variant],
    arena: &'a Arena,
    sides: [usize; 3],
    blocks: Blocks,
) -> Result<Vec<Outcome<'a>>, Failure> {
    let problem = if session.measures_host { Problem::new } else { Problem::without_numbers };
    let p = problem(arena, sides, blocks).map_err(Failure::could_not)?;
    // All processors that the rung's threads may use.
    let affinity =
        |at: usize| (rungs[at].cores(blocks.threads) > 1).then(|| AffinityGuard::to(&session.cpus)).flatten();
    let run = |at: usize| rungs[at].run_native(&p).map_err(Failure::could_not);
    let once = |at: usize| {
        let _affinity = affinity(at);
        let (from, timed) = (clock::wall().0, || clock::time(|| p.clear(), || run(at)));
        let first = timed()?;
        if first.wall.0 > 10.0 * WARM_UP_S {
            return Ok(first);
        }
        while clock::wall().0 < from + WARM_UP_S {
            run(at)?;
        }
        timed()
    };
    let check = |at: usize| match (p.residual(), rungs[at].name) {
        (error, _) if error <= LARGEST_ERROR => Ok(error),
        (error, name) => Err(Failure::could_not(format!(
            "the product of {name} is wrong: its check is off by {error:.1e}"
        ))),
    };
    let timed = if session.measures_host {
        ladder::in_turns(session, rungs.len(), session.runs, once, check)?
    } else {
        let reason = format!("{} is described, not measured", session.machine.name);
        rungs.iter().map(|_| Err(reason.clone())).collect()
    };
    let mut outcomes = Vec::new();
    for (at, (&rung, timed)) in rungs.iter().zip(timed).enumerate() {
        let (seconds, check) = match timed {
            Ok((runs, check)) => (measure::seconds(&runs, |run| run.wall), Some(check)),
            Err(why) => (Reading::missing(why), None),
        };
        let model = match not_modelled(session, rung, blocks.threads) {
            _ if session.is_over() => Err(LEFT_OUT.to_owned()),
            Some(reason) => Err(reason.to_owned()),
            None => {
                let line = session.line_of_progress();
                model::count(rung, &p, arena, &session.machine, limit_s(rungs), line)
            }
        };
        let alone = model.as_ref().ok().filter(|_| rungs.len() == 1 && !session.is_over());
        let placements = alone.and_then(|here| model::placements(rung, &p, &session.machine, here));
        let hardware = match check {
            // If it did not run, it cannot be counted either.
            None if session.measures_host => EVENTS.map(|event| (event, seconds.clone())).into(),
            _ => ladder::count(session, plan, &EVENTS, &mut || p.clear(), &mut || {
                let _affinity = affinity(at);
                run(at)
            })?,
        };
        let machine = &session.machine;
        outcomes.push(Outcome { rung, p, machine, seconds, check, model, placements, hardware });
    }
    Ok(outcomes)
}

/// Seconds of measuring and modelling `rungs`, before anything is measured.
pub(super) fn estimate(session: &Session, rungs: &[&Variant], sides: [usize; 3]) -> f64 {
    let runs = if session.measures_host { session.runs * rungs.len() } else { 0 };
    let iterations: f64 = sides.map(|side| side as f64).iter().product();
    let modelled = rungs.iter().filter(|rung| not_modelled(session, rung, 1).is_none());
    let seconds = modelled.map(|rung| model::seconds(rung, sides, &session.machine));
    runs as f64 * 2.0 * iterations * OPERATION
        + seconds.filter(|seconds| *seconds <= limit_s(rungs)).sum::<f64>()
}

/// Why the model does not count a rung on `threads` threads, if it does not.
fn not_modelled(session: &Session, rung: &Variant, threads: usize) -> Option<&'static str> {
    match rung.kernel {
        Kernel::Library => Some("the library's accesses are not modelled"),
        _ if !matches!(session.counters, Counters::Auto | Counters::Model) => {
            Some("--counters model was not asked for")
        }
        Kernel::Threads if threads > 1 => Some("the model is of one core's caches"),
        _ => None,
    }
}

/// Longest time in which the model may count one of them.
fn limit_s(rungs: &[&Variant]) -> f64 {
    model::LONGEST_S / rungs.len() as f64
}

impl Outcome<'_> {
    /// Cores that it used.
    pub(super) fn threads(&self) -> usize {
        self.rung.cores(self.p.blocks.threads)
    }

    /// GFLOP/s with the operations of the textbook.
    pub(super) fn gflops(&self) -> Reading {
        self.seconds.rate(self.p.flops() / 1e9)
    }

    /// The caches with a closed form or modelled misses, level 1 first.
    pub(super) fn levels(&self) -> impl Iterator<Item = &CacheLevel> {
        self.machine
            .levels
            .iter()
            .filter(|cache| self.form(cache).is_some() || self.modelled(cache).is_some())
    }

    /// The lecture's counting for a cache, per inner iteration, unless it is secret.
    pub(super) fn form(&self, cache: &CacheLevel) -> Option<ClosedForm> {
        let Outcome { rung, p, machine, .. } = self;
        if machine.sealed() || rung.kernel == Kernel::Library {
            return None;
        }
        let form = theory::closed_form(rung.kernel, p.sides(), p.blocks, tile(p.isa), cache);
        Some(ClosedForm { misses: form.misses.scaled(1.0 / p.iterations()), ..form })
    }

    /// The model's misses of a cache, per inner iteration.
    pub(super) fn modelled(&self, cache: &CacheLevel) -> Option<Misses> {
        let level = self.model.as_ref().ok()?.level(cache.level)?;
        Some(Misses::counted(level).scaled(1.0 / self.p.iterations()))
    }

    /// The misses of the first cache by the model, and by the closed form.
    pub(super) fn first(&self) -> (Option<Misses>, Option<Misses>) {
        let first = self.levels().next();
        (first.and_then(|cache| self.modelled(cache)), first.and_then(|cache| Some(self.form(cache)?.misses)))
    }

    /// Hardware's count of a cache's misses, of all arrays together, per inner iteration.
    pub(super) fn counted(&self, cache: &CacheLevel) -> Reading {
        let name = format!("PAPI_L{}_DCM", cache.level);
        let counted = self.hardware.iter().find(|(event, _)| event.name() == name);
        let none = || Reading::missing(format!("{name} is not asked for"));
        counted.map_or_else(none, |(_, counted)| counted.scaled(1.0 / self.p.iterations()))
    }

    /// The assumptions of the closed form that fail, if the two differ by more than 0.01 misses per iteration and by
    /// more than 10 % of the closed form.
    pub(super) fn failing(&self, cache: &CacheLevel) -> Vec<String> {
        let (Some(form), Some(model)) = (self.form(cache), self.modelled(cache)) else { return Vec::new() };
        let [form_total, model] = [form.misses, model].map(Misses::total);
        let differs = (model - form_total).abs() > f64::max(0.01, 0.1 * form_total);
        form.assumptions.into_iter().filter(|a| differs && !a.holds).map(|a| a.text).collect()
    }

    /// An event's count from hardware, else from the model; if it has neither, both reasons.
    pub(super) fn count(&self, event: &Event) -> Reading {
        let hardware = reading_of(&self.hardware, event);
        let model = match &self.model {
            Ok(counts) => counts.reading(event),
            Err(why) => Reading::missing(why),
        };
        match (hardware.reason(), model.reason()) {
            (None, _) => hardware,
            (_, None) => model,
            (Some(reason), Some(why)) => Reading::missing(format!("{reason}; and {why}")),
        }
    }

    /// The lecture's derived metrics.
    pub(super) fn metrics(&self) -> [(&'static str, Reading); 8] {
        let [instructions, loads, stores] =
            [Event::TOT_INS, Event::LD_INS, Event::SR_INS].map(|event| self.count(&event));
        // Loads and stores, counted together, else the sum of both.
        let sum = Reading::joined(&loads, &stores, |loads, stores| loads + stores);
        let together = self.count(&Event::LST_INS);
        let accesses = if together.amount().is_none() && sum.amount().is_some() { sum } else { together };
        let per = |over: &Reading, event: &Event| quotient(over, &self.count(event), event.name());
        [
            ("instructions_per_cycle", per(&instructions, &Event::TOT_CYC)),
            ("flops", self.seconds.rate(self.p.flops())),
            ("computational_intensity", accesses.rate(self.p.flops())),
            ("instructions_per_load_store", quotient(&instructions, &accesses, "loads + stores")),
            ("load_stores_per_miss", per(&accesses, &Event::L1_DCM)),
            ("hit_rate", Reading::hit_rate(&self.count(&Event::L1_DCM), &accesses)),
            ("loads_per_load_miss", per(&loads, &Event::L1_LDM)),
            ("loads_per_tlb_miss", per(&loads, &Event::TLB_DM)),
        ]
    }
}

/// `over` divided by `under`, which is called `name`; missing if that is 0.
fn quotient(over: &Reading, under: &Reading, name: &str) -> Reading {
    match under.amount() {
        Some(0.0) => Reading::missing(format!("{name} is 0, nothing to divide by")),
        _ => Reading::joined(over, under, |over, under| over / under),
    }
}

#[cfg(test)]
mod tests {
    use common::value::Source;

    use super::*;

    #[test]
    fn a_quotient_is_missing_with_its_reason_and_never_infinite() {
        let [over, zero] = [800.0, 0.0].map(|amount| Reading::new(amount, Source::Hardware));
        let modelled = Reading::new(400.0, Source::Model);
        assert_eq!(quotient(&over, &modelled, "x"), Reading::new(2.0, Source::Model));
        assert_eq!(quotient(&over, &zero, "x"), Reading::missing("x is 0, nothing to divide by"));
        assert_eq!(quotient(&over, &Reading::missing("no counter"), "x"), Reading::missing("no counter"));
    }
}
