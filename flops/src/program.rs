//! What the program `flops` does.

use common::cli::{Common, Counters, Format};
use common::measure;
use common::output;
use common::system::files;

use common::events::Event;
use common::failure::Failure;
use common::machine;
use common::record::{Record, Row};
use serde_json::Value as Json;

use crate::estimate::{self, Estimate, Settings, is_clock};
use crate::events::Generation;
use crate::kernels::{KERNELS, Kernel};
use crate::report;

/// Seconds of one operation of the slowest kernel.
const OPERATION: f64 = 1e-9;

/// FLOPS of a threaded matrix product: known, counted and sampled
#[derive(Debug, clap::Parser)]
#[command(name = "flops", version)]
pub struct Args {
    /// A kernel (x87, sse-scalar, sse-packed, avx; on Arm scalar, neon), or `all`
    kernel: String,
    /// Side of the matrices [default: 512]
    #[arg(conflicts_with = "named", value_parser = clap::value_parser!(u32).range(1..=16384))]
    n: Option<u32>,
    /// The same, by name
    #[arg(short = 'n', long = "size", id = "named", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16384))]
    named: Option<u32>,
    /// Threads [default: the processors it may use]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Products in a row [default: as many as half a second holds]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeats: Option<u32>,
    /// What to sample [default: the kernel's floating-point event, or else task-clock]
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// Events per sample, nanoseconds if it is a clock
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u64).range(1..))]
    period: Option<u64>,
    #[command(flatten)]
    common: Common,
}

/// Runs the program.
///
/// # Errors
///
/// If the command line asks for what there is not, or a counter fails.
pub fn run(args: Args) -> Result<(), Failure> {
    let kernels = kernels(&args.kernel)?;
    let settings = args.settings()?;
    if let Some(path) = &args.common.record {
        files::try_place(path).map_err(Failure::could_not)?;
    }
    measure::room(3 * 8 * settings.n * settings.n)?;
    let runs = f64::from(settings.repeats.unwrap_or(1)) * f64::from(settings.runs) * kernels.len() as f64;
    measure::patience("this product", 2.0 * (settings.n as f64).powi(3) * runs * OPERATION)?;
    let mut all = Vec::new();
    for kernel in kernels {
        let estimate = estimate::estimate(kernel, &settings)?;
        remark(&estimate);
        all.push(estimate);
    }
    let record = record(&all);
    if let Some(path) = &args.common.record {
        output::save(&record, path)?;
    }
    let text = match (args.common.format, args.kernel == "all") {
        (Format::Csv, _) => record.csv(),
        (Format::Json, true) => {
            format!("{:#}\n", Json::from(all.iter().map(report::json).collect::<Vec<_>>()))
        }
        (Format::Json, false) => all.iter().map(|e| format!("{:#}\n", report::json(e))).collect(),
        (Format::Kit, _) => all.iter().map(report::text).collect::<String>() + &report::ratios(&all),
    };
    output::print(&text)
}

fn kernels(name: &str) -> Result<Vec<&'static Kernel>, Failure> {
    if name == "all" {
        return Ok(KERNELS.iter().filter(|kernel| (kernel.present)()).collect());
    }
    let names = || KERNELS.iter().map(|kernel| kernel.name).collect::<Vec<_>>().join(", ");
    match Kernel::find(name) {
        None => Err(Failure::usage(format!("there is no kernel '{name}' here; it can be all, {}", names()))),
        Some(kernel) if !(kernel.present)() => Err(Failure::could_not(format!(
            "this processor does not have {} ({name}); take another of {}",
            kernel.unit,
            names()
        ))),
        Some(kernel) => Ok(vec![kernel]),
    }
}

impl Args {
    fn settings(&self) -> Result<Settings, Failure> {
        if let Counters::Timing | Counters::Model = self.common.counters {
            return Err(Failure::usage(
                "floating-point operations can be counted by hardware only; take --counters auto, hardware or none",
            ));
        }
        if self.common.machine != "host" {
            return Err(Failure::usage(
                "a described machine has no floating-point units; leave out --machine",
            ));
        }
        if self.common.chart.is_some() {
            return Err(Failure::usage("flops draws no chart; leave out --chart, or use --record"));
        }
        let event = self.event.as_deref().map(Event::parse).transpose().map_err(Failure::usage)?;
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Settings {
            n: self.n.or(self.named).unwrap_or(512) as usize,
            threads: self.threads.map_or(cpus, usize::from),
            repeats: self.repeats,
            runs: self.common.runs.unwrap_or(1),
            event,
            period: self.period,
            count: self.common.counters != Counters::None,
        })
    }
}

/// Says on stderr what in an estimate must not go unnoticed.
fn remark(e: &Estimate) {
    let name = e.kernel.name;
    if !e.right {
        output::tell(format_args!("warning: the product of {name} is wrong"));
    }
    match &e.sampled {
        Ok(_) if is_clock(&e.event) => output::tell(format_args!(
            "note: {name}: without a floating-point event the clock is sampled; that tells in which functions the time is spent and is no estimate of FLOPS"
        )),
        Err(why) => output::tell(format_args!("note: {name}: not sampled: {why}")),
        Ok(_) => {}
    }
    if let (Some(generation), Some(operations)) = (Generation::host(), e.counted_operations().amount())
        && operations > 1.02 * e.operations
    {
        output::tell(format_args!(
            "note: {name}: {:.1} % more operations were counted than there are; {} {}",
            100.0 * (operations / e.operations - 1.0),
            generation.name,
            generation.remark
        ));
    }
}

fn record(all: &[Estimate]) -> Record {
    let machine = machine::host().map_or_else(|_| "this machine".to_owned(), |machine| machine.description);
    let mut record = Record::new("flops", machine);
    for e in all {
        let mut row = Row::new([
            ("kernel", e.kernel.name.into()),
            ("n", e.n.into()),
            ("threads", e.threads.into()),
            ("repeats", e.repeats.into()),
            ("event", e.event.name().into()),
            ("period", e.period.into()),
        ]);
        for (name, reading) in report::figures(e) {
            row = row.with(name, reading);
        }
        record.rows.push(row);
    }
    record
}
