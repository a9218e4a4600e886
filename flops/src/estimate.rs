//! One rate, estimated in three ways: from the known operations, and from counted and sampled
//! events.

use common::failure::Failure;
use common::measure::Session;
use common::output::Reasons;
use common::value::{Reading, Source};

use crate::counted::Counted;
use crate::events::Generation;
use crate::kernels::Kernel;
use crate::known::Known;
use crate::sampled::{Sampled, Settings};
use crate::team::{Matrices, Team};

/// One kernel's rates.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// From the known operations.
    pub known: Known,
    /// From counted events.
    pub counted: Counted,
    /// From sampled events.
    pub sampled: Sampled,
}

/// Measures `kernel` with a side of `n` on `threads` threads, `repeats` products in a row; `None`
/// for as many as take half a second.
/// Fails if the system starts too few threads, a counter fails while it counts, or this machine has
/// no such event.
pub fn estimate(
    session: &Session,
    kernel: &'static Kernel,
    [n, threads]: [usize; 2],
    repeats: Option<u32>,
    settings: &Settings,
) -> Result<Estimate, Failure> {
    let mut team = Team { session, kernel, x: Matrices::new(n), threads, repeats: 1 };
    let first = team.run(None)?;
    let half_a_second = (0.5 / first.seconds.max(1e-6)).ceil().clamp(1.0, 10_000.0) as u32;
    team.repeats = repeats.unwrap_or(half_a_second);
    let wanted = (0..session.runs).take_while(|run| *run == 0 || !session.is_over());
    let runs = wanted.map(|_| team.run(None)).collect::<Result<Vec<_>, _>>()?;
    let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    let busy: Vec<f64> = runs.iter().map(|run| run.busy / run.threads as f64).collect();
    let generation = Generation::host();
    let sampled = Sampled::measure(&mut team, generation.and_then(|g| g.event_for(kernel.name)), settings)?;
    let counted = Counted::measure(&mut team, generation)?;
    let known = Known {
        kernel,
        n,
        threads: first.threads,
        repeats: team.repeats,
        seconds: Reading::from_runs(&seconds, Source::Timing),
        busy: Reading::from_runs(&busy, Source::Timing),
        right: team.x.checksum() == team.x.expected(),
    };
    Ok(Estimate { known, counted, sampled })
}

impl Estimate {
    /// The lines of the kernel: each formula with its numbers.
    pub fn text(&self, reasons: &mut Reasons) -> String {
        self.known.text()
            + &self.counted.text(&self.known, reasons)
            + &self.sampled.text(&self.known, reasons)
    }

    /// All figures by name.
    pub fn figures(&self) -> Vec<(&'static str, Reading)> {
        let mut all = self.known.figures().to_vec();
        all.extend(self.sampled.figures(&self.known));
        all.extend(self.counted.figures(&self.known));
        all
    }
}
