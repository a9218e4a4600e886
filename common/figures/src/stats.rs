//! Small statistics over repeated runs. Medians, not means: one interrupt must
//! not move the figure.

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

/// A 95 % interval for the median of `values` by order statistics (no
/// assumption on the distribution; for fewer than 6 values the whole range).
pub fn median_interval(values: &[f64]) -> Option<(f64, f64)> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    let half_width = 0.98 * (n as f64).sqrt(); // 1.96 * sqrt(n)/2, normal approximation to the binomial
    let low = (n as f64 / 2.0 - half_width).floor().max(0.0) as usize;
    let high = ((n as f64 / 2.0 + half_width).ceil() as usize).min(n - 1);
    Some((sorted[low], sorted[high]))
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

    #[test]
    fn the_interval_narrows_with_more_runs() {
        let many: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(median_interval(&many), Some((40.0, 60.0)));
        assert_eq!(median_interval(&[5.0, 1.0, 3.0]), Some((1.0, 5.0)));
    }
}
