//! Machines that differ from the others, or whose measurement was disturbed.

use common::stats;
use common::text::shorten;
use common::units::Bytes;

use super::surveyed::Surveyed;

/// A figure is an outlier if it is this many standard deviations from the median ...
const SCATTER: f64 = 5.0;
/// ... and differs by this share too: eight equal machines scatter very little.
const SHARE: f64 = 0.2;
/// Ratio of the median absolute deviation to the standard deviation of a normal
/// distribution.
const NORMAL: f64 = 1.4826;
/// Fewest machines of a kind that show what is usual.
const ENOUGH: usize = 4;
/// A change of the core clock above this share is reported.
const DRIFT: f64 = 0.03;
/// So many processes that wanted to run during the survey are reported.
const LOAD: f64 = 1.5;

/// Sentences about machines, each with the machine's label.
pub(super) fn remarks(machines: &[Surveyed]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let usual = usual_version(machines);
    for machine in machines {
        let label = || machine.label.clone();
        found.extend(machine.impossible.iter().map(|remark| (label(), remark.clone())));
        if machine.version() != usual {
            let own = shorten(machine.version(), 40);
            found.push((
                label(),
                format!("Written by version {own} of the kit, others by {}.", shorten(usual, 40)),
            ));
        }
        let same = |other: &&Surveyed| other.label != machine.label && other.identity() == machine.identity();
        if let Some(other) = machines.iter().find(same) {
            found.push((
                label(),
                format!("Same machine and time as {}: one of the two was changed.", other.label),
            ));
        }
        found.extend(alone(machine).into_iter().map(|remark| (machine.label.clone(), remark)));
    }
    for (name, figure) in figures() {
        for machine in machines {
            let like: Vec<f64> =
                machines.iter().filter(|m| m.kind() == machine.kind()).filter_map(&figure).collect();
            let off = figure(machine).and_then(|value| Some((value, is_outlier(value, &like)?)));
            found.extend(off.map(|(value, middle)| {
                (
                    machine.label.clone(),
                    format!(
                        "Its {name} of {value:.3} is far from the {middle:.3} of the others of its kind."
                    ),
                )
            }));
        }
    }
    found
}

/// The version that most machines have; if several share that, this kit's own.
fn usual_version(machines: &[Surveyed]) -> &str {
    let number = |version: &str| machines.iter().filter(|machine| machine.version() == version).count();
    let order = |version: &&str| (number(version), *version == common::VERSION);
    machines.iter().map(Surveyed::version).max_by_key(order).unwrap_or_default()
}

type Figure = Box<dyn Fn(&Surveyed) -> Option<f64>>;

fn figures() -> Vec<(String, Figure)> {
    let latency = |level: u64| -> Figure {
        Box::new(move |m| m.caches_found.iter().find(|l| l.level == level)?.latency_ns)
    };
    let seconds = |program: &'static str| -> Figure {
        Box::new(move |m| m.timings.iter().find(|timing| timing.program == program)?.seconds)
    };
    vec![
        ("L1 latency (ns)".to_owned(), latency(1)),
        ("L2 latency (ns)".to_owned(), latency(2)),
        ("mm1 (s)".to_owned(), seconds("mm1")),
        ("mm2 (s)".to_owned(), seconds("mm2")),
        ("mm3 (s)".to_owned(), seconds("mm3")),
    ]
}

/// The median of `like`, if `value` is an outlier.
fn is_outlier(value: f64, like: &[f64]) -> Option<f64> {
    if like.len() < ENOUGH {
        return None;
    }
    let middle = stats::median(like)?;
    let deviations: Vec<f64> = like.iter().map(|other| (other - middle).abs()).collect();
    let usual = NORMAL * stats::median(&deviations)?;
    let off = (value - middle).abs();
    (off > SCATTER * usual && off > SHARE * middle).then_some(middle)
}

/// Signs in a machine's own record that it was disturbed.
fn alone(machine: &Surveyed) -> Vec<String> {
    let mut found = Vec::new();
    for level in &machine.caches_found {
        let told = machine.caches_reported.iter().find(|told| told.level == level.level);
        let least = level.size_low.or(level.size).unwrap_or(0);
        let most = level.size_high.unwrap_or(u64::MAX).max(level.size.unwrap_or(0));
        let possible = least..=most;
        if let Some(told) = told.filter(|told| !possible.contains(&told.size_bytes)) {
            found.push(format!(
                "L{}: experiments find {}, the system reports {}.",
                level.level,
                match (level.size, most) {
                    (Some(size), _) => Bytes(size).to_string(),
                    (None, u64::MAX) => format!("{} or more", Bytes(least)),
                    (None, most) => format!("{} to {}", Bytes(least), Bytes(most)),
                },
                Bytes(told.size_bytes)
            ));
        }
        let line = told.and_then(|told| Some((told.line_bytes, level.line?)));
        let ways = told.and_then(|told| Some((told.ways, level.ways?)));
        for (what, pair) in [("line", line), ("ways", ways)] {
            if let Some((told, seen)) = pair.filter(|(told, seen)| told != seen) {
                found.push(format!(
                    "L{}: experiments find {what} {seen}, the system reports {told}.",
                    level.level
                ));
            }
        }
    }
    if let Some(reason) = &machine.experiments.reason {
        found.push(format!("The experiments found nothing: {reason}."));
    }
    if let Some(drift) = machine.experiments.clock_drift.filter(|drift| *drift > DRIFT) {
        found.push(format!("The core clock drifted by {:.0} %.", 100.0 * drift));
    }
    if let Some(load) = machine.load.filter(|load| *load > LOAD) {
        found.push(format!("Other programs were running (load {load:.1})."));
    }
    found
}
