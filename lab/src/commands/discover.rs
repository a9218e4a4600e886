//! `lab discover`: finds the caches by experiment, with the evidence.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use common::chart::{Axis, Chart};
use common::failure::Failure;
use common::infer::Confidence;
use common::infer::probe::{Exploration, LevelFound, OnModel, explore};
use common::latency::{OnTime, Translation, translation};
use common::machine::{self, Machine};
use common::system::pages::{PageKind, Room};
use common::units::Bytes;
use common::{core_clock, cpu, output};
use serde_json::{Value, json};

/// Find size, line, ways and latency of each cache by experiment
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How to print the findings
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Draw the cost by working set into FILE (.svg or .png)
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,

    /// Experiment on this modelled machine instead: a name from `lab machines`, or a TOML file
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,
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
/// Largest working set when only private caches are looked at again.
const PRIVATE: usize = 8 << 20;
/// No new repetition begins after this.
const PATIENCE: Duration = Duration::from_millis(1500);
/// A core clock that changed by more than this has drifted.
const DRIFT: f64 = 0.03;

/// What was found, and under which circumstances.
struct Findings {
    runs: Vec<Exploration>,
    translation: Option<Translation>,
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
        None => on_time()?,
    };
    let levels = findings.levels();
    let known = match &args.machine {
        Some(_) => None,
        None => machine::host().ok(),
    };
    match args.format {
        Format::Json => println!("{:#}", findings.json(&levels, known.as_ref())),
        Format::Text => print!("{}", findings.text(&levels, known.as_ref())),
    }
    args.chart.as_ref().map_or(Ok(()), |path| output::draw(&findings.chart(&levels), path))
}

fn on_model(name: &str) -> Result<Findings, Failure> {
    let machine = machine::select(name).map_err(Failure::could_not)?;
    let arena = OnModel::arena(&machine).map_err(Failure::could_not)?;
    let mut probe = OnModel::new(&machine, &arena).map_err(Failure::could_not)?;
    let found = explore(&mut probe, 3).map_err(Failure::could_not)?;
    Ok(Findings {
        runs: vec![found],
        translation: None,
        batches: (0, 0),
        huge: true,
        split: false,
        clock: None,
        source: "model",
    })
}

fn on_time() -> Result<Findings, Failure> {
    let began = Instant::now();
    if let Some(here) = cpu::current()
        && !cpu::pin(&[here])
    {
        eprintln!("lab: warning: this process may move between processors: pinning was refused");
    }
    let before = core_clock::measure();
    let room = Room::new(LARGE, PageKind::Huge).map_err(Failure::could_not)?;
    let mut probe = OnTime::new(room);
    let first = explore(&mut probe, 3)
        .map_err(|reason| Failure::could_not(format!("{reason}; try again when the machine is idle")))?;
    let (mut kept, mut dropped) = probe.batches();
    let (huge, split) = (probe.huge(), probe.split());
    let line = first.levels[0].line.unwrap_or(64) as usize;
    let mut runs = vec![first];
    drop(probe);
    let translation = translation(line).ok();
    while runs.len() < 3 || (began.elapsed() < PATIENCE && runs.len() < 5) {
        // late repetitions look at the first level only, which is quick
        let depth = if began.elapsed() < PATIENCE { 2 } else { 1 };
        let room = Room::new(PRIVATE, PageKind::Huge).map_err(Failure::could_not)?;
        let mut probe = OnTime::new(room);
        runs.push(explore(&mut probe, depth).unwrap_or_else(|_| runs[0].clone()));
        let more = probe.batches();
        (kept, dropped) = (kept + more.0, dropped + more.1);
    }
    let clock = Some((before.0, core_clock::measure().0));
    Ok(Findings { runs, translation, batches: (kept, dropped), huge, split, clock, source: "timing" })
}

/// One level over all runs.
struct Summary {
    found: LevelFound,
    latencies: (f64, f64),
    agree: usize,
    of: usize,
}

impl Findings {
    /// For each level of the first run: the finding most runs agree on.
    fn levels(&self) -> Vec<Summary> {
        let depth = self.runs[0].levels.len();
        (0..depth).filter_map(|i| self.level(i)).collect()
    }

    fn level(&self, index: usize) -> Option<Summary> {
        let all: Vec<&LevelFound> = self.runs.iter().filter_map(|run| run.levels.get(index)).collect();
        let same = |a: &LevelFound, b: &LevelFound| a.ways.is_ok() && a.ways == b.ways && a.size == b.size;
        let votes = |a: &LevelFound| all.iter().filter(|b| same(a, b)).count();
        // others on a private cache make it look smaller, never larger
        let best = match index {
            0 => all.iter().filter(|l| l.ways.is_ok()).max_by_key(|l| l.size).or(all.first())?,
            _ => all.iter().rev().max_by_key(|a| votes(a))?,
        };
        let mut found = (*best).clone();
        if index == 0 && votes(best) < 2 && self.source != "model" {
            found.confidence = found.confidence.min(Confidence::Medium);
        }
        let agreed = self.source == "model"
            || (index == 0 && found.ways.is_ok())
            || (votes(best) >= 2 && 3 * votes(best) >= 2 * all.len());
        if !agreed {
            // nobody saw the sets, or each saw others: what all runs allow
            if found.ways.is_ok() {
                found.ways =
                    Err("repeated runs found different numbers of lines of one set that fit: pages, or \
                                  others on the cache, hide them"
                        .to_owned());
                found.why.push("Ways: not identifiable: repeated runs do not agree on them.".to_owned());
            }
            let low = all.iter().map(|l| l.rise.0).min()?;
            let high = all.iter().map(|l| l.range.1.max(l.rise.1)).max()?;
            let mut sizes: Vec<u64> = all.iter().filter(|l| l.ways.is_err()).map(|l| l.size).collect();
            sizes.extend(all.iter().filter(|l| l.ways.is_ok()).map(|l| l.rise.1));
            sizes.sort_unstable();
            found.size = sizes[sizes.len() / 2].clamp(low, high);
            found.range = (low, high);
            found.confidence = Confidence::Low;
        }
        let low = all.iter().map(|l| l.latency).fold(f64::INFINITY, f64::min);
        let high = all.iter().map(|l| l.latency).fold(0.0, f64::max);
        Some(Summary { agree: votes(best).max(1), of: all.len(), latencies: (low, high), found })
    }

    fn cycles(&self, nanos: f64) -> Option<f64> {
        self.clock.map(|(before, _)| nanos * 1e-9 * before)
    }

    fn drift(&self) -> Option<f64> {
        self.clock.map(|(before, after)| (after / before - 1.0).abs())
    }

    fn json(&self, levels: &[Summary], known: Option<&Machine>) -> Value {
        let levels: Vec<Value> = levels
            .iter()
            .map(|s| {
                let l = &s.found;
                json!({
                    "level": l.level,
                    "size": l.size,
                    "size_low": l.range.0,
                    "size_high": l.range.1,
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
                    "runs": s.of,
                    "why": l.why,
                    "system_says": told(known, l.level).map(|(size, line, ways)| json!({"size": size, "line": line, "ways": ways})),
                })
            })
            .collect();
        json!({
            "levels": levels,
            "beyond_ns": self.runs[0].beyond,
            "tlb": self.translation.as_ref().map(|t| json!({
                "entries_low": t.entries.map(|e| e.0),
                "entries_high": t.entries.map(|e| e.1),
                "page_walk_ns": t.walk,
            })),
            "source": self.source,
            "huge_pages": self.huge,
            "huge_pages_split": self.split,
            "batches_kept": self.batches.0,
            "batches_dropped": self.batches.1,
            "clock_hz": self.clock.map(|c| c.0),
            "clock_drift": self.drift(),
        })
    }

    fn text(&self, levels: &[Summary], known: Option<&Machine>) -> String {
        let mut lines = Vec::new();
        for s in levels {
            let l = &s.found;
            let ways = l.ways.as_ref().map_or("not identifiable".to_owned(), u64::to_string);
            let range = if l.range.0 == l.range.1 {
                String::new()
            } else {
                format!(" ({} to {})", Bytes(l.range.0), Bytes(l.range.1))
            };
            let cycles = self.cycles(l.latency).map_or(String::new(), |c| format!(" = {c:.1} cycles"));
            lines.push(format!(
                "L{}: {}{range}, line {}, ways {ways}, hit {:.2} ns{cycles} ({:.2} to {:.2} in {} runs), miss penalty {:.2} ns, confidence {}",
                l.level,
                Bytes(l.size),
                l.line.map_or("not identifiable".to_owned(), |b| format!("{b} B")),
                l.latency,
                s.latencies.0,
                s.latencies.1,
                s.of,
                l.penalty,
                format!("{:?}", l.confidence).to_lowercase()
            ));
            lines.extend(l.why.iter().map(|why| format!("    {why}")));
            if let Some((size, line, ways)) = told(known, l.level) {
                lines.push(format!(
                    "    For comparison, the system says: {}, line {line} B, {ways} ways.",
                    Bytes(size)
                ));
            }
        }
        if let Some(beyond) = self.runs[0].beyond {
            lines.push(format!("beyond: {beyond:.1} ns"));
        }
        if let Some(t) = &self.translation {
            let entries =
                t.entries.map_or("not identifiable".to_owned(), |(a, b)| format!("{a} to {b} entries"));
            lines.push(format!("TLB: first level {entries}; a page walk costs {:.1} ns", t.walk));
        }
        if self.source == "timing" {
            lines.push(format!(
                "source=timing: {} batches of accesses kept, {} dropped as disturbed; huge pages {}",
                self.batches.0,
                self.batches.1,
                match (self.huge, self.split) {
                    (true, false) => "granted",
                    (true, true) =>
                        "granted, but translated in small pieces: the hypervisor has none behind them",
                    (false, _) => "not granted",
                }
            ));
        }
        if let Some(drift) = self.drift().filter(|d| *d > DRIFT) {
            lines.push(format!("warning: the core clock drifted by {:.0} % during the run", 100.0 * drift));
        }
        lines.join("\n") + "\n"
    }

    fn chart(&self, levels: &[Summary]) -> Chart {
        let points = |scan: &[(u64, f64)]| scan.iter().map(|p| (p.0 as f64, p.1)).collect::<Vec<_>>();
        let mut chart = Chart::new(
            "Time of dependent accesses by working set",
            Axis::bytes("working set"),
            Axis::log2("ns per access"),
        )
        .caption(format!("Random order, one access per line; source: {}.", self.source))
        .curve("all levels", points(&self.runs[0].scan));
        for s in levels {
            let l = &s.found;
            chart = chart.curve(format!("round the end of L{}", l.level), points(&l.knee));
            chart = chart.mark(l.size as f64, format!("L{} {}", l.level, Bytes(l.size)));
        }
        chart
    }
}

/// What the system says of a level: size, line, ways.
fn told(known: Option<&Machine>, level: usize) -> Option<(u64, u64, usize)> {
    let cache = known?.level(u8::try_from(level).ok()?)?;
    Some((cache.size.0, cache.line.0, cache.ways))
}
