//! `lab dgemm`: the lecture's charts of the matrix product.

use std::path::PathBuf;

use ::dgemm::counting::theory::Misses;
use ::dgemm::experiment::{self, Subject, program};
use ::dgemm::{Problem, Variant};
use chart::{Axis, Chart};
use common::cli::{self, Measuring, Modelling, Output};
use common::events::Event;
use common::failure::Failure;
use common::measure::{self, Plan, Session};
use common::record::{Record, Row};
use common::value::{Reading, Source};

use super::ladder::{self, Ladder, Options};

/// Draw time, rate and misses of the matrix product over the side n
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("runs", cli::runs(experiment::DEFAULT_RUNS)),
    mut_arg("counters", experiment::sources),
    mut_arg("sizes", |sizes| sizes.default_value("64,96,128,192,256,384,512,768,1024")),
    mut_arg("variants", |variants| variants.default_value("ijk,ikj,block-l1,unrolled,block-l2,recursive,tiled,threads")),
    mut_arg("chart", cli::refused::<PathBuf>("this sweep draws three charts; choose their folder with --output"))
)]
pub(crate) struct Args {
    #[command(flatten)]
    ladder: Options,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

/// Assumed seconds of one operation before anything is measured.
const OPERATION: f64 = 0.25e-9;
/// Misses of the first level, all arrays together.
pub(super) const MISSES: &str = "misses_per_iteration";
/// The same by the lecture's closed form.
pub(super) const CLOSED: &str = "misses_per_iteration_closed";

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let rungs = args.ladder.variants.iter().map(|name| Ok(program::rung(name)?.name));
    let rungs = rungs.collect::<Result<Vec<_>, Failure>>()?;
    let session = experiment::session(&args.measuring, &args.modelling, &args.output)?;
    let mut products = Products { plan: experiment::plan(&session)?, session: &session };
    ladder::run(&mut products, rungs, &session, &args.ladder, &args.output)
}

fn subjects(rungs: &[&str]) -> Vec<Subject> {
    rungs.iter().filter_map(|name| Variant::find(name)).map(Subject::Rung).collect()
}

struct Products<'s> {
    session: &'s Session,
    plan: Plan,
}

impl Ladder for Products<'_> {
    const NAME: &'static str = "dgemm";
    const SIZE: &'static str = "n";

    fn estimate(&self, rungs: &[&'static str], n: usize) -> f64 {
        let session = self.session;
        // The first run of each rung is one more.
        let runs = if session.measures_host { session.runs + 1 } else { 0 };
        let measuring = (runs * rungs.len()) as f64 * 2.0 * (n as f64).powi(3) * OPERATION;
        measuring + experiment::modelling_seconds(session, &subjects(rungs), [n; 3])
    }

    fn measure(&mut self, rungs: &[&'static str], n: usize) -> Result<Vec<Row>, Failure> {
        let session = self.session;
        let blocks = experiment::blocks_for(&session.machine, session.team());
        let arena = measure::arena(Problem::bytes(n, n, n, blocks))?;
        let problem = if session.measures_host { Problem::new } else { Problem::without_numbers };
        let p = problem(&arena, [n; 3], blocks).map_err(Failure::could_not)?;
        let outcomes = experiment::outcomes(session, &self.plan, &subjects(rungs), &p, &arena)?;
        let measured = outcomes.iter().filter(|outcome| {
            outcome.seconds.amount().is_some() || outcome.model.is_ok() || !session.is_over()
        });
        let row = |outcome| {
            let row = program::row(outcome, &p);
            let (model, form) =
                outcome.per_iteration(&p, 1).map_or((None, None), |per| (per.model, per.form));
            let figure = |of: fn(Misses) -> f64| {
                let missing = || Reading::missing("nothing was modelled");
                model.map_or_else(missing, |misses| Reading::new(of(misses), Source::Model))
            };
            let closed = form.map(|misses| Reading::new(misses.total(), Source::Analytic));
            // an estimate has both of its samples
            let total = outcome.model.as_ref().map(|counts| counts.reading(&Event::L1_DCM));
            let total = total.unwrap_or_else(|_| Reading::missing("nothing was modelled"));
            row.with(MISSES, total.scaled(1.0 / p.iterations()))
                .with("misses_per_iteration_a", figure(|misses| misses.a))
                .with("misses_per_iteration_b", figure(|misses| misses.b))
                .with("misses_per_iteration_c", figure(|misses| misses.c))
                .with("misses_per_iteration_walks", figure(|misses| misses.walks))
                .with(
                    CLOSED,
                    closed.unwrap_or_else(|| {
                        Reading::missing("the closed form needs a cache that is described and not secret")
                    }),
                )
        };
        Ok(measured.map(row).collect())
    }

    fn complete(&mut self, _: &mut Record) {}

    fn text(&self, record: &Record) -> String {
        let head = "variant\tn\tseconds\tGFLOP/s\tL1 misses per inner iteration\tsources\n".to_owned();
        record.rows.iter().fold(head, |text, row| {
            let figures = ["seconds", "gflops", MISSES].map(|name| row.reading(name));
            let amount = |figure: Option<&Reading>| figure.and_then(Reading::amount);
            let cells = figures.map(|f| amount(f).map_or("-".to_owned(), |amount| format!("{amount:.6}")));
            let sources = [figures[0], figures[2]].map(ladder::source).join(",");
            let (name, n) = (ladder::name(row), row.whole("n").unwrap_or_default());
            text + &format!("{name}\t{n}\t{}\t{sources}\n", cells.join("\t"))
        })
    }

    fn charts(&self, record: &Record) -> Vec<(&'static str, Chart)> {
        let machine = &self.session.machine.description;
        let timed = format!("Wall time on {machine}, source: timing.");
        let modelled = format!("Cache model of {machine}, source: model.");
        let drawn = |title: &str, y: Axis, figure: &str, caption: &str| {
            let reading =
                |row: &Row| row.reading(figure).cloned().unwrap_or_else(|| Reading::missing("none"));
            let axes = [Axis::log("side n of the matrices"), y];
            ladder::over_size::<Self>(record, title, axes, reading).caption(caption)
        };
        let misses = Axis::share("misses per inner iteration");
        vec![
            ("dgemm-time.svg", drawn("Time of the matrix product", Axis::log("seconds"), "seconds", &timed)),
            ("dgemm-rate.svg", drawn("Rate of the matrix product", Axis::log("GFLOP/s"), "gflops", &timed)),
            ("dgemm-misses.svg", drawn("L1 misses per inner iteration", misses, MISSES, &modelled)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_rungs_are_in_the_table() {
        use clap::{Args as _, Command, FromArgMatches};
        let command = Args::augment_args(Command::new("dgemm"));
        let args = Args::from_arg_matches(&command.get_matches_from(["dgemm"])).unwrap();
        assert!(args.ladder.variants.iter().all(|name| Variant::find(name).is_some()));
    }
}
