//! The ladder over the size of its matrix: what `lab ge` measures and draws.

use std::fmt::Write as _;

use chart::{Axis, Chart};
use common::events::Event;
use common::failure::Failure;
use common::measure::Session;
use common::record::{Record, Row};
use common::value::{Reading, Source};
use ladder::{Ladder, Setup};

use crate::measuring::measure::{self, AllStepped};
use crate::measuring::peak;
use crate::{VARIANTS, Variant};

/// The figure of a row with the seconds.
const SECONDS: &str = "real_time_seconds";
/// The speed-up of a rung over the one before it.
const GAIN: &str = "times_as_fast_as_before";

/// The ladder of `ge1` to `ge7` and `blocked`.
#[derive(Debug, Default)]
pub struct Eliminations {
    /// The instructions of each rung.
    stepped: AllStepped,
}

impl Ladder for Eliminations {
    type Rung = Variant;
    const NAME: &'static str = "ge";
    const SIZE: &'static str = "size";
    const COLUMNS: &'static [(&'static str, &'static str, f64, usize)] = &[
        ("real_time(s)", SECONDS, 1.0, 6),
        ("instructions", "instructions", 1.0, 0),
        ("cycles", "cycles", 1.0, 0),
        ("MFLOPS", "mflops", 1.0, 1),
        ("peak(%)", "share_of_peak", 100.0, 1),
    ];
    const SOURCES: &'static [&'static str] = &[SECONDS, "instructions", "cycles"];
    const EVENTS: &'static [Event] = &measure::EVENTS;
    const RUNGS: &'static [Variant] = VARIANTS;

    fn name(rung: &Variant) -> &'static str {
        rung.name
    }

    fn estimate(session: &Session, rungs: &[&'static Variant], n: usize) -> f64 {
        // One run more checks the result, or counts.
        ((session.runs + 1) * rungs.len()) as f64 * Variant::flops(n) * measure::OPERATION
    }

    fn measure(&mut self, on: &Setup, rungs: &[&'static Variant], n: usize) -> Result<Vec<Row>, Failure> {
        measure::rows(rungs, n, &on.session, Some(&on.plan), &mut self.stepped)
    }

    /// The speed-up of each rung over the one before it at the largest size, from the ratios
    /// within each round, and the share of the core's peak.
    fn complete(&self, record: &mut Record) {
        let peak = peak::flops();
        let largest = record.rows.iter().filter_map(|row| row.whole("size")).max().unwrap_or_default();
        let mut before: Option<Vec<f64>> = None;
        for row in &mut record.rows {
            *row = row.clone().with("share_of_peak", row.figure("mflops").scaled(1e6 / peak));
            if row.whole("size") == Some(largest) {
                let now = row.reading(SECONDS).map(|time| time.runs().to_vec()).unwrap_or_default();
                if let Some(before) = before.replace(now.clone()) {
                    let ratios: Vec<f64> =
                        before.iter().zip(&now).map(|(before, now)| before / now).collect();
                    *row = row.clone().with(GAIN, Reading::from_runs(&ratios, Source::Timing));
                }
            }
        }
        record.settings.insert("peak_mflops".to_owned(), (peak * 1e-6).into());
    }

    fn remarks(record: &Record) -> String {
        let peak = record.settings.get("peak_mflops").and_then(|peak| peak.as_f64()).unwrap_or_default();
        let mut text = format!("\npeak of this core: {peak:.1} MFLOPS source=timing\n\n");
        for pair in record.rows.windows(2) {
            if let Some(gain) = pair[1].reading(GAIN) {
                let spread = gain.spread().map(|s| format!(" ({:.2} to {:.2})", s.min, s.max));
                let times = gain.amount().map_or("?".to_owned(), |times| format!("{times:.2}"));
                let [from, to] = [&pair[0], &pair[1]].map(ladder::name);
                let size = pair[1].whole("size").unwrap_or_default();
                let spread = spread.unwrap_or_default();
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{from} to {to} at {size}: {times} times as fast{spread}");
            }
        }
        text
    }

    /// The homework's four charts, and the distance to the core's peak.
    fn charts(record: &Record, _: &Session) -> Vec<(&'static str, Chart)> {
        let chart = |title: &str, unit: &str, figure: &str, factor: f64| {
            let axes = [Axis::linear("matrix size N"), Axis::linear(unit)];
            Self::chart(record, title, axes, figure, factor).caption(&record.machine)
        };
        vec![
            ("time.svg", chart("Real time", "seconds", SECONDS, 1.0)),
            ("instructions.svg", chart("Instructions", "10^9 instructions", "instructions", 1e-9)),
            ("cycles.svg", chart("Cycles", "10^9 cycles", "cycles", 1e-9)),
            ("mflops.svg", chart("MFLOPS", "MFLOPS", "mflops", 1.0)),
            ("peak.svg", chart("Share of this core's measured peak", "% of peak", "share_of_peak", 100.0)),
        ]
    }
}
