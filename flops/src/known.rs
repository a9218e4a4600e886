//! The rate from the known number of operations.

use common::value::Reading;

use crate::kernels::Kernel;

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

impl Known {
    /// Operations by the textbook, for all threads and repetitions.
    pub fn operations(&self) -> f64 {
        2.0 * (self.n as f64).powi(3) * f64::from(self.repeats)
    }

    /// All figures by name.
    pub(crate) fn figures(&self) -> [(&'static str, Reading); 3] {
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
    pub(crate) fn text(&self) -> String {
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

pub(crate) fn amount(reading: &Reading) -> f64 {
    reading.amount().unwrap_or(f64::NAN)
}
