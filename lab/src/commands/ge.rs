//! `lab ge`: the Gaussian-elimination ladder by size, and its charts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use ::ge::Variant;
use ::ge::measuring::measure::{self, Stepped};
use ::ge::measuring::{peak, sweep};
use common::chart::{Axis, Chart};
use common::cli::{self, Counters, Measuring, Modelling, Output};
use common::failure::Failure;
use common::measure::{Plan, Session};
use common::record::{Record, Row};
use common::value::{Reading, Source};

use super::ladder::{self, Ladder, Options};

/// Seconds of one operation on the ladder's first rungs.
const OPERATION: f64 = 1e-9;
/// The speed-up of a rung over the one before it.
const GAIN: &str = "times_as_fast_as_before";

/// Sweep the Gaussian-elimination ladder by size; draw its charts
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("runs", |runs| runs.default_value("3")),
    mut_arg("counters", cli::sources(
        &[Counters::Auto, Counters::Hardware, Counters::None],
        "a sweep of the ladder is measured; `ge NAME SIZE --counters model` models one rung",
    )),
    mut_arg("sizes", |sizes| sizes.default_value("200..1200:200")),
    mut_arg("variants", |variants| variants.default_value("ge1,ge2,ge3,ge4,ge5,ge6,ge7")),
    mut_arg("chart", cli::refused::<PathBuf>("this sweep draws six charts; choose their folder with --output"))
)]
pub(crate) struct Args {
    #[command(flatten)]
    ladder: Options,

    /// Refused
    #[arg(long, hide = true, value_parser = host_only)]
    machine: Option<String>,

    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    output: Output,
}

fn host_only(machine: &str) -> Result<String, &'static str> {
    if machine == "host" {
        Ok(machine.to_owned())
    } else {
        Err("times are measured, so only this machine can be swept; leave out --machine")
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let rungs = args.ladder.variants.iter().map(|name| Ok(rung(name)?.name));
    let rungs = rungs.collect::<Result<Vec<_>, Failure>>()?;
    let session = Session::start(&args.measuring, &Modelling::of("host"), &args.output)?;
    let plan = measure::plan(&session)?;
    let mut ladder = Eliminations { session: &session, plan, stepped: BTreeMap::new(), limits: None };
    ladder::run(&mut ladder, rungs, &session, &args.ladder, &args.output)
}

fn rung(name: &str) -> Result<&'static Variant, Failure> {
    let all = || ::ge::VARIANTS.iter().map(|v| v.name).collect::<Vec<_>>().join(", ");
    let variant = ::ge::find(name)
        .ok_or_else(|| Failure::usage(format!("there is no rung '{name}'; there are {}", all())))?;
    variant.available().map_err(|refusal| Failure::could_not(format!("{name}: {refusal}")))?;
    Ok(variant)
}

struct Eliminations<'s> {
    session: &'s Session,
    plan: Plan,
    /// The instructions of each rung.
    stepped: BTreeMap<&'static str, Stepped>,
    limits: Option<Limits>,
}

/// Peak rate of the core.
struct Limits {
    flops: f64,
    /// Where the matrix is stored, and the bandwidth for reading and writing it there.
    roofs: [(&'static str, f64); 2],
}

impl Limits {
    /// `largest`: the side of the largest matrix that was measured.
    fn measure(largest: usize) -> Limits {
        let roofs = [("first-level cache", 16 << 10), ("where the largest matrix is", largest * largest * 8)];
        Limits { flops: peak::flops(), roofs: roofs.map(|(name, bytes)| (name, peak::bandwidth(bytes))) }
    }
}

impl Ladder for Eliminations<'_> {
    const NAME: &'static str = "ge";
    const SIZE: &'static str = "size";
    const SECONDS: &'static str = "real_time_seconds";

    fn estimate(&self, n: usize) -> f64 {
        Variant::flops(n) * OPERATION
    }

    fn measure(&mut self, rungs: &[&'static str], size: usize) -> Result<Vec<Row>, Failure> {
        let variants: Vec<&Variant> = rungs.iter().filter_map(|name| ::ge::find(name)).collect();
        sweep::rows(&variants, size, self.session, &self.plan, &mut self.stepped)
    }

    /// The speed-up of each rung over the one before it at the largest size, from the ratios
    /// within each round, and the limits of the core.
    fn complete(&mut self, record: &mut Record) {
        let largest = record.rows.iter().filter_map(|row| row.whole("size")).max().unwrap_or_default();
        let limits = self.limits.insert(Limits::measure(largest as usize));
        let mut before: Option<Vec<f64>> = None;
        for row in &mut record.rows {
            let share = row.reading("mflops").map(|rate| rate.scaled(1e6 / limits.flops));
            let share = share.unwrap_or_else(|| Reading::missing("not timed"));
            *row = row.clone().with("share_of_peak", share);
            if row.whole("size") == Some(largest) {
                let now = row.reading(Self::SECONDS).map(|time| time.runs().to_vec()).unwrap_or_default();
                if let Some(before) = before.replace(now.clone()) {
                    let ratios: Vec<f64> =
                        before.iter().zip(&now).map(|(before, now)| before / now).collect();
                    *row = row.clone().with(GAIN, Reading::from_runs(&ratios, Source::Timing));
                }
            }
        }
        for (name, amount) in [
            ("peak_mflops", limits.flops * 1e-6),
            ("bandwidth_l1_gb_per_second", limits.roofs[0].1 * 1e-9),
            ("bandwidth_matrix_gb_per_second", limits.roofs[1].1 * 1e-9),
        ] {
            record.settings.insert(name.to_owned(), amount.into());
        }
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
                amount(Self::SECONDS, 6),
                amount("instructions", 0),
                amount("cycles", 0),
                amount("mflops", 1),
                row.amount("share_of_peak").map_or("-".to_owned(), |share| format!("{:.1}", 100.0 * share)),
                ladder::source(row.reading("instructions")),
                ladder::source(row.reading("cycles")),
            );
        }
        if let Some(limits) = &self.limits {
            let _ = writeln!(text, "\npeak of this core: {:.1} MFLOPS source=timing", limits.flops * 1e-6);
            for (name, rate) in limits.roofs {
                let _ =
                    writeln!(text, "read and written back, {name}: {:.1} GB/s source=timing", rate * 1e-9);
            }
        }
        text.push('\n');
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

    /// The homework's four charts, and two that show the distance to the machine's peak.
    fn charts(&self, record: &Record) -> Vec<(&'static str, Chart)> {
        let drawn = |title: &str, unit: &str, figure: &str, factor: f64| {
            let reading = |row: &Row| {
                row.reading(figure).map_or_else(|| Reading::missing("none"), |reading| reading.scaled(factor))
            };
            let axes = [Axis::linear("matrix size N"), Axis::linear(unit)];
            ladder::over_size::<Self>(record, title, axes, reading).caption(&record.machine)
        };
        let mut charts = vec![
            ("time.svg", drawn("Real time", "seconds", Self::SECONDS, 1.0)),
            ("instructions.svg", drawn("Instructions", "10^9 instructions", "instructions", 1e-9)),
            ("cycles.svg", drawn("Cycles", "10^9 cycles", "cycles", 1e-9)),
            ("mflops.svg", drawn("MFLOPS", "MFLOPS", "mflops", 1.0)),
            ("peak.svg", drawn("Share of this core's measured peak", "% of peak", "share_of_peak", 100.0)),
        ];
        charts.extend(self.limits.as_ref().map(|limits| ("roofline.svg", roofline(record, limits))));
        charts
    }
}

/// A roofline chart: rates at the largest size against operations per byte of rows read and
/// written back.
fn roofline(record: &Record, limits: &Limits) -> Chart {
    let axes = (Axis::log2("operations per byte fetched and written back"), Axis::log10("GFLOPS"));
    let mut chart = Chart::new("Roofline", axes.0, axes.1).caption(&record.machine);
    for (name, bandwidth) in limits.roofs {
        let roof = (-4..=7).map(|power| {
            let intensity = f64::from(power).exp2();
            (intensity, (intensity * bandwidth).min(limits.flops) * 1e-9)
        });
        chart = chart.line(name, roof);
    }
    let largest = record.rows.iter().filter_map(|row| row.whole("size")).max();
    for row in record.rows.iter().filter(|row| row.whole("size") == largest) {
        let Some(variant) = ::ge::find(ladder::name(row)) else { continue };
        let intensity = variant.pivots_per_pass as f64 * 2.0 / 16.0;
        let rate = row.amount("mflops").map(|rate| (intensity, rate * 1e-3));
        chart = chart.curve(format!("{}, N = {}", variant.name, largest.unwrap_or_default()), rate);
    }
    chart
}
