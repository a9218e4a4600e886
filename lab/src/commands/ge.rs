//! `lab ge`: the Gaussian-elimination ladder by size, and its charts.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::PathBuf;

use ::ge::Variant;
use ::ge::measuring::sweep::{self, Cell, Design, Gain, Swept};
use ::ge::measuring::{measure, memory_limit, peak};
use common::chart::{Axis, Chart};
use common::cli::{self, Counters, Measuring, Modelling, Output};
use common::failure::Failure;
use common::measure::Session;
use common::output::{self, Objects, Shown};
use common::record::{Record, Row};
use common::value::{Reading, Source};

/// Largest number of sizes in one sweep.
const SIZES: usize = 2000;
/// Seconds of one operation on the ladder's first rungs.
const OPERATION: f64 = 1e-9;

/// Sweep the Gaussian-elimination ladder by size; draw its charts
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("runs", |runs| runs.default_value("3")),
    mut_arg("counters", cli::sources(
        &[Counters::Auto, Counters::Hardware, Counters::None],
        "a sweep of the ladder is measured; `ge NAME SIZE --counters model` models one rung",
    )),
    mut_arg("chart", cli::refused::<PathBuf>("this sweep draws six charts; choose their folder with --out FOLDER"))
)]
pub(crate) struct Args {
    /// Set the matrix sizes: FIRST..LAST:STEP, or a list like 100,500,1000
    #[arg(long, value_name = "SIZES", default_value = "200..1200:200")]
    sizes: String,

    /// Choose the rungs, in the order of the ladder (`ge --list` names all)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "ge1,ge2,ge3,ge4,ge5,ge6,ge7")]
    variants: Vec<String>,

    /// Write the charts, ge.csv and ge.json to this folder [default: none are written]
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,

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
    let sizes = sizes(&args.sizes)?;
    let variants = variants(&args.variants)?;
    let folder = args.out.as_deref().map(output::Folder::prepare).transpose()?;
    let session = Session::start(&args.measuring, &Modelling::of("host"), &args.output)?;
    let design = Design {
        variants,
        sizes,
        rounds: session.runs,
        plan: measure::plan(&session)?,
        processors: &session.cpus,
    };
    let largest = design.sizes.iter().max().copied().unwrap_or_default();
    memory_limit::bytes(largest, session.cpus.len()).map_err(Failure::could_not)?;
    let each: f64 = design.sizes.iter().map(|&size| Variant::flops(size) * OPERATION).sum();
    session.expect("this sweep", each * (design.rounds * design.variants.len()) as f64)?;
    session.finish_cell_on_signal();
    let terminal = std::io::stderr().is_terminal() && !args.output.quiet;
    let progress = |round, size| {
        if terminal {
            // A closed terminal is no reason to stop measuring.
            let _ =
                std::write!(std::io::stderr(), "\rround {} of {}, size {size}   ", round + 1, design.rounds);
        }
    };
    let Swept { cells, ended } = sweep::run(&design, &session, || session.is_over(), progress);
    if terminal {
        output::message("");
    }
    if cells.is_empty() {
        return ended.map_err(Failure::could_not);
    }
    let limits = Limits::measure(cells.iter().map(|cell| cell.size).max().unwrap_or_default());
    let gains = sweep::gains(&design, &cells);
    let mut record = record(&session, &design, &cells, &limits, &gains);
    let (runs, all) = (cells.iter().map(|cell| cell.outcome.timed.runs.len()).sum::<usize>(), design.runs());
    if runs < all {
        session.note(&mut record, format!("the sweep ended early: {runs} of {all} runs are measured"));
    }
    if let Some(folder) = &folder {
        let charts = charts(&design, &cells, &limits, &record.machine).into_iter();
        let charts = charts.map(|(name, chart)| (name.to_owned(), chart.svg().into_bytes()));
        let [csv, json] = [("ge.csv", record.csv()), ("ge.json", record.json())];
        let records = [csv, json].map(|(name, text)| (name.to_owned(), text.into_bytes()));
        folder.fill(charts.chain(records).collect(), &[])?;
    }
    let kit = &|_: &Record| kit(&cells, &limits, &gains);
    output::finish(&record, &args.output, &Shown { kit, chart: None, json: Objects::Record })?;
    ended.map_err(Failure::could_not)
}

fn variants(names: &[String]) -> Result<Vec<&'static Variant>, Failure> {
    let all = || ::ge::VARIANTS.iter().map(|v| v.name).collect::<Vec<_>>().join(", ");
    names
        .iter()
        .map(|name| {
            let variant = ::ge::find(name)
                .ok_or_else(|| Failure::usage(format!("there is no rung '{name}'; there are {}", all())))?;
            variant.available().map_err(|refusal| Failure::could_not(format!("{name}: {refusal}")))?;
            Ok(variant)
        })
        .collect()
}

/// `100..1500:100` (both ends included), `100..500` (steps of 100), `10,20`.
fn sizes(text: &str) -> Result<Vec<usize>, Failure> {
    let wrong = || {
        Failure::usage(format!(
            "--sizes '{text}' is not FIRST..LAST:STEP or a list of sizes from 1, like 100..1500:100"
        ))
    };
    let number = |text: &str| text.trim().parse().ok().filter(|size| *size > 0).ok_or_else(wrong);
    let Some((first, rest)) = text.split_once("..") else {
        return text.split(',').map(number).collect();
    };
    let (last, step) = rest.split_once(':').unwrap_or((rest, "100"));
    let (first, last, step) = (number(first)?, number(last)?, number(step)?);
    if first > last {
        return Err(wrong());
    }
    let count: usize = (last - first) / step + 1;
    if count > SIZES {
        return Err(Failure::usage(format!(
            "--sizes '{text}' are {count} sizes; a sweep has up to {SIZES}: choose a larger step"
        )));
    }
    Ok((first..=last).step_by(step).collect())
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

fn record(session: &Session, design: &Design, cells: &[Cell], limits: &Limits, gains: &[Gain]) -> Record {
    let mut record = session
        .record("ge")
        .set("sizes", design.sizes.clone())
        .set("variants", design.variants.iter().map(|v| v.name).collect::<Vec<_>>())
        .set("peak_mflops", limits.flops * 1e-6)
        .set("bandwidth_l1_gb_per_second", limits.roofs[0].1 * 1e-9)
        .set("bandwidth_matrix_gb_per_second", limits.roofs[1].1 * 1e-9);
    for cell in cells {
        let mflops = cell.outcome.mflops(cell.size);
        let mut row = Row::new([
            ("variant", cell.variant.into()),
            ("size", cell.size.into()),
            ("check", cell.outcome.check.into()),
            ("residual", cell.outcome.residual.map(|r| r.relative).into()),
        ])
        .with("real_time_seconds", cell.outcome.timed.wall())
        .with("proc_time_seconds", cell.outcome.timed.cpu())
        .with("instructions", cell.instructions.clone())
        .with("cycles", cell.cycles.clone())
        .with("flops", Reading::new(Variant::flops(cell.size), Source::Analytic))
        .with("mflops", mflops.clone())
        .with("share_of_peak", mflops.scaled(1e6 / limits.flops));
        if let Some(gain) = gains.iter().find(|gain| (gain.to, gain.size) == (cell.variant, cell.size)) {
            row = row.with("times_as_fast_as_before", gain.times_as_fast.clone());
        }
        record.rows.push(row);
    }
    record
}

fn gain_sentence(gain: &Gain) -> String {
    let Gain { from, to, size, times_as_fast } = gain;
    let spread = times_as_fast.spread().map(|s| format!(" ({:.2} to {:.2})", s.min, s.max));
    let gain = times_as_fast.amount().map_or_else(|| "?".to_owned(), |times| format!("{times:.2}"));
    format!("{from} to {to} at {size}: {gain} times as fast{}", spread.unwrap_or_default())
}

fn kit(cells: &[Cell], limits: &Limits, gains: &[Gain]) -> String {
    let mut text =
        String::from("variant\tsize\treal_time(s)\tinstructions\tcycles\tMFLOPS\tpeak(%)\tsources\n");
    for cell in cells {
        let mflops = cell.outcome.mflops(cell.size).amount().unwrap_or(f64::NAN);
        let source =
            |reading: &Reading| reading.source().map_or("none".to_owned(), |source| source.to_string());
        let whole =
            |reading: &Reading| reading.amount().map_or("-".to_owned(), |amount| format!("{amount:.0}"));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{}\t{}\t{:.6}\t{}\t{}\t{mflops:.1}\t{:.1}\ttiming,{},{}",
            cell.variant,
            cell.size,
            cell.outcome.timed.wall().amount().unwrap_or(f64::NAN),
            whole(&cell.instructions),
            whole(&cell.cycles),
            mflops * 1e8 / limits.flops,
            source(&cell.instructions),
            source(&cell.cycles),
        );
    }
    let _ = writeln!(text, "\npeak of this core: {:.1} MFLOPS source=timing", limits.flops * 1e-6);
    for (name, rate) in limits.roofs {
        let _ = writeln!(text, "read and written back, {name}: {:.1} GB/s source=timing", rate * 1e-9);
    }
    text.push('\n');
    for gain in gains {
        text += &format!("{}\n", gain_sentence(gain));
    }
    text
}

/// The homework's four charts, and two that show the distance to the machine's peak.
fn charts(design: &Design, cells: &[Cell], limits: &Limits, machine: &str) -> Vec<(&'static str, Chart)> {
    let over_size = |title: &str, unit: &str, figure: &dyn Fn(&Cell) -> f64| {
        let chart = Chart::new(title, Axis::linear("matrix size N"), Axis::linear(unit)).caption(machine);
        design.variants.iter().fold(chart, |chart, variant| {
            let of_variant = cells.iter().filter(|cell| cell.variant == variant.name);
            chart.curve(variant.name, of_variant.map(|cell| (cell.size as f64, figure(cell))))
        })
    };
    let amount = |reading: Reading| reading.amount().unwrap_or(f64::NAN);
    vec![
        ("time.svg", over_size("Real time", "seconds", &|c| amount(c.outcome.timed.wall()))),
        (
            "instructions.svg",
            over_size("Instructions", "10^9 instructions", &|c| amount(c.instructions.scaled(1e-9))),
        ),
        ("cycles.svg", over_size("Cycles", "10^9 cycles", &|c| amount(c.cycles.scaled(1e-9)))),
        ("mflops.svg", over_size("MFLOPS", "MFLOPS", &|c| amount(c.outcome.mflops(c.size)))),
        (
            "peak.svg",
            over_size("Share of this core's measured peak", "% of peak", &|c| {
                amount(c.outcome.mflops(c.size)) * 1e8 / limits.flops
            }),
        ),
        ("roofline.svg", roofline(design, cells, limits, machine)),
    ]
}

/// A roofline chart: rates at the largest size against operations per byte of rows read and
/// written back.
fn roofline(design: &Design, cells: &[Cell], limits: &Limits, machine: &str) -> Chart {
    let axes = (Axis::log2("operations per byte fetched and written back"), Axis::log10("GFLOPS"));
    let mut chart = Chart::new("Roofline", axes.0, axes.1).caption(machine);
    for (name, bandwidth) in limits.roofs {
        let roof = (-4..=7).map(|power| {
            let intensity = f64::from(power).exp2();
            (intensity, (intensity * bandwidth).min(limits.flops) * 1e-9)
        });
        chart = chart.line(name, roof);
    }
    let largest = design.sizes.iter().max();
    for variant in &design.variants {
        let at_largest = cells.iter().filter(|c| c.variant == variant.name && Some(&c.size) == largest);
        let intensity = variant.pivots_per_pass as f64 * 2.0 / 16.0;
        chart = chart.curve(
            format!("{}, N = {}", variant.name, largest.copied().unwrap_or_default()),
            at_largest.map(|c| (intensity, c.outcome.mflops(c.size).amount().unwrap_or(f64::NAN) * 1e-3)),
        );
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::sizes;

    #[test]
    fn sizes_are_ranges_or_lists() {
        assert_eq!(sizes("100..300:100").unwrap(), [100, 200, 300]);
        assert_eq!(sizes("100..350").unwrap(), [100, 200, 300]);
        assert_eq!(sizes("5,17").unwrap(), [5, 17]);
        for wrong in [
            "",
            "a",
            "0",
            "5,0",
            "0..9:3",
            "3..1:1",
            "1..3:0",
            "1,,2",
            "1..x",
            "1..1000000000000:1",
            "0..18446744073709551615:1",
        ] {
            assert!(sizes(wrong).is_err(), "{wrong}");
        }
    }
}
