//! The program `flops`.

use std::path::PathBuf;

use common::cli::{self, Counters, Measuring, Modelling, Output};
use common::counters;
use common::failure::Failure;
use common::measure::{self, Session};
use common::output::{self, Shown};
use common::record::{Record, Row};
use common::value::{Reading, Source};

use crate::estimate::{self, Estimate, Settings, is_clock};
use crate::events::Generation;
use crate::kernels::{KERNELS, Kernel};
use crate::report;

/// Seconds of one operation of the slowest kernel.
const OPERATION: f64 = 1e-9;

/// FLOPS of a threaded matrix product: known, counted and sampled
#[derive(Debug, clap::Parser)]
#[command(
    name = "flops",
    version,
    after_help = "Example:\n  flops all 512 --threads 2    every kernel: known, counted and sampled rate",
    mut_arg("counters", cli::sources(
        &[Counters::Auto, Counters::Hardware, Counters::None],
        "floating-point operations can be counted by hardware only; take --counters auto, hardware or none",
    )),
    mut_arg("chart", cli::refused::<PathBuf>("flops draws no chart; leave out --chart, or use --record"))
)]
pub struct Args {
    /// A kernel (x87, sse-scalar, sse-packed, avx; on Arm scalar, neon), or `all`
    kernel: String,
    /// Set the side of the matrices [default: 512]
    #[arg(conflicts_with = "named", value_parser = clap::value_parser!(u32).range(1..=16384))]
    n: Option<u32>,
    /// The same, by name
    #[arg(short = 'n', long = "size", id = "named", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16384))]
    named: Option<u32>,
    /// Set the number of threads [default: the processors it may use, within its CPU quota]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Compute N products in a row [default: as many as take half a second]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeats: Option<u32>,
    /// Sample this event [default: the kernel's floating-point event, or else task-clock]
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// Set the events per sample (nanoseconds for a clock)
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u64).range(1..))]
    period: Option<u64>,
    /// Refused
    #[arg(long, hide = true, value_parser = host_only)]
    machine: Option<String>,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    output: Output,
}

fn host_only(machine: &str) -> Result<String, &'static str> {
    match machine {
        "host" => Ok(machine.to_owned()),
        _ => Err("a described machine has no floating-point units; leave out --machine"),
    }
}

/// Runs the program.
///
/// # Errors
///
/// If the command line names something that does not exist, or a counter fails.
pub fn run(args: Args) -> Result<(), Failure> {
    let kernels = kernels(&args.kernel)?;
    let event = args.event.as_deref().map(counters::event).transpose().map_err(Failure::usage)?;
    let session = Session::start(&args.measuring, &Modelling::of("host"), &args.output)?;
    let settings = Settings {
        n: args.n.or(args.named).unwrap_or(512) as usize,
        threads: args.threads.map_or(session.team(), usize::from),
        repeats: args.repeats,
        event,
        period: args.period,
    };
    measure::check_memory(3 * 8 * settings.n * settings.n)?;
    let runs = f64::from(settings.repeats.unwrap_or(1)) * (session.runs * kernels.len()) as f64;
    session.expect("this product", 2.0 * (settings.n as f64).powi(3) * runs * OPERATION)?;
    let mut record = session.record("flops").set("n", settings.n).set("threads", settings.threads);
    let mut all = Vec::new();
    for kernel in kernels {
        let estimate = estimate::estimate(&session, kernel, &settings)?;
        notes(&estimate).into_iter().for_each(|note| session.note(&mut record, note));
        let busy = estimate.busy.scaled(estimate.threads as f64);
        session.note_waits(&mut record, &estimate.seconds, &busy, estimate.threads);
        record.rows.push(row(&estimate));
        all.push(estimate);
    }
    let kit = &|_: &Record| all.iter().map(report::text).collect::<String>() + &report::ratios(&all);
    output::finish(&record, &args.output, &Shown { kit, chart: None })
}

fn kernels(name: &str) -> Result<Vec<&'static Kernel>, Failure> {
    if name == "all" {
        return Ok(KERNELS.iter().filter(|kernel| (kernel.present)()).collect());
    }
    let names = || KERNELS.iter().map(|kernel| kernel.name).collect::<Vec<_>>().join(", ");
    match Kernel::find(name) {
        None => Err(Failure::usage(format!("there is no kernel '{name}'; choose all, {}", names()))),
        Some(kernel) if !(kernel.present)() => Err(Failure::could_not(format!(
            "this processor does not have {} ({name}); take another of {}",
            kernel.unit,
            names()
        ))),
        Some(kernel) => Ok(vec![kernel]),
    }
}

/// Warnings about an estimate.
fn notes(e: &Estimate) -> Vec<String> {
    let name = e.kernel.name;
    let mut notes = Vec::new();
    if !e.right {
        notes.push(format!("the product of {name} is wrong"));
    }
    match &e.sampled {
        Ok(_) if is_clock(&e.event) => notes.push(format!(
            "{name}: without a floating-point event the clock is sampled; this shows where the time is spent, and is not an estimate of FLOPS"
        )),
        Err(why) => notes.push(format!("{name}: not sampled: {why}")),
        Ok(_) => {}
    }
    if let (Some(generation), Some(operations)) = (Generation::host(), e.counted_operations().amount())
        && operations > 1.02 * e.operations
    {
        notes.push(format!(
            "{name}: {:.1} % more operations were counted than there are; {} {}",
            100.0 * (operations / e.operations - 1.0),
            generation.name,
            generation.remark
        ));
    }
    notes
}

fn row(e: &Estimate) -> Row {
    let row = Row::new([
        ("kernel", e.kernel.name.into()),
        ("n", e.n.into()),
        ("threads", e.threads.into()),
        ("repeats", e.repeats.into()),
        ("event", e.event.name().into()),
        ("period", e.period.into()),
        ("right", e.right.into()),
    ])
    .with("operations", Reading::new(e.operations, Source::Analytic));
    let row = report::figures(e).into_iter().fold(row, |row, (name, reading)| row.with(name, reading));
    Row { details: report::details(e), ..row }
}
