//! The product on several threads, each of which samples itself: only between the two
//! barriers. The results of the threads are added.

use std::sync::Barrier;

use common::clock::{self, Elapsed};
use common::counters::{CounterError, Sampler, Samples};
use common::cpu::AffinityGuard;
use common::events::Event;
use common::failure::Failure;
use common::measure::Session;
use common::system::threads::{NoThread, at_once};
use common::units::Seconds;

use crate::kernels::{Band, Kernel};

/// The matrices, b transposed.
#[derive(Debug)]
pub struct Matrices {
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
}

impl Matrices {
    /// Side `n`, with small whole numbers, so that every kernel's sums are
    /// exact and equal.
    pub fn new(n: usize) -> Matrices {
        let small = |x: usize| (x % 7 + 1) as f64;
        let fill = |f: &dyn Fn(usize, usize) -> f64| (0..n * n).map(|x| f(x / n, x % n)).collect();
        Matrices { n, a: fill(&|i, k| small(i + k)), b: fill(&|j, k| small(2 * j + k)), c: vec![0.0; n * n] }
    }

    /// The sum of all elements of c.
    pub fn checksum(&self) -> f64 {
        self.c.iter().sum()
    }

    /// The right sum: the product of the column sums of a and the row sums of b, in `n^2`
    /// operations.
    pub fn expected(&self) -> f64 {
        let column = |x: &[f64], k: usize| x.iter().skip(k).step_by(self.n).sum::<f64>();
        (0..self.n).map(|k| column(&self.a, k) * column(&self.b, k)).sum()
    }
}

/// The results of one run of the team.
#[derive(Debug)]
pub struct Run {
    /// The time of the products only, and the processor time of all threads during that.
    pub elapsed: Elapsed,
    /// Threads that had rows to work on.
    pub threads: usize,
    /// Each thread's samples, or why it has none; empty if sampling is off.
    pub samples: Vec<Result<Samples, String>>,
}

/// The product on a team of threads, each on one of the session's processors.
pub(crate) struct Team<'s> {
    pub(crate) session: &'s Session,
    pub(crate) kernel: &'static Kernel,
    pub(crate) x: Matrices,
    pub(crate) threads: usize,
    pub(crate) repeats: u32,
}

impl Team<'_> {
    pub(crate) fn run(&mut self, sample: Option<(&Event, u64)>) -> Result<Run, Failure> {
        let places = &self.session.cpus;
        let _kept = (self.threads > 1).then(|| AffinityGuard::to(places));
        let ran = run(self.kernel, &mut self.x, self.threads, self.repeats, places, sample);
        ran.map_err(Failure::could_not)
    }
}

/// A thread's rows, and its result.
struct Share<'m> {
    a: &'m [f64],
    c: &'m mut [f64],
    result: Option<Seen>,
}

/// The clocks before and after a thread's work, and its samples.
struct Seen {
    from: Times,
    to: Times,
    samples: Option<Result<Samples, String>>,
}

/// Wall-clock time, and the processor time of all threads.
type Times = (f64, f64);

/// Runs the product `repeats` times on `threads` threads on the processors `places`, and
/// samples if wanted.
/// Fails if the system starts too few threads.
pub fn run(
    kernel: &Kernel,
    x: &mut Matrices,
    threads: usize,
    repeats: u32,
    places: &[usize],
    sample: Option<(&Event, u64)>,
) -> Result<Run, NoThread> {
    let n = x.n;
    let rows = n.div_ceil(threads.max(1));
    let bands = x.a.chunks(rows * n).zip(x.c.chunks_mut(rows * n));
    let mut shares: Vec<Share> = bands.map(|(a, c)| Share { a, c, result: None }).collect();
    let (threads, b) = (shares.len(), x.b.as_slice());
    let (ready, done) = (Barrier::new(threads), Barrier::new(threads));
    at_once(shares.iter_mut(), places, |Share { a, c, result }| {
        let mut sampler = sample.map(|(event, period)| Sampler::new(event, period));
        ready.wait();
        // Each thread reads the clocks itself: another one may wake up late.
        let from = (clock::wall().0, clock::process_cpu().0);
        let resumed = sampler.as_mut().and_then(|s| s.as_mut().ok()).map(Sampler::resume);
        for _ in 0..repeats {
            (kernel.band)(Band { depth: n, a, b, c });
        }
        let paused = sampler.as_mut().and_then(|s| s.as_mut().ok()).map(Sampler::pause);
        let to = (clock::wall().0, clock::process_cpu().0);
        done.wait();
        let finished = |sampler: Result<Sampler, CounterError>| {
            let sampler = sampler?;
            resumed.into_iter().chain(paused).collect::<Result<(), _>>()?;
            sampler.finish()
        };
        let samples = sampler.map(|s| finished(s).map_err(|error| error.to_string()));
        *result = Some(Seen { from, to, samples });
    })?;
    let results: Vec<_> = shares.into_iter().filter_map(|share| share.result).collect();
    let first = |f: fn(&Times) -> f64| results.iter().map(|m| f(&m.from)).fold(f64::INFINITY, f64::min);
    let last = |f: fn(&Times) -> f64| results.iter().map(|m| f(&m.to)).fold(0.0, f64::max);
    let [wall, cpu] = [|t: &Times| t.0, |t: &Times| t.1].map(|pick| Seconds(last(pick) - first(pick)));
    let elapsed = Elapsed { wall, cpu, step: clock::step() };
    Ok(Run { elapsed, threads, samples: results.into_iter().filter_map(|m| m.samples).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::KERNELS;

    #[test]
    fn every_kernel_gives_the_same_exact_sums_on_any_number_of_threads() {
        for kernel in KERNELS.iter().filter(|kernel| (kernel.present)()) {
            for (n, threads) in [(1, 1), (2, 3), (5, 2), (33, 4), (64, 2)] {
                let mut x = Matrices::new(n);
                let run = run(kernel, &mut x, threads, 2, &[], None).unwrap();
                assert_eq!(x.checksum(), x.expected(), "{} {n} {threads}", kernel.name);
                assert!(run.threads <= threads && run.samples.is_empty());
            }
        }
    }
}
