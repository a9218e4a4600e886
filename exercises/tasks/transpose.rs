
/// Writes the transpose of `from` into `to`; from[i * n + j] is in row i and column j. Useful:
/// (0..n).step_by(8), a.min(b).
pub fn transpose(n: usize, from: &[f64], to: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            to[j * n + i] = from[i * n + j];
        }
    }
}
