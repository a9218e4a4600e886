//! One rate, estimated in every way that this machine supports.

use common::cli::Counters;
use common::counters::{self, Samples};
use common::cpu::AffinityGuard;
use common::events::Event;
use common::failure::Failure;
use common::measure::Session;
use common::value::{Reading, Source};
use common::{clock, core_clock};

use crate::events::{FpEvent, Generation};
use crate::kernels::Kernel;
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
    /// Events per sample; `None` for [`period_of`].
    pub period: Option<u64>,
}

/// The results of sampling.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// Number of samples in all threads.
    pub samples: usize,
    /// Samples times period, over all threads.
    pub estimate: f64,
    /// The event counted over the same time.
    pub counted: f64,
    /// Share of the samples that are in the product's code.
    pub inside: f64,
    /// Samples lost because the kernel's buffer was full.
    pub lost: u64,
    /// How often the kernel throttled sampling because it was too frequent.
    pub throttled: u64,
}

/// One kernel's rates.
#[derive(Debug, Clone)]
pub struct Estimate {
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
    /// Operations by the textbook, for all threads and repetitions.
    pub operations: f64,
    /// Nanoseconds of one dependent addition.
    pub latency_ns: f64,
    /// Measured clock frequency in hertz.
    pub frequency: f64,
    /// The floating-point events of this generation with their counts.
    pub counted: Vec<(FpEvent, Reading)>,
    /// Unhalted cycles of all threads.
    pub cycles: Reading,
    /// The sampled event, its period, and the result.
    pub event: Event,
    /// Events per sample.
    pub period: u64,
    /// The result, or why there is none.
    pub sampled: Result<Sampled, String>,
    /// Operations per count, if the sampled event counts floating-point work.
    pub per_event: Option<f64>,
}

/// The default number of events per sample: a prime, so that samples are not synchronised
/// with a loop; for clocks nanoseconds, some 2000 samples a second.
pub fn period_of(event: &Event) -> u64 {
    if is_clock(event) { 499_979 } else { 1_000_003 }
}

/// Whether the event is a clock of the kernel, which counts nanoseconds.
pub fn is_clock(event: &Event) -> bool {
    matches!(event.name(), "task-clock" | "cpu-clock")
}

/// The product on a team of threads, each on one of the session's processors.
struct Team<'s> {
    session: &'s Session,
    kernel: &'static Kernel,
    x: Matrices,
    threads: usize,
    repeats: u32,
}

impl Team<'_> {
    fn run(&mut self, sample: Option<(&Event, u64)>) -> Result<Run, Failure> {
        let _kept = (self.threads > 1).then(|| AffinityGuard::to(&self.session.cpus));
        team::run(self.kernel, &mut self.x, self.threads, self.repeats, sample)
    }

    /// All repetitions for which there is time.
    fn runs(&mut self, sample: Option<(&Event, u64)>) -> Result<Vec<Run>, Failure> {
        let session = self.session;
        let wanted = (0..session.runs).take_while(|run| *run == 0 || !session.is_over());
        wanted.map(|_| self.run(sample)).collect()
    }
}

/// Measures `kernel` with the given settings.
///
/// # Errors
///
/// If a counter fails while it counts, or this machine has no such clock event.
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
    let fp = generation.and_then(|g| g.event_for(kernel.name));
    let count = session.counters != Counters::None;
    let (event, per_event) = to_sample(settings, fp.filter(|_| count))?;
    let period = settings.period.unwrap_or_else(|| period_of(&event));
    let sampled = if count {
        let runs = team.runs(Some((&event, period)))?;
        median(runs.iter().map(added_up).collect())
    } else {
        Err("--counters none".to_owned())
    };
    let (counted, cycles) = counted(&mut team, generation)?;
    let (x, repeats) = (&team.x, team.repeats);
    Ok(Estimate {
        kernel,
        n: settings.n,
        threads: first.threads,
        repeats,
        seconds: Reading::from_runs(&seconds, Source::Timing),
        busy: Reading::from_runs(&busy, Source::Timing),
        right: x.checksum() == x.expected(),
        operations: 2.0 * (settings.n as f64).powi(3) * f64::from(repeats),
        latency_ns: latency(kernel.chain),
        frequency: core_clock::measure().0,
        counted,
        cycles,
        event,
        period,
        sampled,
        per_event,
    })
}

/// The event to sample: the given one, else the kernel's own if this machine can count it,
/// else the clock.
fn to_sample(settings: &Settings, fp: Option<&FpEvent>) -> Result<(Event, Option<f64>), Failure> {
    if let Some(event) = &settings.event {
        let known = fp.filter(|fp| fp.event().as_ref() == Some(event));
        return Ok((event.clone(), known.map(|fp| fp.operations)));
    }
    if let Some((fp, event)) = fp.and_then(|fp| Some((fp, fp.event()?)))
        && counters::definition(&event).is_ok()
    {
        return Ok((event, Some(fp.operations)));
    }
    Ok((Event::parse("task-clock").map_err(Failure::could_not)?, None))
}

/// The run with the median estimate, or the first reason why there is none.
fn median(runs: Vec<Result<Sampled, String>>) -> Result<Sampled, String> {
    let mut runs = runs.into_iter().collect::<Result<Vec<Sampled>, String>>()?;
    runs.sort_by(|a, b| a.estimate.total_cmp(&b.estimate));
    let middle = runs.len() / 2;
    runs.into_iter().nth(middle).ok_or_else(|| "it was not sampled once".to_owned())
}

fn added_up(run: &Run) -> Result<Sampled, String> {
    let threads: Vec<&Samples> = run.sampled().map_err(str::to_owned)?;
    let samples: usize = threads.iter().map(|s| s.addresses.len()).sum();
    if samples == 0 {
        return Err("it was not sampled once: raise --repeats or lower --period".to_owned());
    }
    let product = counters::watched_code().unwrap_or_default();
    let inside: usize = threads.iter().map(|s| s.within(product.clone())).sum();
    Ok(Sampled {
        samples,
        estimate: threads.iter().map(|s| s.total() as f64).sum(),
        counted: threads.iter().map(|s| s.count.estimate()).sum(),
        inside: inside as f64 / samples as f64,
        lost: threads.iter().map(|s| s.lost).sum(),
        throttled: threads.iter().map(|s| s.throttled).sum(),
    })
}

/// The events of this generation, and cycles.
fn counted(
    team: &mut Team<'_>,
    generation: Option<&Generation>,
) -> Result<(Vec<(FpEvent, Reading)>, Reading), Failure> {
    let table = generation.map_or(&[][..], |g| g.events);
    let known: Vec<(FpEvent, Option<Event>)> = table.iter().map(|fp| (*fp, fp.event())).collect();
    let events: Vec<Event> =
        known.iter().filter_map(|(_, event)| event.clone()).chain([Event::TOT_CYC]).collect();
    let session = team.session;
    let plan = session.plan(&events)?.without_model();
    let mut ran = Ok(());
    let counts = session.count(&plan, &mut || {}, &mut || {
        if ran.is_ok() {
            ran = team.run(None).map(drop);
        }
    });
    let counts = ran.and(counts)?;
    let of = |event: &Event| counts.iter().find(|(it, _)| it == event).map(|(_, reading)| reading.clone());
    let missing = || Reading::missing("the kernel has no PMU of that name");
    let reading = |event: Option<Event>| event.and_then(|event| of(&event)).unwrap_or_else(missing);
    let rows = known.into_iter().map(|(fp, event)| (fp, reading(event))).collect();
    Ok((rows, reading(Some(Event::TOT_CYC))))
}

/// Nanoseconds of one addition in a chain: the fastest of several repetitions, as
/// disturbances only make a chain slower.
fn latency<R>(chain: fn(u64) -> R) -> f64 {
    const STEPS: u64 = 1_600_000;
    let tries = (0..9).map(|_| {
        let from = clock::wall();
        std::hint::black_box(chain(std::hint::black_box(STEPS)));
        (clock::wall().0 - from.0) * 1e9 / STEPS as f64
    });
    tries.fold(f64::INFINITY, f64::min)
}

impl Estimate {
    /// MFLOPS from the operations by the textbook.
    pub fn known(&self) -> Reading {
        self.seconds.rate(self.operations / 1e6)
    }

    /// The same over processor time, as in the article: cycles in which the program did not
    /// run are no part of the elapsed time.
    pub fn known_busy(&self) -> Reading {
        self.busy.rate(self.operations / 1e6)
    }

    /// The limit of the unit in MFLOPS: each addition of a chain adds `width` products, and
    /// waits for the one before, for the measured time.
    pub fn predicted(&self) -> Reading {
        let per_thread = 2.0 * self.kernel.width as f64 / self.latency_ns * 1e3;
        Reading::new(per_thread * self.threads as f64, Source::Timing)
    }

    /// Floating-point operations from all counted events.
    pub fn counted_operations(&self) -> Reading {
        let mut sum = 0.0;
        let mut reason = None;
        for (fp, reading) in &self.counted {
            match reading.result() {
                Ok(amount) => sum += amount * fp.operations,
                Err(why) => reason = Some(why.to_owned()),
            }
        }
        match reason {
            // A product consists of floating-point operations only.
            None if sum == 0.0 && !self.counted.is_empty() => Reading::missing(
                "the events open but stay at 0 through the whole product: this processor does not count them",
            ),
            None if !self.counted.is_empty() => Reading::new(sum, Source::Hardware),
            Some(why) => Reading::missing(why),
            None => Reading::missing("this processor has no events of floating-point work"),
        }
    }

    /// Seconds by the article's formula: cycles divided by frequency and by cores.
    pub fn seconds_by_cycles(&self) -> Reading {
        self.cycles.scaled(1.0 / self.frequency / self.threads as f64)
    }

    /// MFLOPS from counted events.
    pub fn counted_rate(&self) -> Reading {
        Reading::joined(&self.counted_operations(), &self.seconds, |operations, seconds| {
            operations * 1e-6 / seconds
        })
    }

    /// MFLOPS from samples of an event of floating-point work.
    pub fn sampled_rate(&self) -> Reading {
        match (&self.sampled, self.per_event) {
            (Ok(s), Some(width)) => {
                let operations = Reading::new(width * s.estimate, Source::Hardware);
                Reading::joined(&operations, &self.seconds, |operations, seconds| operations / 1e6 / seconds)
            }
            (Ok(_), None) => Reading::missing(format!(
                "{} counts no floating-point work: its samples show where the time goes, not how many operations",
                self.event
            )),
            (Err(why), _) => Reading::missing(why.clone()),
        }
    }
}

impl Sampled {
    /// One standard deviation of the estimate, as a share of it: with a count of samples,
    /// it falls with the square root of their number.
    pub fn error(&self) -> f64 {
        1.0 / (self.samples as f64).sqrt()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::kernels::KERNELS;

    /// The article's run on x87: 607,652 million cycles on 12 threads at 3.33 GHz,
    /// 18,470 million events; it gives 15.206 s and 1,214.652 MFLOPS.
    #[test]
    fn the_articles_numbers_give_the_articles_rate() {
        let event = |count: f64| {
            let fp = FpEvent { name: "FP_COMP_OPS_EXE.X87", spec: "", operations: 1.0, kernel: Some("x87") };
            (fp, Reading::new(count, Source::Hardware))
        };
        let unknown = Reading::new(1.0, Source::Timing);
        let estimate = |cycles: f64, events: f64| Estimate {
            kernel: &KERNELS[0],
            n: 1,
            threads: 12,
            repeats: 1,
            seconds: unknown.clone(),
            busy: unknown.clone(),
            right: true,
            operations: 2.0,
            latency_ns: 1.0,
            frequency: 3.33e9,
            counted: vec![event(events)],
            cycles: Reading::new(cycles, Source::Hardware),
            event: Event::parse("task-clock").unwrap(),
            period: 1,
            sampled: Err("not sampled".to_owned()),
            per_event: None,
        };
        let x87 = estimate(607_652e6, 18_470e6);
        let seconds = x87.seconds_by_cycles().amount().unwrap();
        assert!((seconds - 15.206).abs() < 1e-3, "{seconds}");
        let rate = x87.counted_operations().amount().unwrap() / 1e6 / seconds;
        assert!((rate / 1_214.652 - 1.0).abs() < 1e-4, "{rate}");
        let text = crate::report::text(&x87);
        assert!(text.contains("= 607652000000 / 3.3300 x 10^9 / 12 = 15.207 s"), "{text}");
        let sse = estimate(66_178e6, 0.0).seconds_by_cycles().amount().unwrap();
        assert!((sse - 1.656).abs() < 1e-3, "{sse}");
    }
}
