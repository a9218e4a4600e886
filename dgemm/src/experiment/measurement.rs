//! Times and counts of what runs.

use common::cache::Counts;
use common::cli::{self, Counters};
use common::clock::Stopwatch;
use common::cpu::AffinityGuard;
use common::events::Event;
use common::failure::Failure;
use common::machine::{CacheLevel, Machine};
use common::measure::{self, Plan, Session};
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

/// `--runs` of the programs with these times: it has no fixed default, so its help text
/// differs.
pub fn runs(option: clap::Arg) -> clap::Arg {
    option.default_value(None).help(
        "Repeat each measurement N times; prints the median, the smallest and the largest [default: 1, or 7 for a product of less than half a second]",
    )
}

/// `--counters` of the same programs.
pub fn sources(option: clap::Arg) -> clap::Arg {
    cli::sources(
        &[Counters::Auto, Counters::Hardware, Counters::Model, Counters::None],
        "--counters timing gives no misses of a product; take auto, hardware, model or none",
    )(option)
}

/// Chooses the source of [`EVENTS`]; the model is shown next to hardware's counts.
///
/// # Errors
///
/// If `--counters hardware` was asked for and none of them can be counted.
pub fn plan(session: &Session) -> Result<Plan, Failure> {
    Ok(session.plan(&EVENTS)?.without_model())
}

/// Times all `subjects` in rounds, so that a disturbance affects all of them. Each is run
/// once beforehand, which also checks its product and accesses its memory for the first
/// time.
///
/// A subject that cannot run is omitted, with the reason, if there are others.
///
/// # Errors
///
/// If the only subject cannot run: the system does not start enough threads.
pub fn times(
    session: &Session,
    subjects: &[Subject],
    p: &Problem,
) -> Result<Vec<(Reading, Option<f64>)>, Failure> {
    if !session.measures_host {
        let reason = format!("{} is described, not measured", session.machine.name);
        return Ok(subjects.iter().map(|_| (Reading::missing(reason.clone()), None)).collect());
    }
    let repeats = if session.runs_are_free { SHORT_RUNS } else { session.runs };
    let all = subjects.len() * (1 + repeats);
    let mut first: Vec<Result<(f64, f64), String>> = Vec::new();
    for subject in subjects {
        session.progress(first.len(), all);
        // At least one run, so that there is a result.
        if session.is_over() && !first.is_empty() {
            break;
        }
        p.clear();
        first.push(match timed(session, *subject, p) {
            Ok(seconds) => Ok((seconds, p.residual())),
            Err(why) if subjects.len() > 1 => Err(why.to_string()),
            Err(why) => return Err(why),
        });
    }
    let mut runs: Vec<Vec<f64>> = vec![Vec::new(); subjects.len()];
    let several = session.runs > 1;
    for round in 0..repeats {
        session.progress(subjects.len() * (1 + round), all);
        for (i, subject) in subjects.iter().enumerate().filter(|_| !session.is_over()) {
            let Ok((once, _)) = first[i] else { continue };
            if several || once < LONG {
                runs[i].push(timed(session, *subject, p)?);
            }
        }
    }
    session.progress(all, all);
    let reading = |(runs, first): (Vec<f64>, Result<(f64, f64), String>)| match first {
        Err(why) => (Reading::missing(why), None),
        Ok((once, residual)) => {
            let runs = if runs.is_empty() { vec![once] } else { runs };
            (Reading::from_runs(&runs, Source::Timing), Some(residual))
        }
    };
    let mut readings: Vec<_> = runs.into_iter().zip(first).map(reading).collect();
    readings.resize(subjects.len(), (Reading::missing(LEFT_OUT), None));
    Ok(readings)
}

fn timed(session: &Session, subject: Subject, p: &Problem) -> Result<f64, Failure> {
    let several = subject.cores(p.blocks.threads) > 1;
    let _kept = several.then(|| AffinityGuard::to(&session.cpus)); // what its threads may use
    let watch = Stopwatch::start();
    let ran = subject.run(p);
    let took = watch.stop().wall.0;
    ran.map(|()| took).map_err(Failure::could_not)
}

/// Seconds that the model needs for all `subjects`, if none of their states recurs.
pub fn modelling_seconds(session: &Session, subjects: &[Subject], p: &Problem) -> f64 {
    if !matches!(session.counters, Counters::Auto | Counters::Model) {
        return 0.0;
    }
    let one = |subject: &Subject| match subject {
        Subject::Rung(variant) => model::seconds(variant, p, &session.machine),
        Subject::Yardstick => 0.0,
    };
    subjects.iter().map(one).filter(|seconds| *seconds <= limit_s(subjects)).sum()
}

/// Longest time in which the model may count one of them.
fn limit_s(subjects: &[Subject]) -> f64 {
    if subjects.len() > 1 { model::LONGEST_OF_SEVERAL_S } else { model::LONGEST_S }
}

/// All results of `subjects` except their times. On a described machine, where none of them
/// runs, several are modelled at once.
///
/// # Errors
///
/// If a counter fails while it counts, or there is not enough memory.
pub fn counted(
    session: &Session,
    plan: &Plan,
    subjects: &[Subject],
    p: &Problem,
    arena: &Arena,
    times: Vec<(Reading, Option<f64>)>,
) -> Result<Vec<Outcome>, Failure> {
    let at_once = !session.measures_host && subjects.len() > 1;
    let mut models = if at_once { modelled(session, subjects, p)? } else { Vec::new() }.into_iter();
    let one = |(subject, time): (&Subject, _)| {
        let model = models.next().unwrap_or_else(|| by_model(session, *subject, p, arena, limit_s(subjects)));
        about(session, plan, *subject, p, time, model)
    };
    subjects.iter().zip(times).map(one).collect()
}

/// The model's counts of `subjects`, each on matrices of its own that are never written; of
/// those that were reached before the deadline.
fn modelled(
    session: &Session,
    subjects: &[Subject],
    p: &Problem,
) -> Result<Vec<Result<Counts, String>>, Failure> {
    let (sides, blocks, counters, machine) = (p.sides(), p.blocks, session.counters, &session.machine);
    let work = |at: usize| -> Result<Counts, String> {
        let [m, n, k] = sides;
        let arena = measure::arena(Problem::bytes(m, n, k, blocks)).map_err(|e| e.to_string())?;
        let p = Problem::without_numbers(&arena, sides, blocks).map_err(|e| e.to_string())?;
        count(counters, machine, subjects[at], &p, &arena, limit_s(subjects), None)
    };
    let mut models = Vec::new();
    session.side_by_side(subjects.len(), work, |_, model| {
        models.push(model);
        !session.is_over()
    })?;
    Ok(models)
}

/// The same for one, with a progress line if it takes long.
fn by_model(
    session: &Session,
    subject: Subject,
    p: &Problem,
    arena: &Arena,
    limit_s: f64,
) -> Result<Counts, String> {
    if session.is_over() {
        return Err(LEFT_OUT.to_owned());
    }
    count(session.counters, &session.machine, subject, p, arena, limit_s, session.line_of_progress())
}

fn count(
    counters: Counters,
    machine: &Machine,
    subject: Subject,
    p: &Problem,
    arena: &Arena,
    limit_s: f64,
    progress: Option<Box<dyn FnMut(f64)>>,
) -> Result<Counts, String> {
    let Subject::Rung(variant) = subject else {
        return Err("the library's accesses are not modelled".to_owned());
    };
    if !matches!(counters, Counters::Auto | Counters::Model) {
        return Err("--counters model was not asked for".to_owned());
    }
    if variant.kernel == Kernel::Threads && subject.cores(p.blocks.threads) > 1 {
        return Err("the model is of one core's caches".to_owned());
    }
    model::count(variant, p, arena, machine, limit_s, progress).map_err(|e| e.to_string())
}

fn about(
    session: &Session,
    plan: &Plan,
    subject: Subject,
    p: &Problem,
    (seconds, check): (Reading, Option<f64>),
    model: Result<Counts, String>,
) -> Result<Outcome, Failure> {
    let threads = subject.cores(p.blocks.threads);
    let hardware = match seconds.reason() {
        // If it could not be timed, it could not be counted either.
        Some(reason) if session.measures_host => not_counted(reason),
        _ => hardware(session, plan, subject, p)?,
    };
    let mut outcome = Outcome { subject, threads, seconds, check, forms: Vec::new(), model, hardware };
    if let Subject::Rung(variant) = subject {
        let form = |cache: &CacheLevel| {
            (cache.clone(), theory::closed_form(variant.kernel, p.sides(), p.blocks, tile(p.isa), cache))
        };
        outcome.forms = session.machine.visible_levels().iter().map(form).collect();
    }
    Ok(outcome)
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
