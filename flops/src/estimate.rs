//! One rate, estimated in three ways: from the known operations, and from counted and sampled
//! events.

use common::clock;
use common::failure::Failure;
use common::measure::{self, Session};
use common::output::Reasons;
use common::value::Reading;

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
    let mut used = 1;
    let mut timed = |team: &mut Team| {
        clock::repeated(|| {
            let run = team.run(None)?;
            used = run.threads;
            Ok(run.elapsed)
        })
    };
    let first = timed(&mut team)?;
    let half_a_second = (0.5 / first.wall.0.max(1e-6)).ceil().clamp(1.0, 10_000.0) as u32;
    team.repeats = repeats.unwrap_or(half_a_second);
    let wanted = (0..session.runs).take_while(|run| *run == 0 || !session.is_over());
    let runs = wanted.map(|_| timed(&mut team)).collect::<Result<Vec<_>, _>>()?;
    let generation = Generation::host();
    let sampled = Sampled::measure(&mut team, generation.and_then(|g| g.event_for(kernel.name)), settings)?;
    let counted = Counted::measure(&mut team, generation)?;
    let known = Known {
        kernel,
        n,
        threads: used,
        repeats: team.repeats,
        seconds: measure::seconds(&runs, |run| run.wall),
        busy: measure::seconds(&runs, |run| run.cpu).scaled(1.0 / used as f64),
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
