//! The product `c += a b`: dgemm's last rungs compared with matrixmultiply, faer and,
//! with `--features openblas`, the system's OpenBLAS.
//!
//!     cargo run --release --features openblas --bin gemm -- 1024 [ROUNDS] [THREADS]

use common::memory::Arena;
use dgemm::experiment::{Subject, blocks_for};
use dgemm::{Problem, Variant};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use yardstick::{Times, arguments};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [size, rounds, threads] = arguments([1024, 9, 2]);
    let blocks = blocks_for(&common::machine::host()?, threads);
    let arena = Arena::with_capacity(Problem::bytes(size, size, size, blocks))?;
    let p = Problem::new(&arena, [size; 3], blocks)?;
    let [a, b, mut c] = [p.a(), p.b(), p.c()].map(|view| view.flat().0.to_vec());
    let mut times = Times::default();
    for _ in 0..rounds {
        for name in ["tiled", "prefetch", "threads"] {
            let Some(variant) = Variant::find(name) else { continue };
            let mut ran = Ok(());
            times.take(name, variant.cores(threads), || ran = variant.run_native(&p));
            ran?;
        }
        let mut ran = Ok(());
        times.take("matrixmultiply", 1, || ran = Subject::Yardstick.run(&p));
        ran?;
        for (name, cores, par) in [("faer", 1, Par::Seq), ("faer, threads", threads, Par::rayon(threads))] {
            let [a, b] = [&a, &b].map(|x| MatRef::from_row_major_slice(x, size, size));
            let c = MatMut::from_row_major_slice_mut(&mut c, size, size);
            times.take(name, cores, || matmul(c, Accum::Add, a, b, 1.0, par));
        }
        #[cfg(feature = "openblas")]
        for (name, cores) in [("OpenBLAS", 1), ("OpenBLAS, threads", threads)] {
            yardstick::openblas::set_threads(cores);
            let name = format!("{name} ({})", yardstick::openblas::core());
            times.take(&name, cores, || yardstick::openblas::product(&a, &b, &mut c, size));
        }
    }
    times.print(size, p.flops());
    Ok(())
}
