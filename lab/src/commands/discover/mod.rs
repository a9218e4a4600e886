//! `lab discover`: finds the caches by experiment, with the evidence.

mod beyond;
mod text;

use std::path::PathBuf;

use beyond::Beyond;
use clap::ValueEnum;
use common::chart::{Axis, Chart};
use common::discover::{OnModel, PolicyFound, Probe, Settled, policy, settle};
use common::failure::Failure;
use common::latency::{OnTime, Translation, reference_clock, translation};
use common::machine::{self, Machine};
use common::system::pages::{PageBlock, PageKind};
use common::units::Seconds;
use common::{clock, core_clock, cpu, output};
use serde_json::{Value, json};

/// Find size, line, ways and latency of each cache by experiment
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
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
/// Share of the time that the caches get; the clock, the TLB and the rest take the
/// rest.
const EXPERIMENTS: f64 = 0.8;
/// A core clock that changed by more than this has drifted.
const DRIFT: f64 = 0.03;

/// What was found, and under which circumstances.
pub(crate) struct Findings {
    pub(crate) settled: Settled,
    /// Which line is evicted in a full set of the first level, or why that is not reported.
    policy: Result<PolicyFound, String>,
    translation: Option<Translation>,
    /// What else the core does, if there was time.
    beyond: Option<Beyond>,
    batches: (usize, usize),
    huge: bool,
    /// Huge pages that the processor translates piece by piece.
    split: bool,
    clock: Option<(f64, f64)>,
    source: &'static str,
}

/// Experiments, prints, draws.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let findings = match &args.machine {
        Some(name) => on_model(name)?,
        None => on_time(args.seconds)?,
    };
    let known = match &args.machine {
        Some(_) => None,
        None => machine::host().ok(),
    };
    args.chart.as_ref().map_or(Ok(()), |path| output::draw(&findings.chart(), path))?;
    output::print(&match args.format {
        Format::Json => format!("{:#}\n", findings.json(known.as_ref())),
        Format::Text => findings.text(known.as_ref()),
    })
}

fn on_model(name: &str) -> Result<Findings, Failure> {
    let machine = machine::select(name).map_err(Failure::could_not)?;
    let arena = OnModel::arena(&machine).map_err(Failure::could_not)?;
    let mut probe = OnModel::new(&machine, &arena).map_err(Failure::could_not)?;
    let settled = settle(&mut probe, 3).map_err(Failure::could_not)?;
    Ok(Findings {
        policy: replacement(&mut probe, &settled),
        settled,
        translation: None,
        beyond: None,
        batches: (0, 0),
        huge: true,
        split: false,
        clock: None,
        source: "model",
    })
}

pub(crate) fn on_time(seconds: u32) -> Result<Findings, Failure> {
    if let Some(here) = cpu::current()
        && !cpu::pin(&[here])
    {
        output::message(
            "lab: warning: this process may move between processors: the system refused to pin it",
        );
    }
    let began = clock::wall().0;
    let before = reference_clock();
    let room = PageBlock::new(LARGE, PageKind::Huge).map_err(Failure::could_not)?;
    // where others take the processor, even this took long
    let left = f64::from(seconds) - (clock::wall().0 - began);
    let mut probe = OnTime::new(room, Seconds(EXPERIMENTS * left.max(f64::from(seconds) / 2.0)));
    let (from, on_processor) = (clock::wall().0, clock::process_cpu().0);
    let mut settled = settle(&mut probe, 3)
        .map_err(|reason| Failure::could_not(format!("{reason}; try again when the machine is idle")))?;
    let share = (clock::process_cpu().0 - on_processor) / (clock::wall().0 - from);
    let known = machine::host().ok();
    settled.weigh(|level| reported_by_system(known.as_ref(), level).map(|(size, ..)| size), share);
    let policy = replacement(&mut probe, &settled);
    let (huge, split, batches) = (probe.huge(), probe.split(), probe.batches());
    let line = settled.levels.first().and_then(|level| level.found.line).unwrap_or(64);
    let (in_time, page) = (probe.spent() < 1.0, probe.contiguous());
    let translation = if in_time { translation(line as usize).ok() } else { None };
    let beyond = in_time.then(|| Beyond::measure(probe.into_block(), &settled, page as usize));
    let clock = Some((before.0, core_clock::measure().0));
    Ok(Findings { settled, policy, translation, beyond, batches, huge, split, clock, source: "timing" })
}

/// The first level's policy.
fn replacement(probe: &mut impl Probe, settled: &Settled) -> Result<PolicyFound, String> {
    let first = settled.levels.first().ok_or_else(|| "no level was found".to_owned())?;
    policy(probe, &first.found)
}

impl Findings {
    fn cycles(&self, nanos: f64) -> Option<f64> {
        self.clock.map(|(before, _)| nanos * 1e-9 * before)
    }

    fn drift(&self) -> Option<f64> {
        self.clock.map(|(before, after)| (after / before - 1.0).abs())
    }

    pub(crate) fn json(&self, known: Option<&Machine>) -> Value {
        let levels: Vec<Value> = self
            .settled
            .levels
            .iter()
            .map(|s| {
                let l = &s.found;
                json!({
                    "level": l.level,
                    "size": l.exact_size(),
                    "size_low": l.range.0,
                    "size_high": Some(l.range.1).filter(|high| *high < u64::MAX),
                    "line": l.line,
                    "ways": l.ways.as_ref().ok(),
                    "ways_reason": l.ways.as_ref().err(),
                    "latency_ns": l.latency,
                    "latency_ns_low": s.latencies.0,
                    "latency_ns_high": s.latencies.1,
                    "latency_cycles": self.cycles(l.latency),
                    "penalty_ns": l.penalty,
                    "confidence": l.confidence,
                    "runs_that_agree": s.agree,
                    "runs": self.settled.runs,
                    "why": l.why,
                    "system_says": reported_by_system(known, l.level).map(|(size, line, ways)| json!({"size": size, "line": line, "ways": ways})),
                })
            })
            .collect();
        json!({
            "levels": levels,
            "first_level_only": self.settled.first_only,
            "beyond_ns": self.settled.beyond,
            "l1_replacement": self.policy.as_ref().ok().map(|p| json!({
                "names": p.names,
                "odds": p.odds,
                "misses_off": p.off,
                "sequences": p.sequences,
                "confidence": p.confidence,
            })),
            "l1_replacement_reason": self.policy.as_ref().err(),
            "tlb": self.translation.as_ref().map(|t| json!({
                "entries_low": t.entries.map(|e| e.0),
                "entries_high": t.entries.map(|e| e.1),
                "second_level_low": t.second.map(|e| e.0),
                "second_level_high": t.second.map(|e| e.1),
                "page_walk_ns": t.walk,
            })),
            "beside_caches": self.beyond.as_ref().map(Beyond::json),
            "source": self.source,
            "huge_pages": self.huge,
            "huge_pages_split": self.split,
            "batches_kept": self.batches.0,
            "batches_dropped": self.batches.1,
            "clock_hz": self.clock.map(|c| c.0),
            "clock_drift": self.drift(),
        })
    }

    fn chart(&self) -> Chart {
        let points = |scan: &[(u64, f64)]| scan.iter().map(|p| (p.0 as f64, p.1)).collect::<Vec<_>>();
        let mut chart = Chart::new(
            "Time of dependent accesses by working set",
            Axis::bytes("working set"),
            Axis::log2("ns per access"),
        )
        .caption(format!("Random order, one access per line; source: {}.", self.source))
        .curve("all levels", points(&self.settled.scan));
        let [smallest, largest] =
            [self.settled.scan.first(), self.settled.scan.last()].map(|end| end.map_or(0, |point| point.0));
        for s in &self.settled.levels {
            let l = &s.found;
            chart = chart.curve(format!("near the end of L{}", l.level), points(&l.knee));
            let name = format!("L{} {}", l.level, l.size_text());
            chart = match l.range {
                (low, high) if low == high => chart.mark(low as f64, name),
                (low, high) => chart.band(low.max(smallest) as f64, high.min(largest) as f64, name),
            };
        }
        chart
    }
}

/// What the system says of a level: size, line, ways.
fn reported_by_system(known: Option<&Machine>, level: usize) -> Option<(u64, u64, usize)> {
    let cache = known?.level(u8::try_from(level).ok()?)?;
    Some((cache.size.0, cache.line.0, cache.ways))
}
