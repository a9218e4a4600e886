//! Finds the caches of this machine by experiment, with the evidence.

use std::path::PathBuf;

use clap::ValueEnum;
use common::failure::Failure;
use common::machine;
use common::system::pages::{PageBlock, PageKind};
use common::units::Seconds;
use common::{clock, core_clock, cpu, output};
use discover::{Exploration, OnModel, Probe, explore_repeatedly};
use latency::{OnTime, measure_tlb, reference_clock};

use crate::findings::{Findings, reported_by_system};
use crate::policy::{PolicyFound, policy};

/// The options of the experiments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Choose how to print the findings
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Draw the cost by working set into FILE (.svg or .png)
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,

    /// Experiment on this modelled machine instead: a name from `lab machines`, or a TOML file
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,

    /// Set the time for the experiments; most of it is spent on trying to disprove the answer
    #[arg(long, value_name = "S", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Sentences
    Text,
    /// One object
    Json,
}

/// Largest working set: beyond the L3 share of one core.
const LARGE: usize = 64 << 20;
/// Share of the time for the caches; the clock, the TLB and the other experiments share the
/// rest.
const EXPERIMENTS: f64 = 0.8;

/// Experiments, prints, draws.
/// Fails if the machine cannot be modelled, nothing was found, or a file cannot be written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let findings = match &args.machine {
        Some(name) => on_model(name)?,
        None => on_time(args.seconds)?,
    };
    let known = match &args.machine {
        Some(_) => None,
        None => machine::host().ok(),
    };
    if let Some(path) = &args.chart {
        let picture = findings.chart().picture(&path.to_string_lossy()).map_err(Failure::usage)?;
        output::write(path, &picture)?;
    }
    output::print(&match args.format {
        Format::Json => format!("{:#}\n", findings.json(known.as_ref())),
        Format::Text => findings.text(known.as_ref()),
    })
}

fn on_model(name: &str) -> Result<Findings, Failure> {
    let machine = machine::select(name).map_err(Failure::could_not)?;
    let arena = OnModel::arena(&machine).map_err(Failure::could_not)?;
    let mut probe = OnModel::new(&machine, &arena).map_err(Failure::could_not)?;
    let settled = explore_repeatedly(&mut probe, 3).map_err(Failure::could_not)?;
    Ok(Findings {
        policy: replacement(&mut probe, &settled),
        settled,
        translation: None,
        largest: machine.levels.last().map(|level| level.size.0),
        batches: (0, 0),
        huge: true,
        split: false,
        clock: None,
        source: "model",
    })
}

/// Experiments on this machine for about so many `seconds`.
/// Fails if memory is short, or no level of cache was found.
pub fn on_time(seconds: u32) -> Result<Findings, Failure> {
    if let Some(here) = cpu::current()
        && !cpu::pin(&[here])
    {
        output::message(
            "discover: warning: this process may move between processors: the system refused to pin it",
        );
    }
    let began = clock::wall().0;
    let before = reference_clock();
    let block = PageBlock::new(LARGE, PageKind::Huge).map_err(Failure::could_not)?;
    // other programs used the processor: even this took long
    let left = f64::from(seconds) - (clock::wall().0 - began);
    let mut probe = OnTime::new(block, Seconds(EXPERIMENTS * left.max(f64::from(seconds) / 2.0)));
    let (from, on_processor) = (clock::wall().0, clock::process_cpu().0);
    let mut settled = explore_repeatedly(&mut probe, 3)
        .map_err(|reason| Failure::could_not(format!("{reason}; try again when the machine is idle")))?;
    let share = (clock::process_cpu().0 - on_processor) / (clock::wall().0 - from);
    let known = machine::host().ok();
    settled.weigh(|level| reported_by_system(known.as_ref(), level).map(|(size, ..)| size), share);
    let policy = replacement(&mut probe, &settled);
    let (huge, split, batches) = (probe.huge(), probe.split(), probe.batches());
    let line = settled.levels.first().and_then(|level| level.line).unwrap_or(64);
    let translation = if probe.spent() < 1.0 { measure_tlb(line).ok() } else { None };
    let largest = known.as_ref().and_then(|known| known.levels.last()).map(|level| level.size.0);
    let clock = Some((before.0, core_clock::measure().0));
    Ok(Findings { settled, policy, translation, largest, batches, huge, split, clock, source: "timing" })
}

/// The replacement policy of L1.
fn replacement(probe: &mut impl Probe, settled: &Exploration) -> Result<PolicyFound, String> {
    let first = settled.levels.first().ok_or_else(|| "no level was found".to_owned())?;
    policy(probe, first)
}
