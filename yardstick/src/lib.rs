//! Shared by both yardsticks: their table of times, and the system's OpenBLAS.

use common::clock::{Elapsed, Stopwatch};
use common::stats;

#[cfg(feature = "openblas")]
pub mod openblas;

/// The numbers on the command line, with defaults for missing ones.
pub fn arguments<const N: usize>(otherwise: [usize; N]) -> [usize; N] {
    if std::env::var("ISA").as_deref() == Ok("avx2") {
        common::isa::leave_out_avx512();
    }
    let mut given = std::env::args().skip(1).map(|text| text.parse().unwrap_or(0));
    otherwise.map(|value| given.next().unwrap_or(value).max(1))
}

/// Times of several programs for the same work.
#[derive(Debug, Default)]
pub struct Times(Vec<(String, usize, Vec<Elapsed>)>);

impl Times {
    /// Runs `work`, on `threads` threads, and stores its time under `name`.
    pub fn take(&mut self, name: &str, threads: usize, work: impl FnOnce()) {
        let watch = Stopwatch::start();
        work();
        let took = watch.stop();
        match self.0.iter_mut().find(|row| row.0 == name) {
            Some(row) => row.2.push(took),
            None => self.0.push((name.to_owned(), threads, vec![took])),
        }
    }

    /// Prints rates in GFLOPS for `flops` operations: medians over the rounds by wall-clock
    /// time and by the processor time of one thread, and the best.
    pub fn print(&self, size: usize, flops: f64) {
        println!("name\tsize\tthreads\twall\tcpu\tbest");
        for (name, threads, times) in &self.0 {
            let wall: Vec<f64> = times.iter().map(|t| t.wall.0).collect();
            let cpu: Vec<f64> = times.iter().map(|t| t.cpu.0 / *threads as f64).collect();
            let [wall, best, cpu] = [(&wall, 0.5), (&wall, 0.0), (&cpu, 0.5)]
                .map(|(seconds, q)| flops / stats::quantile(seconds, q).unwrap_or(f64::NAN) * 1e-9);
            println!("{name}\t{size}\t{threads}\t{wall:.2}\t{cpu:.2}\t{best:.2}");
        }
    }
}
