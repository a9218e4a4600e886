//! Event-based sampling: every so many events, where the program was.

use super::definition::Part;
use super::error::{Code, CounterError};
use super::group::Group;
use super::kernel::Count;
use super::kernel::{Opening, Record, Ring};
use super::platform::Platform;
use super::trials::{THREAD, Trials, warm_up};
use events::{Derivation, Event};
use system::cpu::AffinityGuard;

/// Samples the calling thread; each thread to be sampled makes its own.
/// Where cores differ, the thread stays on those that the event is of for as long
/// as the sampler lives.
///
/// ```no_run
/// use counters::Sampler;
/// use events::Event;
///
/// let mut sampler = Sampler::new(&Event::parse("task-clock")?, 1_000_000)?;
/// sampler.resume()?;
/// // the region
/// sampler.pause()?;
/// let samples = sampler.finish()?;
/// println!("about {} ns in {} samples", samples.total(), samples.addresses.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sampler {
    group: Group,
    ring: Ring,
    samples: Samples,
    /// Whether the buffer was full, so that samples may be missing.
    is_full: bool,
    _kept: Option<AffinityGuard>,
}

/// What a sampler saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Samples {
    /// What was sampled.
    pub event: Event,
    /// Events per sample; for clocks, nanoseconds.
    pub period: u64,
    /// Where the program was at each sample: addresses of instructions, shortly
    /// after the one that made the counter run over.
    pub addresses: Vec<u64>,
    /// Samples that found the buffer full.
    pub lost: u64,
    /// How often the kernel paused sampling because it came too often; if ever,
    /// the samples are too few.
    pub throttled: u64,
    /// The event counted exactly, over the same time.
    pub count: Count,
}

/// The one native event behind an event that can be sampled: sums and
/// differences have no moment of overflow.
fn sampled_part(trials: &mut Trials<'_>, event: &Event) -> Result<Part, CounterError> {
    let definition = trials.choose(event)?;
    match definition.parts.first() {
        Some(part) if definition.formula.derivation() == Derivation::Direct => Ok(part.clone()),
        _ => Err(CounterError::new(
            Code::Einval,
            format!(
                "{event} is computed from several counters here ({}); it cannot be sampled. Sample one of {}",
                definition.spelt(),
                definition.names()
            ),
        )),
    }
}

impl Sampler {
    /// A sampler for `event`, one sample every `period` events (nanoseconds, if
    /// the event is `cpu-clock` or `task-clock`), paused.
    /// Fails if the event cannot be counted, is derived from several, or the period is 0.
    pub fn new(event: &Event, period: u64) -> Result<Sampler, CounterError> {
        if period == 0 {
            return Err(CounterError::new(
                Code::Einval,
                "a sampling period of 0; give 1 or more events per sample",
            ));
        }
        let mut trials = Trials::new(Platform::host(), THREAD);
        let part = sampled_part(&mut trials, event)?;
        let opening = Opening { sample_period: period, ..THREAD };
        warm_up(std::slice::from_ref(&part), opening);
        let group = Group::open(std::slice::from_ref(&part), opening);
        let group = group.map_err(|error| trials.explain_sampling(&part, &error))?;
        let ring = group.ring().map_err(|e| CounterError::buffer(&e))?;
        let samples = Samples {
            event: event.clone(),
            period,
            addresses: Vec::new(),
            lost: 0,
            throttled: 0,
            count: Count::default(),
        };
        let kept = trials.take_affinity();
        Ok(Sampler { group, ring, samples, is_full: false, _kept: kept })
    }

    /// Collects from now on.
    /// Fails if the kernel fails.
    pub fn resume(&mut self) -> Result<(), CounterError> {
        self.group.enable().map_err(|e| CounterError::system("starting the sampling", &e))
    }

    /// Collects no more until resumed, and empties the kernel's buffer, which
    /// holds some 30 000 samples.
    /// Fails if the kernel fails.
    pub fn pause(&mut self) -> Result<(), CounterError> {
        self.group.disable().map_err(|e| CounterError::system("stopping the sampling", &e))?;
        let samples = &mut self.samples;
        self.is_full |= self.ring.drain(|record| match record {
            Record::Sample(address) => samples.addresses.push(address),
            Record::Throttled => samples.throttled += 1,
        });
        Ok(())
    }

    /// Ends sampling and gives all that was collected.
    /// Fails if the kernel fails.
    pub fn finish(mut self) -> Result<Samples, CounterError> {
        self.pause()?;
        let failed = |e| CounterError::system("reading the sampled event", &e);
        let count = self.group.read().map_err(failed)?.first().copied().unwrap_or_default();
        // The kernel reports what it lost only with a later sample that fits, so that is computed:
        // of the events, one in a period, less those that came.
        let due = count.value.checked_div(self.samples.period).filter(|_| self.is_full).unwrap_or(0);
        self.samples.lost = due.saturating_sub(self.samples.addresses.len() as u64);
        self.samples.count = count;
        Ok(self.samples)
    }
}

impl Samples {
    /// Samples times period: the event's count as sampling estimates it.
    pub fn total(&self) -> u64 {
        (self.addresses.len() as u64 + self.lost) * self.period
    }

    /// How many samples lie in a range of addresses.
    pub fn within(&self, addresses: std::ops::Range<u64>) -> usize {
        self.addresses.iter().filter(|a| addresses.contains(a)).count()
    }
}
