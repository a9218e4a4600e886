//! Small arithmetic: statistics over repeated runs (medians, not means: one interrupt must
//! not move the figure), and divisors.

/// The `q`-quantile (0 to 1) of `values`, linear between adjacent values; `None`
/// when there is no finite value.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let position = q.clamp(0.0, 1.0) * last as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    Some(sorted[below] + (sorted[above] - sorted[below]) * position.fract())
}

/// The middle value; `None` when there is no finite value.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The greatest common divisor; of 0 and `a`, `a` (Euclid).
pub fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_ignore_what_is_not_a_number() {
        assert_eq!(median(&[3.0, f64::NAN, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[1.0, 2.0]), Some(1.5));
        assert_eq!(median(&[f64::INFINITY]), None);
        assert_eq!(quantile(&[1.0, 2.0, 3.0], 1.0), Some(3.0));
    }
}
