//! The stack machine of 1980, which compilers no longer use: in assembly.

use std::arch::asm;

use common::counters::watched;

use super::band::{Band, rows};

/// `start + sum of x[k] * y[k]`, the sum an 80-bit number on the stack.
#[inline(always)]
fn dot(start: f64, x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().min(y.len());
    let mut sum = start;
    // SAFETY: reads n doubles behind each pointer, reads and writes `sum`, restores the
    // stack and declares what it changes.
    unsafe {
        asm!(
            "fld qword ptr [{sum}]",
            "test {n}, {n}",
            "jz 3f",
            "2:",
            "fld qword ptr [{x}]",
            "fmul qword ptr [{y}]",
            "faddp st(1), st",
            "add {x}, 8",
            "add {y}, 8",
            "dec {n}",
            "jnz 2b",
            "3:",
            "fstp qword ptr [{sum}]",
            x = inout(reg) x.as_ptr() => _,
            y = inout(reg) y.as_ptr() => _,
            n = inout(reg) n => _,
            sum = in(reg) &raw mut sum,
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            options(nostack),
        );
    }
    sum
}

watched! {
    #[inline(never)]
    pub(super) fn band(band: Band) {
        rows(band, dot);
    }
}
