//! One machine's record, and all of them as a table.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use common::text::{inert, shorten};
use serde::Deserialize;

use crate::instructor::survey::SCHEMA;
use crate::instructor::tables::Table;

/// Programs that are timed.
const PROGRAMS: [&str; 3] = ["mm1", "mm2", "mm3"];
/// Plausible limits: working sets and caches in bytes, accesses, products, clocks.
const SIZES: RangeInclusive<f64> = 1.0..=(1_u64 << 34) as f64;
const NANOSECONDS: RangeInclusive<f64> = 0.01..=1e5;
const SECONDS: RangeInclusive<f64> = 1e-6..=1e5;
const CLOCKS: RangeInclusive<f64> = 1e6..=1e11;

/// A record of `lab survey`, as far as the page shows it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Surveyed {
    schema: String,
    time: String,
    kit_version: String,
    host: Host,
    processor: Processor,
    virtual_machine: Option<String>,
    kernel: Option<String>,
    #[serde(default)]
    pub(super) load: Option<f64>,
    #[serde(default)]
    pub(super) caches_reported: Vec<Reported>,
    #[serde(default)]
    pub(super) caches_found: Vec<Found>,
    #[serde(default)]
    pub(super) experiments: Experiments,
    #[serde(default)]
    counters: Vec<Counter>,
    #[serde(default)]
    pub(super) timings: Vec<Timing>,
    /// Implausible figures, one sentence each; they are removed.
    #[serde(skip)]
    pub(super) impossible: Vec<String>,
    /// The name that distinguishes it from the others on the page.
    #[serde(skip)]
    pub(super) label: String,
    /// Working set in bytes, nanoseconds per access.
    #[serde(skip)]
    pub(super) curve: Vec<(f64, f64)>,
}

#[derive(Debug, Clone, Deserialize)]
struct Host {
    id: String,
    name: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Processor {
    name: Option<String>,
    logical: Option<u64>,
}

/// A cache as the system reports it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Reported {
    pub(super) level: u64,
    pub(super) size_bytes: u64,
    pub(super) line_bytes: u64,
    pub(super) ways: u64,
}

/// A cache as experiments found it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Found {
    pub(super) level: u64,
    /// The size, where it is known exactly; older records have a value within the interval,
    /// too.
    pub(super) size: Option<u64>,
    /// The interval of the size: both ends, as far as they are known.
    pub(super) size_low: Option<u64>,
    pub(super) size_high: Option<u64>,
    pub(super) line: Option<u64>,
    pub(super) ways: Option<u64>,
    pub(super) latency_ns: Option<f64>,
    pub(super) confidence: String,
}

/// The conditions of the experiments.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Experiments {
    pub(super) reason: Option<String>,
    pub(super) clock_drift: Option<f64>,
    clock_hz: Option<f64>,
    #[serde(default)]
    curve_bytes_ns: Vec<(f64, f64)>,
}

#[derive(Debug, Clone, Deserialize)]
struct Counter {
    event: String,
    counted: bool,
    reason: Option<String>,
}

/// The time of a program in seconds.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Timing {
    pub(super) program: String,
    pub(super) seconds: Option<f64>,
    #[serde(default)]
    reason: Option<String>,
}

impl Surveyed {
    /// Reads a record.
    ///
    /// # Errors
    ///
    /// If it is not a record of this version; a clause.
    pub(super) fn parse(text: &str) -> Result<Surveyed, String> {
        let mut read: Surveyed = serde_json::from_str(text)
            .map_err(|error| format!("{error}; give whole files that lab survey wrote"))?;
        if read.schema != SCHEMA {
            return Err(format!("it is '{}', and this lab reads {SCHEMA}", shorten(&read.schema, 60)));
        }
        read.take_out_impossible();
        Ok(read)
    }

    /// Removes figures that no machine can have: one would stretch the axes for all.
    fn take_out_impossible(&mut self) {
        let mut found = Vec::new();
        let points = std::mem::take(&mut self.experiments.curve_bytes_ns);
        let all = points.len();
        self.curve = points
            .into_iter()
            .filter(|(bytes, ns)| SIZES.contains(bytes) && NANOSECONDS.contains(ns))
            .collect();
        match (all, all - self.curve.len()) {
            (0, _) => found.push("It has no curve.".to_owned()),
            (_, 0) => {}
            (all, out) => {
                found.push(format!("{out} of {all} points of its curve are impossible, and are left out."))
            }
        }
        for program in PROGRAMS {
            match self.timings.iter_mut().find(|timing| timing.program == program) {
                None => found.push(format!("{program} was not timed.")),
                Some(Timing { seconds: None, reason, .. }) => {
                    let why =
                        reason.as_ref().map_or(String::new(), |reason| format!(": {}", shorten(reason, 120)));
                    found.push(format!("{program} was not timed{why}."));
                }
                Some(Timing { seconds, .. }) => {
                    if let Some(out) = seconds.take_if(|seconds| !SECONDS.contains(seconds)) {
                        found.push(format!("{program}: {out} s cannot be the time of a product."));
                    }
                }
            }
        }
        for level in &mut self.caches_found {
            let name = format!("L{}", level.level);
            let mut out = |what: &str| found.push(format!("{name}: {what} cannot be."));
            if level.latency_ns.take_if(|ns| !NANOSECONDS.contains(ns)).is_some() {
                out("its latency");
            }
            if level.line.take_if(|line| *line == 0).is_some()
                || level.ways.take_if(|ways| *ways == 0).is_some()
            {
                out("its line or its ways");
            }
        }
        let is_size = |size: u64| SIZES.contains(&(size as f64));
        let before = self.caches_found.len() + self.caches_reported.len();
        self.caches_found.retain(|level| level.size.is_none_or(is_size));
        self.caches_reported.retain(|level| is_size(level.size_bytes));
        if before > self.caches_found.len() + self.caches_reported.len() {
            found.push("The size of a cache is impossible, and is left out.".to_owned());
        }
        let experiments = &mut self.experiments;
        let clock = experiments.clock_hz.take_if(|hz| !CLOCKS.contains(hz));
        let drift = experiments.clock_drift.take_if(|drift| !(0.0..=1.0).contains(drift));
        let load = self.load.take_if(|load| !(0.0..=1e6).contains(load));
        if clock.or(drift).or(load).is_some() {
            found.push("Its clock, its drift or its load is impossible, and is left out.".to_owned());
        }
        self.impossible = found;
    }

    /// What identifies one record of one machine.
    pub(super) fn identity(&self) -> (&str, &str) {
        (&self.host.id, &self.time)
    }

    /// The version of the kit that has written it.
    pub(super) fn version(&self) -> &str {
        &self.kit_version
    }

    /// What two machines must have in common to be compared.
    pub(super) fn kind(&self) -> &str {
        self.processor.name.as_deref().unwrap_or_default()
    }
}

/// Gives each machine a label: its name or id, numbered where two have the same.
pub(super) fn label(machines: &mut [Surveyed]) {
    let called = |machine: &Surveyed| shorten(machine.host.name.as_ref().unwrap_or(&machine.host.id), 40);
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    machines.iter().for_each(|machine| *all.entry(called(machine)).or_default() += 1);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for machine in machines {
        let name = called(machine);
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        machine.label = if all[&name] > 1 { format!("{name} #{number}") } else { name };
    }
}

/// A line for each machine: numbers or empty cells, and the reasons in columns of their
/// own.
pub(super) fn table(machines: &[Surveyed], remarks: &[(String, String)]) -> Table {
    let header = [
        "machine",
        "processor",
        "logical",
        "virtual_machine",
        "kernel",
        "time",
        "kit_version",
        "clock_ghz",
        "l1_found_bytes",
        "l1_reported_bytes",
        "l1_line_bytes",
        "l1_ways",
        "l1_ns",
        "l1_confidence",
        "l2_found_bytes",
        "l2_reported_bytes",
        "l2_ns",
        "l2_confidence",
        "mm1_s",
        "mm2_s",
        "mm3_s",
        "events_counted",
        "counters_reason",
        "remarks",
    ];
    let row = |machine: &Surveyed| row(machine, remarks);
    Table {
        header: header.map(str::to_owned).to_vec(),
        rows: machines.iter().map(row).collect(),
        separator: b',',
    }
}

fn row(machine: &Surveyed, remarks: &[(String, String)]) -> Vec<String> {
    fn number<T: ToString>(number: Option<T>) -> String {
        number.map_or(String::new(), |number| number.to_string())
    }
    let text = |text: Option<&str>| inert(&shorten(text.unwrap_or_default(), 200));
    let found = |level| machine.caches_found.iter().find(|found| found.level == level);
    let reported =
        |level| machine.caches_reported.iter().find(|told| told.level == level).map(|told| told.size_bytes);
    let seconds = |name: &str| {
        number(machine.timings.iter().find(|timing| timing.program == name).and_then(|t| t.seconds))
    };
    let own: Vec<&str> = remarks
        .iter()
        .filter(|(label, _)| *label == machine.label)
        .map(|(_, remark)| remark.as_str())
        .collect();
    let counted: Vec<&str> =
        machine.counters.iter().filter(|c| c.counted).map(|c| c.event.as_str()).collect();
    vec![
        inert(&machine.label),
        text(machine.processor.name.as_deref()),
        number(machine.processor.logical),
        text(machine.virtual_machine.as_deref()),
        text(machine.kernel.as_deref()),
        text(Some(&machine.time)),
        text(Some(&machine.kit_version)),
        number(machine.experiments.clock_hz.map(|hz| hz * 1e-9)),
        number(found(1).and_then(|l| l.size)),
        number(reported(1)),
        number(found(1).and_then(|l| l.line)),
        number(found(1).and_then(|l| l.ways)),
        number(found(1).and_then(|l| l.latency_ns)),
        text(found(1).map(|l| l.confidence.as_str())),
        number(found(2).and_then(|l| l.size)),
        number(reported(2)),
        number(found(2).and_then(|l| l.latency_ns)),
        text(found(2).map(|l| l.confidence.as_str())),
        seconds("mm1"),
        seconds("mm2"),
        seconds("mm3"),
        text(Some(&counted.join(" "))),
        text(machine.counters.iter().find_map(|counter| counter.reason.as_deref())),
        text(Some(&own.join(" "))),
    ]
}
