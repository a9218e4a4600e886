//! What the record of a product of the guide (mm1, mm2, mm3) must contain, from the course's
//! operands: `mul1[i][j] = (i + j) % 8 + 1`, `mul2[i][j] = (n - i + j) % 8 + 1`.

/// If wall time is more than so many times CPU time, the program waited for the processor.
pub const WALL_OVER_CPU_WARNING: f64 = 1.15;

/// Why `threads` threads wait for the processor where a control group grants `quota`
/// processors, and what to do about it.
pub fn cause_of_waits(quota: Option<f64>, threads: usize) -> (String, &'static str) {
    match quota.filter(|quota| *quota < threads as f64) {
        Some(quota) => {
            let quota = (quota * 100.0).round() / 100.0;
            (format!("a CPU quota of {quota} CPUs holds this process back"), "raise the quota")
        }
        None => ("other programs were running".to_owned(), "close them"),
    }
}

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
    fn a_quota_is_the_cause_only_if_the_threads_need_more() {
        for (quota, threads, cause) in [
            (Some(0.5), 1, "a CPU quota of 0.5 CPUs"),
            (Some(1.333_333), 2, "a CPU quota of 1.33 CPUs"),
            (Some(2.0), 2, "other programs"),
            (None, 4, "other programs"),
        ] {
            assert!(cause_of_waits(quota, threads).0.starts_with(cause), "{quota:?} {threads}");
        }
    }

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
