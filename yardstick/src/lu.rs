//! LU of the course's matrix: the ladder's last rungs beside faer and, with
//! `--features openblas`, the system's OpenBLAS. The libraries exchange rows,
//! the ladder's `blocked` does not: it has less to do, and less to offer.
//!
//!     cargo run --release --features openblas --bin lu -- 1000 [ROUNDS] [THREADS]
//!
//! Rates are medians over interleaved rounds, in GFLOPS by 2/3 n^3.

use std::time::Instant;

use common::memory::Arena;
use common::stats;
use faer::{Mat, Par};
use ge::matrices::Fill;
use ge::system::System;

fn main() {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let size = arguments.first().copied().unwrap_or(1000).max(1);
    let rounds = arguments.get(1).copied().unwrap_or(9).max(1);
    let threads = arguments.get(2).copied().unwrap_or(2).max(1);
    let processors: Vec<usize> = (0..threads).collect();
    let bytes = System::bytes(size, threads).unwrap_or(usize::MAX);
    let arena = match Arena::with_capacity(bytes) {
        Ok(arena) => arena,
        Err(error) => return eprintln!("{error}"),
    };
    let system = match System::new(&arena, size, &processors) {
        Ok(system) => system,
        Err(error) => return eprintln!("{error}"),
    };
    let mut rows: Vec<(String, Vec<f64>)> = Vec::new();
    for _ in 0..rounds {
        for name in ["ge7", "blocked", "threads"] {
            let Some(variant) = ge::find(name).filter(|variant| variant.available().is_ok()) else { continue };
            Fill::Rand.write(system.matrix);
            let from = Instant::now();
            let _ = variant.run(system);
            note(&mut rows, name, from.elapsed().as_secs_f64());
        }
        Fill::Rand.write(system.matrix);
        for (name, par) in [("faer", Par::Seq), ("faer, threads", Par::rayon(threads))] {
            faer::set_global_parallelism(par);
            let a = Mat::from_fn(size, size, |i, j| system.matrix.at(i, j).get());
            let from = Instant::now();
            let lu = a.partial_piv_lu();
            note(&mut rows, name, from.elapsed().as_secs_f64());
            std::hint::black_box(lu.U().nrows());
        }
        #[cfg(feature = "openblas")]
        for (name, count) in [("dgetrf", 1), ("dgetrf, threads", threads)] {
            let mut a = system.matrix.flat().to_vec();
            let name = format!("{name} ({})", openblas::core());
            note(&mut rows, &name, openblas::lu(&mut a, size, count));
        }
    }
    println!("lu\tsize\tGFLOPS\tbest");
    for (name, seconds) in rows {
        let rate = |q| {
            let seconds = stats::quantile(&seconds, q).unwrap_or(f64::NAN);
            (size as f64).powi(3) * 2.0 / 3.0 / seconds * 1e-9
        };
        println!("{name}\t{size}\t{:.2}\t{:.2}", rate(0.5), rate(0.0));
    }
}

fn note(rows: &mut Vec<(String, Vec<f64>)>, name: &str, seconds: f64) {
    match rows.iter_mut().find(|row| row.0 == name) {
        Some(row) => row.1.push(seconds),
        None => rows.push((name.to_owned(), vec![seconds])),
    }
}

#[cfg(feature = "openblas")]
mod openblas {
    use std::ffi::{CStr, c_char, c_int};
    use std::time::Instant;

    #[link(name = "openblas")]
    unsafe extern "C" {
        fn dgetrf_(m: *const c_int, n: *const c_int, a: *mut f64, lda: *const c_int, ipiv: *mut c_int, info: *mut c_int);
        fn openblas_set_num_threads(threads: c_int);
        fn openblas_get_corename() -> *const c_char;
    }

    /// The kernels OpenBLAS chose; an old one may not know a new processor.
    pub fn core() -> String {
        // SAFETY: returns a constant string.
        unsafe { CStr::from_ptr(openblas_get_corename()) }.to_string_lossy().into_owned()
    }

    /// Seconds that dgetrf takes.
    pub fn lu(a: &mut [f64], size: usize, threads: usize) -> f64 {
        let (n, mut pivots, mut info) = (size as c_int, vec![0; size], 0);
        assert_eq!(a.len(), size * size);
        // SAFETY: the matrix and the pivots are as large as LAPACK is told.
        unsafe {
            openblas_set_num_threads(threads as c_int);
            let from = Instant::now();
            dgetrf_(&n, &n, a.as_mut_ptr(), &n, pivots.as_mut_ptr(), &mut info);
            from.elapsed().as_secs_f64()
        }
    }
}
