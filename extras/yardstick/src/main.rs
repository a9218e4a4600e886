//! The product `c += a b`: dgemm's last rungs compared with matrixmultiply, faer and,
//! with `--features openblas`, the system's OpenBLAS.
//!
//!     cargo run --release --features openblas -- 1024 [ROUNDS] [THREADS]

#[cfg(feature = "openblas")]
mod openblas;

use common::clock::{Elapsed, Stopwatch};
use common::memory::Arena;
use common::stats;
use dgemm::experiment::blocks_for;
use dgemm::{Problem, Variant};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [size, rounds, threads] = arguments([1024, 9, 2]);
    let blocks = blocks_for(&common::machine::host()?, threads);
    let arena = Arena::with_capacity(Problem::bytes(size, size, size, blocks))?;
    let p = Problem::new(&arena, [size; 3], blocks)?;
    let [a, b, mut c] = [p.a(), p.b(), p.c()].map(|view| view.flat().0.to_vec());
    let mut times = Times::default();
    for _ in 0..rounds {
        for name in ["tiled", "threads", "matrixmultiply"] {
            let Some(variant) = Variant::find(name) else { continue };
            let mut ran = Ok(());
            times.take(name, variant.cores(threads), || ran = variant.run_native(&p));
            ran?;
        }
        for (name, cores, par) in [("faer", 1, Par::Seq), ("faer, threads", threads, Par::rayon(threads))] {
            let [a, b] = [&a, &b].map(|x| MatRef::from_row_major_slice(x, size, size));
            let c = MatMut::from_row_major_slice_mut(&mut c, size, size);
            times.take(name, cores, || matmul(c, Accum::Add, a, b, 1.0, par));
        }
        #[cfg(feature = "openblas")]
        for (name, cores) in [("OpenBLAS", 1), ("OpenBLAS, threads", threads)] {
            openblas::set_threads(cores);
            let name = format!("{name} ({})", openblas::core());
            times.take(&name, cores, || openblas::product(&a, &b, &mut c, size));
        }
    }
    times.print(size, p.flops());
    Ok(())
}

/// The numbers on the command line, with defaults for missing ones.
fn arguments<const N: usize>(otherwise: [usize; N]) -> [usize; N] {
    let mut given = std::env::args().skip(1).map(|text| text.parse().unwrap_or(0));
    otherwise.map(|value| given.next().unwrap_or(value).max(1))
}

/// Times of several programs for the same work.
#[derive(Debug, Default)]
struct Times(Vec<(String, usize, Vec<Elapsed>)>);

impl Times {
    /// Runs `work`, on `threads` threads, and stores its time under `name`.
    fn take(&mut self, name: &str, threads: usize, work: impl FnOnce()) {
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
    fn print(&self, size: usize, flops: f64) {
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
