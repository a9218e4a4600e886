//! The rate from sampled events: the number of samples times the events per sample.

use std::fmt::Write;

use common::cli::Counters;
use common::counters::{self, Samples};
use common::events::Event;
use common::failure::Failure;
use common::output::Reasons;
use common::value::{Reading, Source};

use crate::events::FpEvent;
use crate::known::{Known, amount};
use crate::team::{Run, Team};

/// What to sample.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The event; `None` for the kernel's event, or else the clock.
    pub event: Option<Event>,
    /// Events per sample; `None` for a prime.
    pub period: Option<u64>,
}

/// The samples of a product.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// The sampled event.
    pub event: Event,
    /// Events per sample.
    pub period: u64,
    /// Operations per count, if the event counts floating-point work.
    pub per_event: Option<f64>,
    /// The sums over all threads, or why there are none.
    pub sums: Result<Sums, String>,
}

/// Sums over all threads.
#[derive(Debug, Clone)]
pub struct Sums {
    /// Number of samples.
    pub samples: usize,
    /// Samples times period.
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

impl Sampled {
    /// Samples the product on `team`, whose kernel does the work that `fp` counts.
    pub(crate) fn measure(
        team: &mut Team<'_>,
        fp: Option<&FpEvent>,
        settings: &Settings,
    ) -> Result<Sampled, Failure> {
        let counts = team.session.counters != Counters::None;
        let (event, per_event) = to_sample(settings, fp.filter(|_| counts))?;
        // A prime, so that samples are not synchronised with a loop; for clocks nanoseconds,
        // some 2000 samples a second.
        let usual = if is_clock(&event) { 499_979 } else { 1_000_003 };
        let period = settings.period.unwrap_or(usual);
        let sums = if counts {
            added_up(&team.run(Some((&event, period)))?)
        } else {
            Err("--counters none".to_owned())
        };
        Ok(Sampled { event, period, per_event, sums })
    }

    /// Whether the clock was sampled, which shows only where the time is spent.
    pub fn is_of_clock(&self) -> bool {
        is_clock(&self.event)
    }

    /// MFLOPS from samples of an event of floating-point work.
    fn rate(&self, known: &Known) -> Reading {
        match (&self.sums, self.per_event) {
            (Ok(sums), Some(width)) => {
                let operations = Reading::new(width * sums.estimate, Source::Hardware);
                Reading::joined(&operations, &known.seconds, |operations, seconds| operations / 1e6 / seconds)
            }
            (Ok(_), None) => Reading::missing(format!(
                "{} counts no floating-point work: its samples show where the time goes, not how many operations",
                self.event
            )),
            (Err(why), _) => Reading::missing(why),
        }
    }

    /// All figures by name.
    pub(crate) fn figures(&self, known: &Known) -> [(&'static str, Reading); 6] {
        let of = |figure: fn(&Sums) -> f64| Reading::of(self.sums.as_ref().map(figure), Source::Hardware);
        [
            ("sampled_mflops", self.rate(known)),
            ("samples", of(|sums| sums.samples as f64)),
            ("sampled_events", of(|sums| sums.estimate)),
            ("counted_events", of(|sums| sums.counted)),
            ("sampling_error", of(Sums::error)),
            ("share_in_product", of(|sums| sums.inside)),
        ]
    }

    /// Its lines.
    pub(crate) fn text(&self, known: &Known, reasons: &mut Reasons) -> String {
        let mut out = format!("sampled_mflops={:.3}\n", reasons.once(&self.rate(known)));
        let Ok(sums) = &self.sums else { return out };
        let Sums { samples, estimate, counted, inside, lost, throttled } = *sums;
        let unit = if self.is_of_clock() { " ns" } else { "" };
        let _ = writeln!(
            out,
            "  {} of {}: {samples} samples x {}{unit} = {estimate:.0}{unit}, +- {:.2} % (1 / sqrt(samples))",
            known.kernel.name,
            self.event,
            self.period,
            100.0 * sums.error()
        );
        let off = 100.0 * (estimate / counted - 1.0);
        let _ = writeln!(
            out,
            "  counted over the same time: {counted:.0}{unit}; the estimate differs by {off:+.2} %"
        );
        let _ = writeln!(out, "  {:.2} % of the samples lie in the product's code", 100.0 * inside);
        if lost > 0 {
            let _ = writeln!(
                out,
                "  {lost} samples found the kernel's buffer full: they are in the estimate, but their place in the code is unknown"
            );
        }
        if throttled > 0 {
            let _ = writeln!(
                out,
                "  the kernel paused the sampling {throttled} times because it came too often: the estimate is too low; raise --period"
            );
        }
        if let Some(width) = self.per_event {
            let _ = writeln!(
                out,
                "  MFLOPS = {width} x events / 10^6 / elapsed = {width} x {estimate:.0} / 10^6 / {:.6} s",
                amount(&known.seconds)
            );
        }
        out
    }
}

/// Whether the event is a clock of the kernel, which counts nanoseconds.
fn is_clock(event: &Event) -> bool {
    matches!(event.name(), "task-clock" | "cpu-clock")
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

fn added_up(run: &Run) -> Result<Sums, String> {
    let threads = run.samples.iter().map(|s| s.as_ref().map_err(Clone::clone));
    let threads = threads.collect::<Result<Vec<&Samples>, String>>()?;
    let samples: usize = threads.iter().map(|s| s.addresses.len()).sum();
    if samples == 0 {
        return Err("it was not sampled once: raise --repeats or lower --period".to_owned());
    }
    let product = counters::watched_code().unwrap_or_default();
    let inside: usize = threads.iter().map(|s| s.within(product.clone())).sum();
    Ok(Sums {
        samples,
        estimate: threads.iter().map(|s| s.total() as f64).sum(),
        counted: threads.iter().map(|s| s.count.estimate()).sum(),
        inside: inside as f64 / samples as f64,
        lost: threads.iter().map(|s| s.lost).sum(),
        throttled: threads.iter().map(|s| s.throttled).sum(),
    })
}

impl Sums {
    /// One standard deviation of the estimate, as a share of it: with a count of samples,
    /// it falls with the square root of their number.
    pub fn error(&self) -> f64 {
        1.0 / (self.samples as f64).sqrt()
    }
}
