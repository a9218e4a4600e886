//! `lab ge`: the Gaussian-elimination ladder by size, and its charts.

use std::fmt::Write as _;
use std::path::PathBuf;

use ::ge::Variant;
use ::ge::measuring::measure::{self, AllStepped, Task};
use ::ge::measuring::{peak, program};
use ::ge::problem::matrices::Fill;
use chart::{Axis, Chart};
use common::cli::{self, Counters, Measuring, Modelling, Output};
use common::failure::Failure;
use common::measure::{Plan, Session};
use common::record::{Record, Row};
use common::value::{Reading, Source};

use super::ladder::{self, Ladder, Options};

/// Seconds of one operation on the ladder's first rungs.
const OPERATION: f64 = 1e-9;
/// The figure of a row with the seconds.
const SECONDS: &str = "real_time_seconds";
/// The speed-up of a rung over the one before it.
const GAIN: &str = "times_as_fast_as_before";

/// Sweep the Gaussian-elimination ladder by size; draw its charts
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("runs", cli::runs("3")),
    mut_arg("counters", cli::sources(&[Counters::Auto, Counters::Hardware, Counters::None])),
    mut_arg("sizes", |sizes| sizes.default_value("200..1200:200")),
    mut_arg("variants", |variants| variants.default_value("ge1,ge2,ge3,ge4,ge5,ge6,ge7")),
    mut_arg("chart", cli::refused::<PathBuf>("this sweep draws five charts; choose their folder with --output"))
)]
pub(crate) struct Args {
    #[command(flatten)]
    ladder: Options,

    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let rungs = args.ladder.variants.iter().map(|name| Ok(program::rung(name)?.name));
    let rungs = rungs.collect::<Result<Vec<_>, Failure>>()?;
    let mut session = Session::start(&args.measuring, &Modelling::of("host"), &args.output)?;
    session.runs = args.measuring.runs.unwrap_or(3) as usize;
    let plan = measure::plan(&session)?;
    let mut ladder = Eliminations { session: &session, plan, stepped: AllStepped::new(), peak: 0.0 };
    ladder::run(&mut ladder, rungs, &session, &args.ladder, &args.output)
}

struct Eliminations<'s> {
    session: &'s Session,
    plan: Plan,
    /// The instructions of each rung.
    stepped: AllStepped,
    /// Floating-point operations per second of the core.
    peak: f64,
}

impl Ladder for Eliminations<'_> {
    const NAME: &'static str = "ge";
    const SIZE: &'static str = "size";

    fn estimate(&self, rungs: &[&'static str], n: usize) -> f64 {
        // One run more checks the result, or counts.
        ((self.session.runs + 1) * rungs.len()) as f64 * Variant::flops(n) * OPERATION
    }

    fn measure(&mut self, rungs: &[&'static str], size: usize) -> Result<Vec<Row>, Failure> {
        let variants: Vec<&Variant> = rungs.iter().filter_map(|name| ::ge::find(name)).collect();
        let session = self.session;
        let task = Task { size, fill: Fill::Rand, as_printed: false };
        let row = |outcome| {
            let totals = measure::totals(&task, session, &self.plan, outcome, &mut self.stepped)?;
            Ok(measure::row(size, outcome, Some(totals)))
        };
        measure::outcomes(&variants, &task, session)?.iter().map(row).collect()
    }

    /// The speed-up of each rung over the one before it at the largest size, from the ratios
    /// within each round, and the share of the core's peak.
    fn complete(&mut self, record: &mut Record) {
        let largest = record.rows.iter().filter_map(|row| row.whole("size")).max().unwrap_or_default();
        self.peak = peak::flops();
        let mut before: Option<Vec<f64>> = None;
        for row in &mut record.rows {
            let share = row.reading("mflops").map(|rate| rate.scaled(1e6 / self.peak));
            let share = share.unwrap_or_else(|| Reading::missing("not timed"));
            *row = row.clone().with("share_of_peak", share);
            if row.whole("size") == Some(largest) {
                let now = row.reading(SECONDS).map(|time| time.runs().to_vec()).unwrap_or_default();
                if let Some(before) = before.replace(now.clone()) {
                    let ratios: Vec<f64> =
                        before.iter().zip(&now).map(|(before, now)| before / now).collect();
                    *row = row.clone().with(GAIN, Reading::from_runs(&ratios, Source::Timing));
                }
            }
        }
        record.settings.set("peak_mflops", self.peak * 1e-6);
    }

    fn text(&self, record: &Record) -> String {
        let mut text =
            String::from("variant\tsize\treal_time(s)\tinstructions\tcycles\tMFLOPS\tpeak(%)\tsources\n");
        for row in &record.rows {
            let amount = |name, digits: usize| {
                row.amount(name).map_or("-".to_owned(), |amount| format!("{amount:.digits$}"))
            };
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\ttiming,{},{}",
                ladder::name(row),
                row.whole("size").unwrap_or_default(),
                amount(SECONDS, 6),
                amount("instructions", 0),
                amount("cycles", 0),
                amount("mflops", 1),
                row.amount("share_of_peak").map_or("-".to_owned(), |share| format!("{:.1}", 100.0 * share)),
                ladder::source(row.reading("instructions")),
                ladder::source(row.reading("cycles")),
            );
        }
        let _ = writeln!(text, "\npeak of this core: {:.1} MFLOPS source=timing\n", self.peak * 1e-6);
        for pair in record.rows.windows(2) {
            if let Some(gain) = pair[1].reading(GAIN) {
                let spread = gain.spread().map(|s| format!(" ({:.2} to {:.2})", s.min, s.max));
                let times = gain.amount().map_or("?".to_owned(), |times| format!("{times:.2}"));
                let [from, to] = [&pair[0], &pair[1]].map(ladder::name);
                let size = pair[1].whole("size").unwrap_or_default();
                let spread = spread.unwrap_or_default();
                let _ = writeln!(text, "{from} to {to} at {size}: {times} times as fast{spread}");
            }
        }
        text
    }

    /// The homework's four charts, and the distance to the core's peak.
    fn charts(&self, record: &Record) -> Vec<(&'static str, Chart)> {
        let drawn = |title: &str, unit: &str, figure: &str, factor: f64| {
            let reading = |row: &Row| {
                row.reading(figure).map_or_else(|| Reading::missing("none"), |reading| reading.scaled(factor))
            };
            let axes = [Axis::linear("matrix size N"), Axis::linear(unit)];
            ladder::over_size::<Self>(record, title, axes, reading).caption(&record.machine)
        };
        vec![
            ("time.svg", drawn("Real time", "seconds", SECONDS, 1.0)),
            ("instructions.svg", drawn("Instructions", "10^9 instructions", "instructions", 1e-9)),
            ("cycles.svg", drawn("Cycles", "10^9 cycles", "cycles", 1e-9)),
            ("mflops.svg", drawn("MFLOPS", "MFLOPS", "mflops", 1.0)),
            ("peak.svg", drawn("Share of this core's measured peak", "% of peak", "share_of_peak", 100.0)),
        ]
    }
}
