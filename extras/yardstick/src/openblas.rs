//! The system's OpenBLAS.

use std::ffi::{CStr, c_char, c_int};

#[link(name = "openblas")]
unsafe extern "C" {
    fn dgemm_(
        transa: *const c_char,
        transb: *const c_char,
        m: *const c_int,
        n: *const c_int,
        k: *const c_int,
        alpha: *const f64,
        a: *const f64,
        lda: *const c_int,
        b: *const f64,
        ldb: *const c_int,
        beta: *const f64,
        c: *mut f64,
        ldc: *const c_int,
    );
    fn openblas_set_num_threads(threads: c_int);
    fn openblas_get_corename() -> *const c_char;
}

/// The kernels that it chose; an old version may not know a new processor.
pub fn core() -> String {
    // SAFETY: returns a constant string.
    unsafe { CStr::from_ptr(openblas_get_corename()) }.to_string_lossy().into_owned()
}

/// Sets the number of threads of later calls.
pub fn set_threads(threads: usize) {
    // SAFETY: takes a number.
    unsafe { openblas_set_num_threads(threads as c_int) }
}

/// `c += a * b`, all `size` by `size`, stored row by row: to Fortran, which
/// stores by columns, that is `c' += b' * a'`.
pub fn product(a: &[f64], b: &[f64], c: &mut [f64], size: usize) {
    let (n, one) = (size as c_int, 1.0);
    assert!([a.len(), b.len(), c.len()] == [size * size; 3]);
    let as_is: *const c_char = c"N".as_ptr();
    // SAFETY: the matrices are as large as the arguments say.
    unsafe {
        dgemm_(as_is, as_is, &n, &n, &n, &one, b.as_ptr(), &n, a.as_ptr(), &n, &one, c.as_mut_ptr(), &n)
    }
}
