//! Times and counts of what runs.

use common::cache::Counts;
use common::cli::{self, Counters, Measuring, Modelling, Output};
use common::clock::Stopwatch;
use common::cpu::AffinityGuard;
use common::events::Event;
use common::failure::Failure;
use common::machine::{CacheLevel, Machine};
use common::measure::{Plan, Session};
use common::memory::Arena;
use common::value::{Reading, Source};

use super::outcome::Outcome;
use super::subject::Subject;
use crate::counting::model;
use crate::counting::theory;
use crate::problem::{Blocks, Problem};
use crate::rungs::widest::tile;
use crate::variants::Kernel;

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

/// Why a figure is missing if the measurement had to end before it.
pub(super) const LEFT_OUT: &str = "left out: the measurement took too long, or was interrupted";

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

/// A session in which [`outcomes`] chooses the number of runs unless an option does.
///
/// # Errors
///
/// Those of [`Session::start`].
pub fn session(measuring: &Measuring, modelling: &Modelling, output: &Output) -> Result<Session, Failure> {
    let mut session = Session::start(measuring, modelling, output)?;
    session.runs_are_free = measuring.runs.is_none();
    Ok(session)
}

/// `--counters` of the same programs.
pub fn sources(option: clap::Arg) -> clap::Arg {
    cli::sources(&[Counters::Auto, Counters::Hardware, Counters::Model, Counters::None])(option)
}

/// Chooses the source of [`EVENTS`]; the model is shown next to hardware's counts.
///
/// # Errors
///
/// If `--counters hardware` was asked for and none of them can be counted.
pub fn plan(session: &Session) -> Result<Plan, Failure> {
    Ok(session.plan(&EVENTS)?.without_model())
}

/// All results of `subjects`: their times, and their counts by the model and by hardware.
///
/// A subject that cannot run is omitted, with the reason, if there are others.
///
/// # Errors
///
/// If the only subject cannot run, because the system does not start enough threads, or a
/// counter fails while it counts.
pub fn outcomes(
    session: &Session,
    plan: &Plan,
    subjects: &[Subject],
    p: &Problem,
    arena: &Arena,
) -> Result<Vec<Outcome>, Failure> {
    let times = times(session, subjects, p)?;
    let outcome = |(&subject, (seconds, check)): (&Subject, (Reading, Option<f64>))| {
        let model = modelled(session, subject, p, arena, limit_s(subjects));
        let hardware = match seconds.reason() {
            // If it could not be timed, it could not be counted either.
            Some(reason) if session.measures_host => not_counted(reason),
            _ => hardware(session, plan, subject, p)?,
        };
        let form = |cache: &CacheLevel| match subject {
            Subject::Rung(variant) => {
                let form = theory::closed_form(variant.kernel, p.sides(), p.blocks, tile(p.isa), cache);
                Some((cache.clone(), form))
            }
            Subject::Yardstick => None,
        };
        let forms = session.machine.visible_levels().iter().filter_map(form).collect();
        let threads = subject.cores(p.blocks.threads);
        Ok(Outcome { subject, threads, seconds, check, forms, model, hardware })
    };
    subjects.iter().zip(times).map(outcome).collect()
}

/// Times all `subjects` in rounds, so that a disturbance affects all of them, and checks
/// their products. In the first round each accesses its memory for the first time: its time
/// counts only if there is no other.
fn times(
    session: &Session,
    subjects: &[Subject],
    p: &Problem,
) -> Result<Vec<(Reading, Option<f64>)>, Failure> {
    if !session.measures_host {
        let reason = format!("{} is described, not measured", session.machine.name);
        return Ok(vec![(Reading::missing(reason), None); subjects.len()]);
    }
    let repeats = if session.runs_are_free { SHORT_RUNS } else { session.runs };
    let all = subjects.len() * (1 + repeats);
    let mut timings: Vec<Result<(Vec<f64>, f64), String>> = vec![Err(LEFT_OUT.to_owned()); subjects.len()];
    for (done, round, at) in (0..all).map(|done| (done, done / subjects.len(), done % subjects.len())) {
        session.progress(done, all);
        // At least one run, so that there is a result.
        if session.is_over() && done > 0 {
            break;
        }
        let subject = subjects[at];
        match &mut timings[at] {
            first if round == 0 => {
                p.clear();
                *first = match timed(session, subject, p) {
                    Ok(seconds) => Ok((vec![seconds], p.residual())),
                    Err(why) if subjects.len() > 1 => Err(why.to_string()),
                    Err(why) => return Err(why),
                };
            }
            Ok((runs, _)) if session.runs > 1 || runs[0] < LONG => runs.push(timed(session, subject, p)?),
            _ => {}
        }
    }
    session.progress(all, all);
    let reading = |timing: Result<(Vec<f64>, f64), String>| match timing {
        Err(why) => (Reading::missing(why), None),
        Ok((runs, check)) => {
            let counted = if runs.len() > 1 { &runs[1..] } else { &runs };
            (Reading::from_runs(counted, Source::Timing), Some(check))
        }
    };
    Ok(timings.into_iter().map(reading).collect())
}

fn timed(session: &Session, subject: Subject, p: &Problem) -> Result<f64, Failure> {
    let several = subject.cores(p.blocks.threads) > 1;
    let _kept = several.then(|| AffinityGuard::to(&session.cpus)); // what its threads may use
    let watch = Stopwatch::start();
    let ran = subject.run(p);
    let took = watch.stop().wall.0;
    ran.map(|()| took).map_err(Failure::could_not)
}

/// Whether the model counts the accesses, too.
fn models(session: &Session) -> bool {
    matches!(session.counters, Counters::Auto | Counters::Model)
}

/// Seconds that the model needs for all `subjects`, if none of their states recurs.
pub fn modelling_seconds(session: &Session, subjects: &[Subject], sides: [usize; 3]) -> f64 {
    let one = |subject: &Subject| match subject {
        Subject::Rung(variant) if models(session) => model::seconds(variant, sides, &session.machine),
        _ => 0.0,
    };
    subjects.iter().map(one).filter(|seconds| *seconds <= limit_s(subjects)).sum()
}

/// Longest time in which the model may count one of them.
fn limit_s(subjects: &[Subject]) -> f64 {
    model::LONGEST_S / subjects.len() as f64
}

/// The model's counts of a subject, with a progress line if it takes long.
fn modelled(
    session: &Session,
    subject: Subject,
    p: &Problem,
    arena: &Arena,
    limit_s: f64,
) -> Result<Counts, String> {
    let refused = |reason: &str| Err(reason.to_owned());
    match subject {
        _ if session.is_over() => refused(LEFT_OUT),
        Subject::Yardstick => refused("the library's accesses are not modelled"),
        _ if !models(session) => refused("--counters model was not asked for"),
        Subject::Rung(rung) if rung.kernel == Kernel::Threads && p.blocks.threads > 1 => {
            refused("the model is of one core's caches")
        }
        Subject::Rung(rung) => {
            model::count(rung, p, arena, &session.machine, limit_s, session.line_of_progress())
        }
    }
}

fn not_counted(why: &str) -> Vec<(Event, Reading)> {
    EVENTS.iter().map(|event| (event.clone(), Reading::missing(why))).collect()
}

fn hardware(
    session: &Session,
    plan: &Plan,
    subject: Subject,
    p: &Problem,
) -> Result<Vec<(Event, Reading)>, Failure> {
    if session.is_over() {
        return Ok(not_counted(LEFT_OUT));
    }
    let mut ran = Ok(());
    let counted = session.count(plan, &mut || p.clear(), &mut || {
        if ran.is_ok() {
            ran = timed(session, subject, p).map(drop);
        }
    });
    ran.and(counted)
}
