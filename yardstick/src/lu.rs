//! LU of the course's matrix: ge's last rungs compared with faer and, with
//! `--features openblas`, the system's OpenBLAS. `lu` exchanges rows as the libraries
//! do; `blocked` does not: it has less to do, and less to offer.
//!
//!     cargo run --release --features openblas --bin lu -- 1000 [ROUNDS] [THREADS]

use common::memory::Arena;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::{Mat, MatMut, Par, Spec};
use ge::problem::matrices::Fill;
use ge::problem::system::System;
use yardstick::{Times, arguments};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [size, rounds, threads] = arguments([1000, 9, 2]);
    let processors: Vec<usize> = (0..threads).collect();
    let arena = Arena::with_capacity(System::bytes(size, threads).ok_or("no memory for so large a matrix")?)?;
    let system = System::new(&arena, size, &processors)?;
    Fill::Rand.write(system.matrix());
    let original = system.matrix().flat().to_vec();
    let mut workspace = Workspace::new(size);
    let mut times = Times::default();
    for _ in 0..rounds {
        let rungs = [("ge7", 1), ("blocked", 1), ("lu", 1), ("threads", threads), ("lu-threads", threads)];
        for (name, cores) in rungs {
            let Some(variant) = ge::find(name).filter(|variant| variant.available().is_ok()) else {
                continue;
            };
            system.matrix().flat().fill(|i| original[i]);
            let mut ran = Ok(());
            times.take(name, cores, || ran = variant.run(system));
            ran?;
        }
        for (name, cores, par) in [("faer", 1, Par::Seq), ("faer, threads", threads, Par::rayon(threads))] {
            let mut a = Mat::from_fn(size, size, |i, j| original[i * size + j]);
            times.take(name, cores, || workspace.lu(a.as_mut(), par));
        }
        #[cfg(feature = "openblas")]
        for (name, cores) in [("dgetrf", 1), ("dgetrf, threads", threads)] {
            yardstick::openblas::set_threads(cores);
            let mut a = original.clone();
            let name = format!("{name} ({})", yardstick::openblas::core());
            times.take(&name, cores, || yardstick::openblas::lu(&mut a, size));
        }
    }
    times.print(size, (size as f64).powi(3) * 2.0 / 3.0);
    Ok(())
}

/// Memory that faer's LU needs in addition to the matrix, which it overwrites as the others
/// do: its usual call copies the matrix three times, into pages that the system must first
/// provide.
struct Workspace {
    rows: [Vec<usize>; 2],
    scratch: MemBuffer,
}

impl Workspace {
    fn new(size: usize) -> Workspace {
        let scratch = lu_in_place_scratch::<usize, f64>(size, size, Par::Seq, Spec::default());
        Workspace { rows: [vec![0; size], vec![0; size]], scratch: MemBuffer::new(scratch) }
    }

    fn lu(&mut self, a: MatMut<'_, f64>, par: Par) {
        let [after, before] = &mut self.rows;
        lu_in_place(a, after, before, par, MemStack::new(&mut self.scratch), Spec::default());
    }
}
