//! What the record of a product of the guide (mm1, mm2, mm3) must contain, from the course's
//! operands: `mul1[i][j] = (i + j) % 8 + 1`, `mul2[i][j] = (n - i + j) % 8 + 1`.

/// If wall time is more than so many times CPU time, other programs were running.
pub const WALL_OVER_CPU_WARNING: f64 = 1.15;

/// The element in row `i` and column `j` of the product, by definition. The operands repeat
/// every 8 rows and columns, so 64 elements represent all.
fn element(n: usize, i: usize, j: usize) -> usize {
    (0..n).map(|k| ((i + k) % 8 + 1) * ((n - k + j) % 8 + 1)).sum()
}

/// Whether an element of the product of `n` by `n` matrices exceeds 16 bits: it wraps, as in C.
pub fn overflows(n: usize) -> bool {
    (0..64).any(|at| element(n, at / 8, at % 8) > i16::MAX as usize)
}

/// Sum of all elements of that product, each cut to 16 bits as C does.
pub fn checksum(n: usize) -> i64 {
    let alike = |residue: usize| (n + 7 - residue) as i64 / 8; // rows or columns
    let of = |i, j| i64::from(element(n, i, j) as i16) * alike(i) * alike(j);
    (0..64).map(|at| of(at / 8, at % 8)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_begins_where_the_c_programs_checksum_leaves_the_closed_form() {
        assert!(!overflows(512) && !overflows(1424));
        assert!(overflows(1432) && overflows(2048));
    }

    #[test]
    fn the_checksum_is_that_of_the_c_programs() {
        // The sum is 20.25 N^3 if 8 divides N; from 1432 on, elements wrap around.
        for (n, sum) in [(512, 2_717_908_992), (1024, 21_743_271_936), (2048, -66_571_993_088)] {
            assert_eq!(checksum(n), sum, "{n}");
        }
        let (n, mut sum) = (13, 0);
        for (i, j) in (0..n * n).map(|at| (at / n, at % n)) {
            sum += (0..n).map(|k| ((i + k) % 8 + 1) * ((n - k + j) % 8 + 1)).sum::<usize>() as i64;
        }
        assert_eq!(checksum(n), sum);
    }
}
