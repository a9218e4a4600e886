//! One rate, estimated in three ways: from the known operations, and from counted and sampled
//! events.

use std::fmt::Write;

use common::cpu::AffinityGuard;
use common::events::Event;
use common::failure::Failure;
use common::measure::Session;
use common::value::{Reading, Source};

use crate::counted::Counted;
use crate::events::Generation;
use crate::kernels::Kernel;
use crate::sampled::Sampled;
use crate::team::{self, Matrices, Run};

/// The settings of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Side of the matrices.
    pub n: usize,
    /// Threads.
    pub threads: usize,
    /// Products in a row; `None` for as many as take half a second.
    pub repeats: Option<u32>,
    /// The event to sample; `None` for the kernel's event, or else the clock.
    pub event: Option<Event>,
    /// Events per sample; `None` for a prime.
    pub period: Option<u64>,
}

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

/// A product, its times, and its rate from the known number of operations.
#[derive(Debug, Clone)]
pub struct Known {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Side of the matrices.
    pub n: usize,
    /// Threads that worked.
    pub threads: usize,
    /// Products in a row.
    pub repeats: u32,
    /// Seconds they took.
    pub seconds: Reading,
    /// Processor seconds of one thread: less than the time if other programs used the
    /// processors.
    pub busy: Reading,
    /// Whether the product was right.
    pub right: bool,
}

/// The product on a team of threads, each on one of the session's processors.
pub(crate) struct Team<'s> {
    pub(crate) session: &'s Session,
    kernel: &'static Kernel,
    x: Matrices,
    threads: usize,
    repeats: u32,
}

impl Team<'_> {
    pub(crate) fn run(&mut self, sample: Option<(&Event, u64)>) -> Result<Run, Failure> {
        let places = &self.session.cpus;
        let _kept = (self.threads > 1).then(|| AffinityGuard::to(places));
        let ran = team::run(self.kernel, &mut self.x, self.threads, self.repeats, places, sample);
        ran.map_err(Failure::could_not)
    }

    /// All repetitions for which there is time.
    pub(crate) fn runs(&mut self, sample: Option<(&Event, u64)>) -> Result<Vec<Run>, Failure> {
        let session = self.session;
        let wanted = (0..session.runs).take_while(|run| *run == 0 || !session.is_over());
        wanted.map(|_| self.run(sample)).collect()
    }
}

/// Measures `kernel` with the given settings.
///
/// # Errors
///
/// If the system starts too few threads, a counter fails while it counts, or this machine has
/// no such event.
pub fn estimate(
    session: &Session,
    kernel: &'static Kernel,
    settings: &Settings,
) -> Result<Estimate, Failure> {
    let x = Matrices::new(settings.n);
    let mut team = Team { session, kernel, x, threads: settings.threads, repeats: 1 };
    let first = team.run(None)?;
    let half_a_second = (0.5 / first.seconds.max(1e-6)).ceil().clamp(1.0, 10_000.0) as u32;
    team.repeats = settings.repeats.unwrap_or(half_a_second);
    let runs = team.runs(None)?;
    let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    let busy: Vec<f64> = runs.iter().map(|run| run.busy / run.threads as f64).collect();
    let generation = Generation::host();
    let sampled = Sampled::measure(&mut team, generation.and_then(|g| g.event_for(kernel.name)), settings)?;
    let counted = Counted::measure(&mut team, generation)?;
    let known = Known {
        kernel,
        n: settings.n,
        threads: first.threads,
        repeats: team.repeats,
        seconds: Reading::from_runs(&seconds, Source::Timing),
        busy: Reading::from_runs(&busy, Source::Timing),
        right: team.x.checksum() == team.x.expected(),
    };
    Ok(Estimate { known, counted, sampled })
}

impl Known {
    /// Operations by the textbook, for all threads and repetitions.
    pub fn operations(&self) -> f64 {
        2.0 * (self.n as f64).powi(3) * f64::from(self.repeats)
    }

    /// All figures by name.
    fn figures(&self) -> [(&'static str, Reading); 3] {
        let millions = self.operations() / 1e6;
        [
            ("seconds", self.seconds.clone()),
            ("known_mflops", self.seconds.rate(millions)),
            // Over processor time, as in the article: cycles in which the program did not run
            // are no part of the elapsed time.
            ("busy_mflops", self.busy.rate(millions)),
        ]
    }

    /// Its lines.
    fn text(&self) -> String {
        let Known { kernel, n, threads, repeats, seconds, busy, .. } = self;
        let [_, (_, known), (_, by_busy)] = self.figures();
        let [elapsed, own] = [seconds, busy].map(amount);
        format!(
            "kernel={}\tn={n}\tthreads={threads}\trepeats={repeats}\tseconds={seconds}\n\
             known_mflops={known:.3}\n\
             \x20 MFLOPS = operations / 10^6 / elapsed = 2 x {n}^3 x {repeats} / 10^6 / {elapsed:.6} s\n\
             busy_mflops={by_busy:.3}\n\
             \x20 the same over {own:.6} s of processor time per thread\n",
            kernel.name
        )
    }
}

impl Estimate {
    /// The lines of the kernel: each formula with its numbers.
    pub fn text(&self) -> String {
        let mut out = self.known.text();
        let _ = write!(out, "{}", self.counted.text(&self.known));
        out + &self.sampled.text(&self.known)
    }

    /// All figures by name.
    pub fn figures(&self) -> Vec<(&'static str, Reading)> {
        let mut all = self.known.figures().to_vec();
        all.extend(self.sampled.figures(&self.known));
        all.extend(self.counted.figures(&self.known));
        all
    }
}

pub(crate) fn amount(reading: &Reading) -> f64 {
    reading.amount().unwrap_or(f64::NAN)
}
