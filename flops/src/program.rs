//! The program `flops`.

use std::path::PathBuf;

use common::cli::{self, Counters, Measuring, Modelling, Output};
use common::counters;
use common::failure::Failure;
use common::measure::{self, Session};
use common::output::{self, Reasons};
use common::record::{Record, Row};
use common::value::{Reading, Source};

use crate::estimate::{self, Estimate};
use crate::events::Generation;
use crate::kernels::{KERNELS, Kernel};
use crate::sampled::Settings;

/// Seconds of one operation of the slowest kernel.
const OPERATION: f64 = 1e-9;

/// FLOPS of a threaded matrix product: known, counted and sampled
#[derive(Debug, clap::Parser)]
#[command(
    name = "flops",
    version,
    after_help = "Example:\n  flops all 512 --threads 2    every kernel: known, counted and sampled rate",
    mut_arg("machine", cli::host_alone),
    mut_arg("counters", cli::sources(&[Counters::Auto, Counters::Hardware, Counters::None])),
    mut_arg("chart", cli::refused::<PathBuf>("flops draws no chart; leave out --chart, or use --record"))
)]
pub struct Args {
    /// A kernel (x87, sse-scalar, sse-packed, avx; on Arm scalar, neon), or `all`
    kernel: String,
    /// Set the side of the matrices
    #[arg(default_value = "512", value_parser = clap::value_parser!(u32).range(1..=16384))]
    n: u32,
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
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

/// Runs the program.
/// Fails if the command line names something that does not exist, or a counter fails.
pub fn run(args: Args) -> Result<(), Failure> {
    let kernels = kernels(&args.kernel)?;
    let event = args.event.as_deref().map(counters::event).transpose().map_err(Failure::usage)?;
    let session = Session::start(&args.measuring, &args.modelling, &args.output)?;
    let n = args.n as usize;
    let threads = args.threads.map_or(session.team(), usize::from);
    let settings = Settings { event, period: args.period };
    measure::check_memory(3 * 8 * n * n)?;
    let runs = f64::from(args.repeats.unwrap_or(1)) * (session.runs * kernels.len()) as f64;
    session.announce("this product", 2.0 * (n as f64).powi(3) * runs * OPERATION)?;
    let mut record = session.record("flops").set("n", n).set("threads", threads);
    let mut all = Vec::new();
    for kernel in kernels {
        let estimate = estimate::estimate(&session, kernel, [n, threads], args.repeats, &settings)?;
        notes(&estimate).into_iter().for_each(|note| session.note(&mut record, note));
        let known = &estimate.known;
        let busy = known.busy.scaled(known.threads as f64);
        session.note_waits(&mut record, &known.seconds, &busy, known.threads);
        record.rows.push(row(&estimate));
        all.push(estimate);
    }
    let kit = &|_: &Record| {
        let mut reasons = Reasons::default();
        all.iter().map(|one| one.text(&mut reasons)).collect::<String>()
    };
    output::finish(&record, &args.output, kit)
}

fn kernels(name: &str) -> Result<Vec<&'static Kernel>, Failure> {
    if name == "all" {
        return Ok(KERNELS.iter().filter(|kernel| (kernel.present)()).collect());
    }
    let names = || KERNELS.iter().map(|kernel| kernel.name).collect::<Vec<_>>().join(", ");
    match Kernel::find(name) {
        None => Err(Failure::usage(format!("there is no kernel '{name}'; choose all, {}", names()))),
        Some(kernel) if !(kernel.present)() => Err(Failure::could_not(format!(
            "this processor does not have {name}; take another of {}",
            names()
        ))),
        Some(kernel) => Ok(vec![kernel]),
    }
}

/// Warnings about an estimate.
fn notes(e: &Estimate) -> Vec<String> {
    let name = e.known.kernel.name;
    let mut notes = Vec::new();
    if !e.known.right {
        notes.push(format!("the product of {name} is wrong"));
    }
    if let Err(why) = &e.sampled.sums {
        notes.push(format!("{name}: not sampled: {why}"));
    }
    let times = e.counted.operations().amount().map(|counted| counted / e.known.operations());
    if let (Some(generation), Some(times)) = (Generation::host(), times.filter(|times| *times > 1.02)) {
        notes.push(format!(
            "{name}: {:.1} % more operations were counted than there are; {} {}",
            100.0 * (times - 1.0),
            generation.name,
            generation.remark
        ));
    }
    notes
}

fn row(e: &Estimate) -> Row {
    let row = Row::at([("kernel", e.known.kernel.name.into()), ("n", e.known.n.into())])
        .set("threads", e.known.threads)
        .set("event", e.sampled.event.name())
        .set("period", e.sampled.period)
        .result("right", e.known.right)
        .with("operations", Reading::new(e.known.operations(), Source::Analytic))
        // Chosen for a duration, so it differs from run to run.
        .with("repeats", Reading::new(e.known.repeats as f64, Source::Analytic));
    e.figures().into_iter().fold(row, |row, (name, reading)| row.with(name, reading))
}
