//! Times and counts of what runs.

use common::cache::Counts;
use common::cli::{self, Counters, Measuring, Modelling, Output};
use common::clock::{self, Elapsed};
use common::cpu::AffinityGuard;
use common::events::Event;
use common::failure::Failure;
use common::machine::{CacheLevel, Machine};
use common::measure::{self, Session};
use common::memory::Arena;
use common::value::Reading;

use ladder::{LEFT_OUT, Setup};

use super::outcome::{Level, Outcome};
use crate::counting::model;
use crate::counting::theory::{self, Misses};
use crate::problem::{Blocks, Problem};
use crate::rungs::widest::tile;
use crate::variants::{Kernel, Variant};

/// The events of the derived metrics.
pub const EVENTS: [Event; 9] = [
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

/// The blocks for `machine`'s caches; for usual caches if it is sealed.
pub fn blocks_for(machine: &Machine, threads: usize) -> Blocks {
    let cache = |level| machine.visible_levels().iter().find(|cache| cache.level == level);
    let size = |level| cache(level).map_or(0, |cache| cache.size.0);
    Blocks::for_caches(size(1), size(2), threads)
}

/// If the first run takes this many seconds, it is not repeated by default.
const LONG: f64 = 0.5;
/// Default number of runs of shorter products.
const SHORT_RUNS: usize = 7;

/// The default of `--runs` in words.
pub const DEFAULT_RUNS: &str = "1, or 7 for a product of less than half a second";

/// A session in which [`outcomes`] chooses the number of runs unless an option does, and the sources of [`EVENTS`]; the
/// model is shown next to hardware's counts.
/// Fails as [`Session::start`] does, or if `--counters hardware` was asked for and none of them can be counted.
pub(super) fn start(measuring: &Measuring, modelling: &Modelling, to: &Output) -> Result<Setup, Failure> {
    let mut session = Session::start(measuring, modelling, to)?;
    session.runs_are_free = measuring.runs.is_none();
    let plan = session.plan(&EVENTS, false)?;
    Ok(Setup { session, plan })
}

/// `--counters` of the same programs.
pub fn sources(option: clap::Arg) -> clap::Arg {
    cli::sources(&[Counters::Auto, Counters::Hardware, Counters::Model, Counters::None])(option)
}

/// A problem that can be computed if this machine is measured, and only counted otherwise.
/// Fails if `arena` is too small.
pub(super) fn problem<'a>(
    session: &Session,
    arena: &'a Arena,
    sides: [usize; 3],
    blocks: Blocks,
) -> Result<Problem<'a>, Failure> {
    let problem = if session.measures_host { Problem::new } else { Problem::without_numbers };
    problem(arena, sides, blocks).map_err(Failure::could_not)
}

/// All results of `rungs`: their times, and their counts by the model and by hardware.
/// A rung that cannot run is left out, with the reason, if there are others.
/// Fails if the only rung cannot run, because the system does not start enough threads, or a
/// counter fails while it counts.
pub(super) fn outcomes(
    Setup { session, plan }: &Setup,
    rungs: &[&'static Variant],
    p: &Problem,
    arena: &Arena,
) -> Result<Vec<Outcome>, Failure> {
    let outcome = |(&rung, (seconds, check)): (&&'static Variant, (Reading, Option<f64>))| {
        let model = modelled(session, rung, p, arena, limit_s(rungs));
        let alone = model.as_ref().ok().filter(|_| rungs.len() == 1 && !session.is_over());
        let placements = alone.and_then(|here| model::placements(rung, p, &session.machine, here));
        let hardware = match seconds.reason() {
            // If it could not be timed, it could not be counted either.
            Some(_) if session.measures_host => EVENTS.map(|event| (event, seconds.clone())).into(),
            _ => ladder::count(session, plan, &EVENTS, &mut || p.clear(), &mut || {
                let _kept = kept(session, rung, p);
                rung.run_native(p).map_err(Failure::could_not)
            })?,
        };
        let levels = levels(session, rung, p, model.as_ref().ok(), &hardware);
        let threads = rung.cores(p.blocks.threads);
        Ok(Outcome { rung, threads, seconds, check, levels, model, placements, hardware })
    };
    rungs.iter().zip(times(session, rungs, p)?).map(outcome).collect()
}

/// Misses per inner iteration of the levels that have a closed form or are modelled.
fn levels(
    session: &Session,
    rung: &Variant,
    p: &Problem,
    model: Option<&Counts>,
    hardware: &[(Event, Reading)],
) -> Vec<Level> {
    let each = 1.0 / p.iterations().max(1.0);
    let level = |cache: &CacheLevel| {
        let is_described = !session.machine.sealed() && rung.kernel != Kernel::Library;
        let form = || theory::closed_form(rung.kernel, p.sides(), p.blocks, tile(p.isa), cache);
        let described = is_described.then(|| (cache.clone(), form()));
        let form = described.as_ref().map(|(_, form)| form.misses.scaled(each));
        let model = model.and_then(|counts| counts.level(cache.level));
        let model = model.map(|level| Misses::counted(level).scaled(each));
        let name = format!("PAPI_L{}_DCM", cache.level);
        let counted = hardware.iter().find(|(event, _)| event.name() == name);
        let none = || Reading::missing(format!("{name} is not asked for"));
        let hardware = counted.map_or_else(none, |(_, counted)| counted.scaled(each));
        (form.is_some() || model.is_some()).then_some(Level {
            number: cache.level,
            described,
            form,
            model,
            hardware,
        })
    };
    session.machine.levels.iter().filter_map(level).collect()
}

/// Times all `rungs` in turns, and checks their products. In the first round each accesses its
/// memory for the first time: its time counts only if there is no other.
fn times(
    session: &Session,
    rungs: &[&'static Variant],
    p: &Problem,
) -> Result<Vec<(Reading, Option<f64>)>, Failure> {
    if !session.measures_host {
        let reason = format!("{} is described, not measured", session.machine.name);
        return Ok(vec![(Reading::missing(reason), None); rungs.len()]);
    }
    let repeats = if session.runs_are_free { SHORT_RUNS } else { session.runs };
    let once = |at: usize| {
        let _kept = kept(session, rungs[at], p);
        clock::time(|| p.clear(), || rungs[at].run_native(p).map_err(Failure::could_not))
    };
    // The first run's repetitions took so many seconds together.
    let spent = |first: &Elapsed| first.wall.0 * clock::step().0 / first.step.0;
    let enough = |runs: &[Elapsed]| session.runs <= 1 && spent(&runs[0]) >= LONG;
    let all = ladder::in_turns(session, rungs.len(), 1 + repeats, once, |_| Ok(p.residual()), enough)?;
    let reading = |(runs, check): (Vec<Elapsed>, f64)| {
        let counted = if runs.len() > 1 { &runs[1..] } else { &runs };
        (measure::seconds(counted, |run| run.wall), Some(check))
    };
    Ok(all.into_iter().map(|runs| runs.map_or_else(|why| (Reading::missing(why), None), reading)).collect())
}

/// Allows all processors that the rung's threads may use.
fn kept(session: &Session, rung: &Variant, p: &Problem) -> Option<AffinityGuard> {
    (rung.cores(p.blocks.threads) > 1).then(|| AffinityGuard::to(&session.cpus)).flatten()
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

/// Seconds that the model needs for all `rungs`, if none of their states recurs.
pub(super) fn modelling_seconds(session: &Session, rungs: &[&Variant], sides: [usize; 3]) -> f64 {
    let modelled = rungs.iter().filter(|rung| not_modelled(session, rung, 1).is_none());
    let seconds = modelled.map(|rung| model::seconds(rung, sides, &session.machine));
    seconds.filter(|seconds| *seconds <= limit_s(rungs)).sum()
}

/// Longest time in which the model may count one of them.
fn limit_s(rungs: &[&Variant]) -> f64 {
    model::LONGEST_S / rungs.len() as f64
}

/// The model's counts of a rung, with a progress line if it takes long.
fn modelled(
    session: &Session,
    rung: &Variant,
    p: &Problem,
    arena: &Arena,
    limit_s: f64,
) -> Result<Counts, String> {
    match not_modelled(session, rung, p.blocks.threads) {
        _ if session.is_over() => Err(LEFT_OUT.to_owned()),
        Some(reason) => Err(reason.to_owned()),
        None => model::count(rung, p, arena, &session.machine, limit_s, session.line_of_progress()),
    }
}
